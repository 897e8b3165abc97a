/** How a program has behaved towards the interface, from what it has sent. */
import { fieldsOf, itemsOf, textOf, verdictOf } from '../../inspector/entry-summary.ts';
import type { Entry } from '../../inspector/recorder.ts';
import { ratio } from './money.ts';
import type { ConductReport } from './report.ts';

/** What the interface knows of its calls. */
export interface ConductRules {
  limitOf(entry: Entry): { readonly path: string; readonly perSecond: number } | undefined;
  /** The code of the catalogue for one that was answered. */
  codeOf(answered: string): string;
  /** May the request have been carried out although it was refused so? */
  isUnknownOutcome(code: string): boolean;
  mistakes(entries: readonly Entry[]): ConductReport['mistakes'];
}

/** Codes of refusals that need no command. */
const DUPLICATE = '25212';
const CLOSED: ReadonlySet<string> = new Set(['25204', '25597', '25598']);
const CHANGES = /\/(?:batch-)?(?:modify|cancel)[a-z-]*order/;
const PLACES = /\/place-(?:strategy-)?order$/;
const TOO_MANY = 429;
const RETRY_WITHIN_MS = 60_000;
const PING_SECONDS = 60;
const PERCENT = 100n;
/** What a private topic pushes, by the call that asks for it. */
const POLLED: Readonly<Record<string, string>> = {
  '/api/v3/trade/unfilled-orders': 'order',
  '/api/v3/trade/order-info': 'order',
  '/api/v3/trade/fills': 'fill',
  '/api/v3/trade/unfilled-strategy-orders': 'strategy-order',
  '/api/v3/position/current-position': 'position',
  '/api/v3/account/assets': 'account',
};

/** The oldest first. */
export function conductOf(entries: readonly Entry[], rules: ConductRules): ConductReport {
  const codes = entries.map((entry) => codesOf(entry, rules));
  const count = (fits: (entry: Entry, codes: readonly string[]) => boolean) =>
    entries.filter((entry, n) => fits(entry, codes[n]!)).length;
  const sum = (of: (codes: readonly string[]) => number) =>
    codes.reduce((total, each) => total + of(each), 0);
  return {
    requests: count(({ kind }) => kind === 'http'),
    frames: count(({ kind }) => kind === 'ws'),
    limits: limitsOf(entries, rules),
    refused429: count(({ status }, [code]) => status === TOO_MANY || code === String(TOO_MANY)),
    retries: retriesOf(entries, rules),
    duplicateIds: sum((each) => each.filter((code) => code === DUPLICATE).length),
    amendsOfClosed: count(
      (entry, each) => CHANGES.test(entry.target) && each.some((code) => CLOSED.has(code)),
    ),
    pollingBesideStream: pollsBesideStream(entries),
    socketsWithoutPing: count((entry) => {
      const { pings, seconds } = closing(entry);
      return pings === 0 && Number(seconds) >= PING_SECONDS;
    }),
    unreadSockets: count((entry) => closing(entry).stalled === true),
    mistakes: rules.mistakes(entries),
  };
}

/** Refusals of a request as a whole, and of each item of a batch. */
export function codesOf(entry: Entry, rules: ConductRules): readonly string[] {
  const { code } = verdictOf(entry);
  const { data, args } = fieldsOf(entry.answer);
  const list = Array.isArray(data) ? data : ((data as { list?: unknown } | null | undefined)?.list ?? args);
  const items = itemsOf(list).map((item) => textOf(item.code));
  return [code, ...items]
    .filter((each) => each !== '' && !/^0+$/.test(each))
    .map((each) => rules.codeOf(each));
}

function limitsOf(entries: readonly Entry[], rules: ConductRules): ConductReport['limits'] {
  const used = new Map<string, { path: string; calls: number; perSecond: number; most: number }>();
  for (const entry of entries) {
    const limit = rules.limitOf(entry);
    if (limit === undefined) continue;
    const known = used.get(limit.path) ?? { ...limit, calls: 0, most: 0 };
    known.calls++;
    const taken =
      entry.status === TOO_MANY ? limit.perSecond : limit.perSecond - (entry.left ?? limit.perSecond);
    known.most = Math.max(known.most, taken);
    used.set(limit.path, known);
  }
  return [...used.values()]
    .sort((a, b) => b.most / b.perSecond - a.most / a.perSecond || (a.path < b.path ? -1 : 1))
    .map(({ path, calls, perSecond, most }) => ({
      path,
      calls,
      perSecond,
      percent: ratio(BigInt(Math.max(0, most)), BigInt(perSecond), 1, PERCENT),
    }));
}

/** Did the client learn nothing of what became of it? */
export function isUnclear(entry: Entry, rules: ConductRules): boolean {
  if (entry.unread || entry.status >= 500) return true;
  const { code } = verdictOf(entry);
  return code !== '' && rules.isUnknownOutcome(rules.codeOf(code));
}

function retriesOf(entries: readonly Entry[], rules: ConductRules): ConductReport['retries'] {
  const unclear = new Map<string, number>();
  const retries = { safe: 0, unsafe: 0 };
  for (const entry of entries) {
    if (entry.kind !== 'http' || !PLACES.test(pathOf(entry))) continue;
    const id = textOf(fieldsOf(entry.body).clientOid);
    const order = id === '' ? entry.body : id;
    const before = unclear.get(order);
    unclear.delete(order);
    if (before !== undefined && entry.atMs - before <= RETRY_WITHIN_MS)
      retries[id === '' ? 'unsafe' : 'safe']++;
    if (isUnclear(entry, rules)) unclear.set(order, entry.atMs);
  }
  return retries;
}

/** Calls for what a socket of the account was telling at that time. */
function pollsBesideStream(entries: readonly Entry[]): number {
  const topics = new Map<string, Set<string>>();
  let polls = 0;
  for (const entry of entries) {
    if (entry.kind === 'ws') follow(topics, entry);
    const topic = entry.method === 'GET' ? POLLED[pathOf(entry)] : undefined;
    if (topic !== undefined && [...topics.values()].some((followed) => followed.has(topic))) polls++;
  }
  return polls;
}

function follow(topics: Map<string, Set<string>>, { method, connection, body }: Entry): void {
  if (method === 'close') topics.delete(connection);
  if (method !== 'in') return;
  const { op, args } = fieldsOf(body);
  const followed = topics.get(connection) ?? new Set();
  for (const { topic } of itemsOf(args)) {
    if (op === 'subscribe') followed.add(textOf(topic));
    if (op === 'unsubscribe') followed.delete(textOf(topic));
  }
  topics.set(connection, followed);
}

function closing({ method, answer }: Entry) {
  return method === 'close' ? fieldsOf(answer) : {};
}

export function pathOf({ target }: Entry): string {
  return target.split('?', 1)[0]!;
}
