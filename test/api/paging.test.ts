/** 240 open orders, 245 closed ones and 240 fills, read back in pages of 100: no gap, no repeat, newest first (rules 8.4). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Order, Trade } from 'ccxt';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { type CcxtClient, ccxtClient, type SdkClient, sdkClient } from './clients.ts';

const FILLED = 240;
const CANCELLED = 5;
const OPEN = 240;

let server: TestServer;
let ccxt: CcxtClient;
let alice: SdkClient;
let bob: SdkClient;
/** Ids in the order of placing. */
const filledIds: string[] = [];
const cancelledIds: string[] = [];
const openIds: string[] = [];
let ask: string;

type BatchOrder = Parameters<SdkClient['placeBatchOrders']>[0][number];

async function placeAll(client: SdkClient, orders: readonly BatchOrder[]): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < orders.length; n += 20) {
    const { data } = await client.placeBatchOrders(orders.slice(n, n + 20));
    for (const { orderId, msg } of data) assert.ok(orderId, msg);
    ids.push(...data.map(({ orderId }) => orderId));
  }
  return ids;
}

const times = <T>(count: number, each: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => each(n));

// Filling a history quickly is not what the limits are for.
before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
  alice = sdkClient(server.url, server.account('alice'));
  bob = sdkClient(server.url, server.account('bob'));
  ccxt = ccxtClient(server.url, server.account('alice'), { enableRateLimit: false });
  await ccxt.loadMarkets();

  const order = { category: 'SPOT', symbol: 'XRPUSDT', side: 'buy', orderType: 'limit' } as const;
  const offer = { ...order, side: 'sell', qty: '1000', price: '2.2' } as const;
  ask = (await bob.submitNewOrder(offer)).data.orderId;
  // Every third order is in another book, so that filters have something to leave out.
  const symbolOf = (n: number) =>
    n % 3 === 2 ? { symbol: 'DOGEUSDT', price: '0.17', qty: '10' } : { price: '2.1', qty: '1' };
  openIds.push(
    ...(await placeAll(
      alice,
      times(OPEN / 2, (n) => ({ ...order, ...symbolOf(n) })),
    )),
  );
  filledIds.push(
    ...(await placeAll(
      alice,
      times(FILLED, () => ({ ...order, qty: '1', price: '2.2' })),
    )),
  );
  openIds.push(
    ...(await placeAll(
      alice,
      times(OPEN / 2, (n) => ({ ...order, ...symbolOf(n) })),
    )),
  );
  cancelledIds.push(
    ...(await placeAll(
      alice,
      times(CANCELLED, () => ({ ...order, qty: '2', price: '2.15' })),
    )),
  );
  await alice.cancelBatchOrders(
    cancelledIds.map((orderId) => ({ orderId, category: 'SPOT', symbol: 'XRPUSDT' })),
  );
});

after(() => server.stop());

interface Page<T> {
  readonly list: T[];
  readonly cursor: string;
}

/** Reads until a page is empty, and checks on the way what must hold for every page. */
async function readAll<T>(
  read: (cursor: { cursor?: string }) => Promise<{ data: { list: T[]; cursor: string } }>,
  id: (row: T) => string,
): Promise<{ ids: string[]; sizes: number[] }> {
  const ids: string[] = [];
  const sizes: number[] = [];
  for (let from = {}; ; ) {
    const { list, cursor }: Page<T> = (await read(from)).data;
    sizes.push(list.length);
    if (list.length === 0) {
      assert.equal(cursor, '');
      return { ids, sizes };
    }
    ids.push(...list.map(id));
    assert.equal(cursor, ids.at(-1), 'the cursor is the smallest id of the page');
    from = { cursor };
  }
}

const newestFirst = (ids: readonly string[]) => [...ids].sort().reverse();

test('open orders come in three pages, each order once, newest first', async () => {
  const { ids, sizes } = await readAll(
    (cursor) => alice.getUnfilledOrders({ category: 'SPOT', ...cursor }),
    ({ orderId }) => orderId,
  );
  assert.deepEqual(sizes, [100, 100, 40, 0]);
  assert.deepEqual(ids, newestFirst(openIds));
});

test('the history comes in three pages, each order once, newest first', async () => {
  const { ids, sizes } = await readAll(
    (cursor) => alice.getHistoryOrders({ category: 'SPOT', ...cursor }),
    ({ orderId }) => orderId,
  );
  assert.deepEqual(sizes, [100, 100, 45, 0]);
  assert.deepEqual(ids, newestFirst([...filledIds, ...cancelledIds]));
});

test('fills come in three pages, each fill once, newest first', async () => {
  const orders: string[] = [];
  const { ids, sizes } = await readAll(
    (cursor) => alice.getTradeFills(cursor),
    ({ execId, orderId }) => {
      orders.push(orderId);
      return execId;
    },
  );
  assert.deepEqual(sizes, [100, 100, 40, 0]);
  assert.deepEqual(ids, newestFirst([...new Set(ids)]));
  assert.deepEqual(orders, newestFirst(filledIds));
});

test('orders that are placed and closed while somebody pages are neither missed nor seen twice', async () => {
  const first = (await alice.getUnfilledOrders({ limit: '50' })).data;
  const late = { category: 'SPOT', symbol: 'XRPUSDT', side: 'buy', orderType: 'limit' } as const;
  const { orderId } = (await alice.submitNewOrder({ ...late, qty: '3', price: '2.12' })).data;
  const { ids } = await readAll(
    (cursor) => alice.getUnfilledOrders({ cursor: first.cursor, ...cursor }),
    (order) => order.orderId,
  );
  assert.deepEqual([...first.list.map((order) => order.orderId), ...ids], newestFirst(openIds));
  await alice.cancelOrder({ orderId });
  cancelledIds.push(orderId);
});

/** ccxt sorts a page by time, so its user takes the smallest id for the next one. The rows come back by id. */
async function ccxtAll<T extends Order | Trade>(read: (cursor: object) => Promise<T[]>): Promise<T[]> {
  const rows: T[] = [];
  for (let page = await read({}); page.length > 0; page = await read({ cursor: rows.at(-1)!.id })) {
    rows.push(...page.toSorted((a, b) => (a.id! < b.id! ? 1 : -1)));
  }
  return rows.reverse();
}

const idOf = ({ id }: { id?: string | undefined }) => id;

test('ccxt pages through open orders, history and fills by the cursor', async () => {
  const open = await ccxtAll((cursor) => ccxt.fetchOpenOrders(undefined, undefined, 100, cursor));
  assert.deepEqual(open.map(idOf), openIds.toSorted());
  const history = await ccxtAll((cursor) =>
    ccxt.fetchCanceledAndClosedOrders('XRP/USDT', undefined, undefined, cursor),
  );
  assert.deepEqual(history.map(idOf), [...filledIds, ...cancelledIds].sort());
  const fills = await ccxtAll((cursor) => ccxt.fetchMyTrades('XRP/USDT', undefined, 100, cursor));
  assert.deepEqual(
    fills.map(({ order }) => order),
    filledIds,
  );
  assert.ok(
    fills.every(
      ({ price, amount, takerOrMaker }) => price === 2.2 && amount === 1 && takerOrMaker === 'taker',
    ),
  );
});

test('a symbol filter leaves the other books out, page by page', async () => {
  for (const symbol of ['XRPUSDT', 'DOGEUSDT']) {
    const { ids } = await readAll(
      (cursor) => alice.getUnfilledOrders({ symbol, limit: '70', ...cursor }),
      (order) => {
        assert.equal(order.symbol, symbol);
        return order.orderId;
      },
    );
    assert.equal(ids.length, symbol === 'XRPUSDT' ? 160 : 80);
  }
  assert.equal((await ccxt.fetchOpenOrders('DOGE/USDT')).length, 80);
  assert.deepEqual((await alice.getHistoryOrders({ category: 'SPOT', symbol: 'DOGEUSDT' })).data.list, []);
});

test('a category without orders is empty, and no category means all', async () => {
  for (const category of ['MARGIN', 'USDT-FUTURES'] as const) {
    assert.deepEqual((await alice.getUnfilledOrders({ category })).data, { list: [], cursor: '' });
    assert.deepEqual((await alice.getHistoryOrders({ category })).data, { list: [], cursor: '' });
    assert.deepEqual((await alice.getTradeFills({ category })).data, { list: [], cursor: '' });
  }
  assert.equal((await alice.getUnfilledOrders()).data.list.length, 100);
  assert.equal((await alice.getTradeFills({ category: 'SPOT' })).data.list.length, 100);
});

test('times bound a list on both ends, inclusive', async () => {
  const [newest] = (await alice.getTradeFills({ limit: '1' })).data.list;
  const at = newest!.createdTime;
  const exact = (await alice.getTradeFills({ startTime: at, endTime: at })).data.list;
  assert.ok(exact.length > 0);
  assert.ok(exact.every(({ createdTime }) => createdTime === at));
  const after = (await alice.getTradeFills({ startTime: String(Number(at) + 1) })).data.list;
  assert.deepEqual(after, []);

  const middle = (await alice.getOrderInfo({ orderId: filledIds[100]! })).data;
  const since = Number(middle.createdTime);
  const history = await ccxtAll((cursor) =>
    ccxt.fetchCanceledAndClosedOrders('XRP/USDT', since, undefined, cursor),
  );
  assert.ok(history.every(({ timestamp }) => timestamp! >= since));
  assert.equal(history.map(idOf).includes(filledIds[100]), true);
  const before = await ccxtAll((cursor) =>
    ccxt.fetchCanceledAndClosedOrders('XRP/USDT', undefined, undefined, { until: since - 1, ...cursor }),
  );
  assert.equal(before.length + history.length, filledIds.length + cancelledIds.length);
});

test('the fills of one order are all of it and nothing else', async () => {
  const { ids } = await readAll(
    (cursor) => bob.getTradeFills({ orderId: ask, ...cursor }),
    ({ execId }) => execId,
  );
  assert.equal(ids.length, FILLED);
  const order = (await bob.getOrderInfo({ orderId: ask })).data;
  assert.deepEqual(
    [order.cumExecQty, order.cumExecValue, order.orderStatus],
    ['240', '528', 'partially_filled'],
  );
  assert.deepEqual(order.feeDetail, [{ feeCoin: 'USDT', fee: '0.528' }]);
  const [one] = (await alice.getTradeFills({ orderId: filledIds[7]! })).data.list;
  assert.equal(one!.orderId, filledIds[7]);
});

test('a history query of more than 30 days or from more than 90 days ago is refused', async () => {
  const day = 86_400_000;
  const now = Date.now();
  for (const [startTime, endTime] of [
    [now - 31 * day, now],
    [now - 91 * day, now - 80 * day],
  ] as const) {
    const query = { category: 'SPOT', startTime: String(startTime), endTime: String(endTime) } as const;
    await assert.rejects(alice.getHistoryOrders(query), (error: { body: { code: string } }) => {
      assert.equal(error.body.code, '40017');
      return true;
    });
  }
});
