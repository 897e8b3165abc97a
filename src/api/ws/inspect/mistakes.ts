/**
 * Mistakes that programs make again and again, found in what they sent: each kind once, with how often it happened and the
 * first entry that shows it. Only what the entries prove is named. Not to be known from here, and so left out: whether
 * a client has read an answer that was delivered.
 */
import type { KeyDirectory } from '../../../identity/identity.ts';
import { fieldsOf, itemsOf, parsed, textOf, verdictOf } from '../../../inspector/entry-summary.ts';
import type { Entry } from '../../../inspector/recorder.ts';
import type { Route } from '../../route.ts';
import { codeOf, isUnknownOutcome, parameterNames, routeOf } from './why.ts';

export interface Mistake {
  readonly kind: MistakeKind;
  /** What tells it from others of its kind: a call, a finding. */
  readonly subject: string;
  /** What to do about it. */
  readonly advice: string;
  readonly count: number;
  /** Ids of entries. */
  readonly first: number;
  readonly last: number;
}

export const MISTAKES = {
  signature: 'wrong signature',
  clock: 'clock off',
  retry: 'unknown outcome tried again without clientOid',
  closed: 'change of an order that is not open',
  polling: 'polling what a stream tells',
  limit: 'more than half of a limit used',
  parameters: 'unknown parameters',
  'old-path': 'path of an older version',
  unread: 'answer not waited for',
  silent: 'socket without pings',
} as const;
export type MistakeKind = keyof typeof MISTAKES;

type Found = Pick<Mistake, 'kind' | 'subject' | 'advice'>;

/** Calls that ask for what a private topic pushes. */
const POLLED: Readonly<Record<string, string>> = {
  '/api/v3/trade/unfilled-orders': 'order',
  '/api/v3/trade/order-info': 'order',
  '/api/v3/trade/fills': 'fill',
  '/api/v3/trade/unfilled-strategy-orders': 'strategy-order',
  '/api/v3/position/current-position': 'position',
  '/api/v3/account/assets': 'account',
};
/** So many of one call within so long are polling; fewer may be a start, or a person. */
const POLLS = 10;
const POLLING_MS = 10_000;
const RETRY_WITHIN_MS = 60_000;
/** The time within which a client must show that it is there (wire 5.1). */
const PING_SECONDS = 30;
const SILENT_SECONDS = 2 * PING_SECONDS;
const PLACES: ReadonlySet<string> = new Set([
  '/api/v3/trade/place-order',
  '/api/v3/trade/place-strategy-order',
]);
const CLOSED_CODES: ReadonlySet<string> = new Set(['25204', '25597', '25598']);
const CHANGES = /^\/api\/v3\/trade\/(?:batch-)?(?:modify|cancel)/;
const REMEMBERED_MAX = 1_000;

export class Mistakes {
  readonly #keys: KeyDirectory;
  readonly #groups = new Map<string, Mistake>();
  /** Times of the last polls, by key and path. */
  readonly #polls = new Map<string, number[]>();
  /** When an order got no clear answer, by key and body. */
  readonly #unclear = new Map<string, number>();

  constructor(keys: KeyDirectory) {
    this.#keys = keys;
  }

  get list(): readonly Mistake[] {
    return [...this.#groups.values()];
  }

  /** True when the entry shows a mistake. */
  note(entry: Entry): boolean {
    const found = entry.kind === 'http' ? this.#inCall(entry) : inFrame(entry);
    for (const each of found) this.#count(each, entry.id);
    return found.length > 0;
  }

  #count({ kind, subject, advice }: Found, id: number): void {
    const name = `${kind} ${subject}`;
    const known = this.#groups.get(name);
    // Subjects are few in honest traffic; others must not fill the memory.
    if (known === undefined && this.#groups.size >= REMEMBERED_MAX) return;
    this.#groups.set(name, {
      kind,
      subject,
      advice,
      count: (known?.count ?? 0) + 1,
      first: known?.first ?? id,
      last: id,
    });
  }

  #inCall(entry: Entry): Found[] {
    const path = entry.target.split('?', 1)[0]!;
    const { code: sent, msg } = verdictOf(entry);
    const code = codeOf(sent);
    const route = routeOf(entry);
    const found = [
      refusedSign(entry, code, msg),
      this.#retry(entry, path, code),
      closedOrder(path, code),
      this.#poll(entry, path),
      overHalf(entry, route, this.#keys),
      oldPath(entry, path, code),
      unread(entry, path),
      ...unknownParameters(entry, route),
    ];
    return found.filter((each) => each !== undefined);
  }

  #retry({ apiKey, body, atMs }: Entry, path: string, code: string): Found | undefined {
    if (!PLACES.has(path) || textOf(fieldsOf(body).clientOid) !== '') return undefined;
    const order = `${apiKey} ${path} ${body}`;
    const before = this.#unclear.get(order);
    this.#unclear.delete(order);
    if (isUnknownOutcome(code)) remember(this.#unclear, order, atMs);
    if (before === undefined || atMs - before > RETRY_WITHIN_MS) return undefined;
    return {
      kind: 'retry',
      subject: path,
      advice: 'give each order a clientOid and ask for it before sending it again: both may be there now',
    };
  }

  #poll({ apiKey, method, atMs }: Entry, path: string): Found | undefined {
    const topic = method === 'GET' && Object.hasOwn(POLLED, path) ? POLLED[path] : undefined;
    if (topic === undefined) return undefined;
    const name = `${apiKey} ${path}`;
    const times = [...(this.#polls.get(name) ?? []), atMs].slice(-POLLS);
    remember(this.#polls, name, times);
    if (times.length < POLLS || atMs - times[0]! > POLLING_MS) return undefined;
    return {
      kind: 'polling',
      subject: path,
      advice: `subscribe to the topic ${topic} of /v3/ws/private; ask once at the start and after each reconnect`,
    };
  }
}

function remember<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
  if (map.size > REMEMBERED_MAX) map.delete(map.keys().next().value!);
}

function refusedSign({ finding }: Pick<Entry, 'finding'>, code: string, msg: string): Found | undefined {
  if (code === '40009')
    return {
      kind: 'signature',
      subject: finding?.text ?? 'the signature does not match',
      advice: 'sign the text that the entry shows, with the secret of this key, in Base64',
    };
  if (code !== '40008' || msg.includes('received before')) return undefined;
  const seconds = msg.includes('looks like seconds');
  const [, , way = ''] = /is ([\d.]+) s (ahead of|behind)/.exec(msg) ?? [];
  return {
    kind: 'clock',
    subject: seconds ? 'seconds for milliseconds' : `this clock is ${way} that of the exchange`,
    advice: seconds
      ? 'send Unix time in milliseconds'
      : `set the clock, or sign with /api/v3/public/time; at first ${/[\d.]+ s/.exec(msg)?.[0] ?? ''} off`,
  };
}

function closedOrder(path: string, code: string): Found | undefined {
  if (!CLOSED_CODES.has(code) || !CHANGES.test(path)) return undefined;
  return {
    kind: 'closed',
    subject: path,
    advice: 'follow the topic order, and change only orders that it shows as open',
  };
}

function overHalf(
  { left, status, apiKey }: Entry,
  route: Route | undefined,
  keys: KeyDirectory,
): Found | undefined {
  if (route === undefined || left === undefined || status === 429) return undefined;
  // The limit of an account with a quota is another, and limits of a few have no half.
  if (route.orders && keys.findKey(apiKey)?.user.quotas !== undefined) return undefined;
  if (route.perSecond < 4 || left >= Math.floor(route.perSecond / 2)) return undefined;
  return {
    kind: 'limit',
    subject: route.path,
    advice: `of ${route.perSecond} a second; spread the calls, or send several in one where there is a batch`,
  };
}

function oldPath({ method }: Entry, path: string, code: string): Found | undefined {
  if (code !== '40404' || !/^\/api\/(?:v[12]\/|[a-z]+\/v[12]\/)/.test(path)) return undefined;
  return {
    kind: 'old-path',
    subject: `${method} ${path.slice(0, 120)}`,
    advice: 'use the path of version 3, which the answer names where there is one',
  };
}

function unread({ unread: isUnread }: Entry, path: string): Found | undefined {
  if (!isUnread) return undefined;
  return {
    kind: 'unread',
    subject: path,
    advice: 'the client left before the answer: wait longer, and ask what became of it before trying again',
  };
}

function unknownParameters({ target, body }: Entry, route: Route | undefined): Found[] {
  if (route === undefined) return [];
  const known = new Set(parameterNames(route));
  const question = target.indexOf('?');
  const query = question < 0 ? [] : [...new URLSearchParams(target.slice(question + 1)).keys()];
  const sent = new Set([...query, ...itemsOf(parsed(body)).flatMap((item) => Object.keys(item))]);
  return [...sent]
    .filter((name) => !known.has(name) && !name.startsWith('('))
    .slice(0, 8)
    .map((name) => ({
      kind: 'parameters',
      subject: `${name.slice(0, 40)} in ${route.path}`,
      advice: `it is ignored; the call knows ${[...known].join(', ') || 'none'}`,
    }));
}

function inFrame(entry: Entry): Found[] {
  if (entry.method === 'out') {
    const { code, msg } = verdictOf(entry);
    const wrong = code === '' ? undefined : refusedSign(entry, codeOf(code), msg);
    return wrong === undefined ? [] : [wrong];
  }
  if (entry.method !== 'close') return [];
  const { pings, seconds, stalled } = fieldsOf(entry.answer);
  const found: Found[] = [];
  if (pings === 0 && Number(seconds) >= SILENT_SECONDS)
    found.push({
      kind: 'silent',
      subject: entry.target,
      advice: `send the text ping every ${PING_SECONDS} seconds, and connect again when no pong comes`,
    });
  if (stalled === true)
    found.push({
      kind: 'unread',
      subject: entry.target,
      advice: 'the socket was ended because its client did not read: read faster, or follow fewer topics',
    });
  return found;
}
