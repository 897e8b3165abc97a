/** The exchange as every visitor sees it: session, instruments, time, and the public stream. */
import { computed, signal } from '@preact/signals';
import { ApiClient, type Call } from '../wire/client.ts';
import { Stream, type StreamState } from '../wire/streams.ts';
import { CATEGORIES, type Category, type Instrument, type Session } from '../wire/types.ts';

export const session = signal<Session | undefined>(undefined);
export const publicState = signal<StreamState>('connecting');
export const instruments = signal<ReadonlyMap<string, Instrument>>(new Map());
/** The newest first; the code drawer shows them. */
export const calls = signal<readonly Call[]>([]);
/** Milliseconds that the last answer took. */
export const replyMs = signal(0);
/** Order requests that the exchange would still take in this second. */
export const ordersLeft = signal<number | undefined>(undefined);
/** Unix milliseconds of this computer when the last frame came. */
export const lastFrameAt = signal(0);
export const lagMs = signal<number | undefined>(undefined);

const CALLS_MAX = 30;
/** Calls that only refresh what is shown would push out the one that somebody looks for. */
const QUIET = /max-open-available|market\/(tickers|time)|public\/time/;

export function rememberCall(call: Call): void {
  replyMs.value = call.ms;
  if (call.left !== undefined && /trade\/(place|modify|cancel)/.test(call.path)) ordersLeft.value = call.left;
  if (!QUIET.test(call.path)) calls.value = [call, ...calls.value].slice(0, CALLS_MAX);
}

export const ORIGIN = location.origin;
export const STREAMS = ORIGIN.replace(/^http/, 'ws');
export const api = new ApiClient(ORIGIN, undefined, rememberCall);

let frames = 0;
export const framesPerSecond = signal(0);

/** Time of the exchange: what it said last, and how fast it goes on since. */
const said = { venueMs: Date.now(), hereMs: Date.now() };
const pace = computed(() => {
  const clock = session.value?.clock ?? 'wall';
  if (clock === 'manual') return 0;
  return clock.startsWith('scaled:') ? Number(clock.slice('scaled:'.length)) : 1;
});
export const clockName = computed(() => {
  if (pace.value === 0) return 'MANUAL';
  return pace.value === 1 ? 'LIVE' : `×${pace.value}`;
});

export const venueNow = (): number => said.venueMs + (Date.now() - said.hereMs) * pace.peek();

export function frameCame(ts: number): void {
  frames += 1;
  const now = Date.now();
  lastFrameAt.value = now;
  if (!Number.isFinite(ts)) return;
  if (pace.peek() === 1) lagMs.value = Math.max(0, now - ts);
  else if (ts > said.venueMs) Object.assign(said, { venueMs: ts, hereMs: now });
}

export function heard(): void {
  lastFrameAt.value = Date.now();
}

/** Once a second: countdowns, rates, the age of data. */
export const second = signal(Date.now());
setInterval(() => {
  framesPerSecond.value = frames;
  frames = 0;
  second.value = Date.now();
}, 1_000);

async function askTime(): Promise<void> {
  const answer = await api.get<{ serverTime: string }>('public/time');
  if (answer.ok) Object.assign(said, { venueMs: Number(answer.data.serverTime), hereMs: Date.now() });
}

export const publicStream = new Stream({
  url: `${STREAMS}/v3/ws/public`,
  onState: (state) => {
    publicState.value = state;
    if (state === 'open') void askTime();
  },
  onFrame: frameCame,
  onPong: heard,
});

const HIDDEN_MS = 5 * 60_000;
let leave: ReturnType<typeof setTimeout> | undefined;
document.addEventListener('visibilitychange', () => {
  clearTimeout(leave);
  if (document.hidden) leave = setTimeout(() => publicStream.pause(), HIDDEN_MS);
  else publicStream.resume();
});

export const instrumentKey = (category: Category, symbol: string): string => `${category}/${symbol}`;

/** Positions name no category; a contract's symbol belongs to one. */
export function futuresCategory(symbol: string): Category {
  for (const { symbol: name, category } of instruments.value.values())
    if (name === symbol && category.endsWith('FUTURES')) return category;
  return 'USDT-FUTURES';
}

export const digitsOf = (category: Category, symbol: string): { price: number; size: number } => {
  const found = instruments.value.get(instrumentKey(category, symbol));
  return { price: Number(found?.pricePrecision ?? 2), size: Number(found?.quantityPrecision ?? 4) };
};

export async function loadInstruments(): Promise<void> {
  const answers = await Promise.all(
    CATEGORIES.map((category) => api.get<readonly Instrument[]>('market/instruments', { category })),
  );
  // A part of the markets would look like all of them; the start tries again.
  const failed = answers.find((answer) => !answer.ok);
  if (failed !== undefined) throw new Error('the instruments are not known yet');
  const list = answers.flatMap((answer) => (answer.ok ? answer.data : []));
  instruments.value = new Map(list.map((each) => [instrumentKey(each.category, each.symbol), each]));
}

export async function loadSession(): Promise<void> {
  const response = await fetch('/web/session');
  session.value = (await response.json()) as Session;
}
