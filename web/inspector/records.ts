/** The records of one account: what the stream tells, what a person looks for in it, and the entry that is open. */
import { batch, computed, signal } from '@preact/signals';
import type { AccountKey } from '../parts/keyring.ts';
import { kept } from '../parts/theme.ts';
import { ApiClient } from '../wire/client.ts';
import {
  type Explained,
  type Filter,
  fits,
  type Mistake,
  type RequestDetail,
  type RequestRow,
} from '../wire/inspect.ts';
import { loginOf } from '../wire/sign.ts';
import { Stream, type StreamState } from '../wire/streams.ts';
import type { Session } from '../wire/types.ts';

export const ORIGIN = location.origin;
/** In the memory of the page, and in the page. */
const ROWS_MAX = 5_000;
export const SHOWN_MAX = 300;

export const session = signal<Session | undefined>(undefined);
export const account = signal<AccountKey | undefined>(undefined);
export const client = signal<ApiClient | undefined>(undefined);
/** That of the terminal, too. */
export const lastAccount = kept('account', '');
export const state = signal<StreamState>('closed');
/** Why the exchange refused this account. */
export const refusal = signal('');

/** The newest first. */
export const rows = signal<readonly RequestRow[]>([]);
export const mistakes = signal<readonly Mistake[]>([]);
/** Entries that came too fast to be shown. */
export const skipped = signal(0);
export const paused = signal(false);
export const filter = signal<Filter>({ kind: 'all', refusedOnly: false, text: '' });
export const view = signal<'requests' | 'mistakes'>('requests');

/** While the list rests: those that came since. */
const waiting = signal<readonly RequestRow[]>([]);
export const waitingCount = computed(() => waiting.value.length);
const found = computed(() => rows.value.filter((row) => fits(row, filter.value)));
export const foundCount = computed(() => found.value.length);
export const shown = computed(() => found.value.slice(0, SHOWN_MAX));

export const openedId = signal<number | undefined>(undefined);
/** Undefined until it came; null when it is gone. */
export const detail = signal<RequestDetail | null | undefined>(undefined);
/** What the exchange weighed when it refused it; a text says why that is not known. */
export const explained = signal<Explained | string | undefined>(undefined);

let stream: Stream | undefined;

export function openAccount(next: AccountKey | undefined): void {
  stream?.close();
  stream = undefined;
  batch(() => {
    account.value = next;
    lastAccount.value = next?.id ?? '';
    rows.value = [];
    waiting.value = [];
    mistakes.value = [];
    skipped.value = 0;
    refusal.value = '';
    state.value = 'closed';
    client.value = next && new ApiClient(ORIGIN, next.signer);
  });
  closeEntry();
  if (next !== undefined && session.value?.inspect === true) stream = follow(next);
}

function follow({ signer }: AccountKey): Stream {
  const opened = new Stream({
    url: `${ORIGIN.replace(/^http/, 'ws')}/v3/ws/inspect`,
    login: () => loginOf(signer, Date.now()),
    onState: (next) => {
      state.value = next;
      if (next === 'open') refusal.value = '';
    },
    onEvent: ({ event, code, msg, id, data }) => {
      if (event === 'error') refusal.value = `${code}: ${msg ?? ''}`;
      if (id === undefined || id !== openedId.value) return;
      if (event === 'entry') showEntry(data as RequestDetail | null);
      if (event === 'explain') explained.value = (data as Explained | null) ?? msg ?? '';
    },
  });
  opened.subscribe<RequestRow>({ instType: 'UTA', topic: 'requests' }, ({ action, data, skipped: lost }) => {
    skipped.value += lost ?? 0;
    take(data.toReversed(), action === 'snapshot');
  });
  opened.subscribe<Mistake>({ instType: 'UTA', topic: 'mistakes' }, ({ data }) => {
    mistakes.value = data;
  });
  return opened;
}

/** What the exchange itself refused is explained by a replay, which takes a moment. */
function showEntry(entry: RequestDetail | null): void {
  detail.value = entry;
  if (entry?.why.core === true && entry.commands.length > 0) stream?.send({ op: 'explain', id: entry.id });
}

/** A snapshot comes again with each connection, and brings what is known already. */
function take(newest: readonly RequestRow[], again: boolean): void {
  const list = paused.peek() ? waiting : rows;
  const last = Math.max(clearedTo, list.peek()[0]?.id ?? rows.peek()[0]?.id ?? 0);
  const fresh = newest.filter(({ id }) => id > last);
  // Numbers begin anew with each start of the exchange.
  const restarted = again && newest.length > 0 && newest[0]!.id < (rows.peek()[0]?.id ?? 0);
  if (restarted) clearedTo = 0;
  list.value = restarted ? newest : [...fresh, ...list.peek()].slice(0, ROWS_MAX);
}

let clearedTo = 0;

export function clear(): void {
  clearedTo = Math.max(clearedTo, rows.value[0]?.id ?? 0, waiting.value[0]?.id ?? 0);
  batch(() => {
    rows.value = [];
    waiting.value = [];
    skipped.value = 0;
  });
}

export function pause(on: boolean): void {
  batch(() => {
    paused.value = on;
    if (on) return;
    rows.value = [...waiting.value, ...rows.value].slice(0, ROWS_MAX);
    waiting.value = [];
  });
}

export function openEntry(id: number): void {
  if (openedId.value === id) return;
  batch(() => {
    openedId.value = id;
    detail.value = undefined;
    explained.value = undefined;
  });
  stream?.send({ op: 'entry', id });
}

export function closeEntry(): void {
  batch(() => {
    openedId.value = undefined;
    detail.value = undefined;
    explained.value = undefined;
  });
}

/** Up and down the list that is shown. */
export function step(by: number): void {
  const at = shown.value.findIndex(({ id }) => id === openedId.value);
  const next = shown.value[at < 0 ? 0 : Math.max(0, Math.min(shown.value.length - 1, at + by))];
  if (next !== undefined) openEntry(next.id);
}

/** Requests a second over the last ten, by the clock of the exchange. */
export const second = signal(Date.now());
setInterval(() => {
  second.value = Date.now();
}, 1_000);
export const perSecond = computed(() => {
  const since = second.value - 10_000;
  return rows.value.filter(({ ts, kind }) => kind === 'http' && ts > since).length / 10;
});
