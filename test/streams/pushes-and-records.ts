/**
 * What the sockets of an account were told beside what HTTP keeps: every fill, the last word on every order and strategy
 * order, field by field, none missing and none twice.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SignedClient } from '../harness/signed-client.ts';
import type { Frame, StreamClient } from '../harness/stream-client.ts';

export const RECORD_TOPICS = ['order', 'fill', 'fast-fill', 'strategy-order'].map((topic) => ({
  instType: 'UTA',
  topic,
}));

const PAGE = 100;
const IDLE_LOOKS_MAX = 20_000;
const END: ReadonlySet<string> = new Set(['filled', 'cancelled']);
/** Beside an order over the socket and not in a list over HTTP. */
const SOCKET_ONLY = ['tradeSide', 'marginCoin', 'totalProfit', 'leverage'];

/** All records that one account's sockets, one after the other, were pushed of a topic. */
export function told(sockets: readonly StreamClient[], topic: string): Frame[] {
  return sockets.flatMap((socket) => socket.pushes(topic).flatMap(({ data }) => data));
}

/** Every page of a list. */
export async function pages(
  http: SignedClient,
  path: string,
  query: Record<string, string> = {},
): Promise<Frame[]> {
  const list: Frame[] = [];
  for (let cursor = ''; ; ) {
    const { code, msg, data } = await http.get(path, {
      ...query,
      limit: String(PAGE),
      ...(cursor !== '' && { cursor }),
    });
    assert.equal(code, '00000', `${path}: ${msg}`);
    const page: Frame[] = Array.isArray(data) ? data : (data.list ?? []);
    list.push(...page);
    if (Array.isArray(data) || page.length < PAGE) return list;
    cursor = data.cursor;
  }
}

/** A record of HTTP in the words of the socket (wire 5.4), as far as both have them. */
function worded(view: Frame, push: Frame): Frame {
  const futures = view.category.endsWith('FUTURES');
  const words = {
    ...view,
    category: view.category.toLowerCase(),
    ...(view.reduceOnly !== undefined && { reduceOnly: view.reduceOnly.toLowerCase() }),
    holdSide: futures && view.posSide === '' ? 'net' : view.posSide,
    execTime: view.createdTime,
    posMode: view.holdMode,
    newSize: view.qty,
    baseSize: view.cumExecQty,
    // Open orders have none over HTTP.
    cancelReason: view.cancelReason ?? '',
    ...(view.orderType === 'market' && view.orderStatus !== undefined && { price: '' }),
  };
  const names = Object.keys(push).filter((name) => !SOCKET_ONLY.includes(name));
  return Object.fromEntries(names.map((name) => [name, words[name]]));
}

function comparable(push: Frame): Frame {
  return Object.fromEntries(Object.entries(push).filter(([name]) => !SOCKET_ONLY.includes(name)));
}

const byId = (list: readonly Frame[], id: string): Frame[] =>
  [...list].sort((a, b) => (a[id] < b[id] ? -1 : 1));

function assertSame(pushes: readonly Frame[], views: readonly Frame[], id: string, what: string): void {
  const [left, right] = [byId(pushes, id), byId(views, id)];
  assert.deepEqual(
    left.map((push) => push[id]),
    right.map((view) => view[id]),
    `${what}: none missing, none twice`,
  );
  for (const [n, push] of left.entries()) {
    assert.deepEqual(comparable(push), worded(right[n], push), `${what} ${push[id]}`);
  }
}

/** Resolves when there are so many, or when no more come; what is missing then is told by name. */
async function caughtUp(count: () => number, wanted: number): Promise<void> {
  for (let seen = count(), idle = 0; seen < wanted && idle < IDLE_LOOKS_MAX; ) {
    await sleep(5);
    const now = count();
    idle = now === seen ? idle + 1 : 0;
    seen = now;
  }
}

/** The last word on each. */
const latest = (changes: readonly Frame[]): Frame[] => [
  ...new Map(changes.map((change) => [change.orderId, change])).values(),
];

export interface Counts {
  readonly fills: number;
  readonly orders: number;
  readonly orderChanges: number;
  readonly strategyOrders: number;
}

/** Everything that HTTP keeps of an account. */
export interface Kept {
  readonly fills: readonly Frame[];
  readonly orders: readonly Frame[];
  readonly strategies: readonly Frame[];
}

export async function kept(http: SignedClient, categories: readonly string[]): Promise<Kept> {
  const lists = async (path: string) =>
    (await Promise.all(categories.map((category) => pages(http, path, { category })))).flat();
  const fills = await pages(http, '/api/v3/trade/fills');
  const closed = await lists('/api/v3/trade/history-orders');
  const orders = [...closed, ...(await pages(http, '/api/v3/trade/unfilled-orders'))];
  const strategies = [
    ...(await lists('/api/v3/trade/history-strategy-orders')),
    ...(await lists('/api/v3/trade/unfilled-strategy-orders')),
  ];
  return { fills, orders, strategies };
}

/** What is there now and was not, or not so. */
function since(now: readonly Frame[], before: readonly Frame[], id: string): Frame[] {
  const texts = new Map(before.map((record) => [record[id], JSON.stringify(record)]));
  return now.filter((record) => texts.get(record[id]) !== JSON.stringify(record));
}

/**
 * `sockets` are those of the account, subscribed to `RECORD_TOPICS`, in the order they were open. With `before` they were
 * subscribed when HTTP kept that.
 */
export async function assertToldIsKept(
  http: SignedClient,
  sockets: readonly StreamClient[],
  categories: readonly string[],
  before: Kept = { fills: [], orders: [], strategies: [] },
): Promise<Counts> {
  const now = await kept(http, categories);
  const fills = since(now.fills, before.fills, 'execId');
  const orders = since(now.orders, before.orders, 'orderId');
  const strategies = since(now.strategies, before.strategies, 'orderId');
  const closed = orders.filter(({ orderStatus }) => END.has(orderStatus));
  // HTTP may be a moment ahead of the socket; whatever more comes after that comes before the answer to a ping.
  await caughtUp(() => {
    const ended = told(sockets, 'order').filter(({ orderStatus }) => END.has(orderStatus)).length;
    return told(sockets, 'fill').length + ended;
  }, fills.length + closed.length);
  await sockets.at(-1)!.answers();

  for (const { topic } of RECORD_TOPICS) {
    const actions = sockets.flatMap((socket) => socket.pushes(topic).map(({ action }) => action));
    assert.deepEqual(new Set(actions), new Set(actions.length === 0 ? [] : ['snapshot']), topic);
  }
  assertSame(told(sockets, 'fill'), fills, 'execId', 'fill');
  assertSame(told(sockets, 'fast-fill'), fills, 'execId', 'fast-fill');
  const changes = told(sockets, 'order');
  assertSame(latest(changes), orders, 'orderId', 'order');
  const strategyChanges = told(sockets, 'strategy-order');
  assertSame(latest(strategyChanges), strategies, 'orderId', 'strategy order');
  assertLives(changes, now.fills);
  for (const list of [changes, strategyChanges]) {
    assert.equal(new Set(list.map((change) => JSON.stringify(change))).size, list.length, 'none twice');
  }
  return {
    fills: fills.length,
    orders: orders.length,
    orderChanges: changes.length,
    strategyOrders: strategies.length,
  };
}

/** Told before the end came: each once, and all of it kept, whatever else happened that nobody could be told of. */
export function assertNothingUndone(
  sockets: readonly StreamClient[],
  { fills, orders, strategies }: Kept,
): void {
  for (const [topic, id, records] of [
    ['fill', 'execId', fills],
    ['fast-fill', 'execId', fills],
    ['order', 'orderId', orders],
    ['strategy-order', 'orderId', strategies],
  ] as const) {
    const known = new Map(records.map((record) => [record[id], record]));
    const pushed = told(sockets, topic);
    assert.equal(
      new Set(pushed.map((push) => JSON.stringify(push))).size,
      pushed.length,
      `${topic}: none twice`,
    );
    for (const push of pushed) {
      const record = known.get(push[id]);
      assert.ok(record !== undefined, `${topic} ${push[id]} was told and is gone`);
      assert.ok(
        Number(push.cumExecQty ?? 0) <= Number(record.cumExecQty ?? 0),
        `${topic} ${push[id]} shrank`,
      );
      if (END.has(push.orderStatus)) assert.equal(record.orderStatus, push.orderStatus);
    }
  }
}

/** Changes of an order come in the order they happened, and its end is the last of them. */
function assertLives(changes: readonly Frame[], fills: readonly Frame[]): void {
  const ended = new Set<string>();
  const executed = new Map<string, number>();
  for (const { orderId, cumExecQty, orderStatus } of changes) {
    assert.ok(!ended.has(orderId), `nothing is told of order ${orderId} after its end`);
    assert.ok(Number(cumExecQty) >= (executed.get(orderId) ?? 0), 'what is executed only grows');
    executed.set(orderId, Number(cumExecQty));
    if (END.has(orderStatus)) ended.add(orderId);
  }
  const filled = new Map<string, number>();
  for (const { orderId, execQty } of fills) filled.set(orderId, (filled.get(orderId) ?? 0) + Number(execQty));
  for (const [orderId, qty] of executed) {
    assert.equal(qty.toFixed(8), (filled.get(orderId) ?? 0).toFixed(8), `fills of order ${orderId} add up`);
  }
}
