/** Interface 4.2 with its objects (interface 2.1 to 2.3): what an account's orders and fills look like, and which a query returns. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { CATEGORIES, FUTURES } from './objects.ts';
import {
  type Caller,
  COIN,
  type ContractVenue,
  DAY_MS,
  type Data,
  LINEAR,
  limit,
  type Order,
  PAST_MS,
  SPOT,
  USDC,
} from './venue.ts';

const ids = (rows: Data[]): string[] => rows.map(({ orderId }) => orderId);
const place = async (who: Caller, order: Order): Promise<string> =>
  (await who.post('trade/place-order', order)).orderId;

/** One order of each time in force, type and self-trade mode, ended in each way; two rest, one of them part filled. */
async function everyKindOfOrder({ alice, maker }: ContractVenue): Promise<void> {
  const sell = (qty: string, price: string, more: Record<string, string> = {}) =>
    place(maker, limit(SPOT, 'sell', qty, price, more));
  await sell('0.01', '60500');
  await place(alice, limit(SPOT, 'buy', '0.02', '60500', { timeInForce: 'ioc' }));
  await place(alice, limit(SPOT, 'buy', '0.02', '60500', { timeInForce: 'fok' }));
  await sell('0.01', '60500');
  await place(alice, limit(SPOT, 'buy', '0.02', '60500', { timeInForce: 'post_only' }));
  await place(maker, limit(SPOT, 'buy', '0.01', '58000', { timeInForce: 'rpi' }));
  await place(alice, { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'market', qty: '605' });
  for (const stpMode of ['cancel_taker', 'cancel_maker', 'cancel_both']) {
    await place(alice, limit(SPOT, 'sell', '0.001', '60600'));
    await place(alice, limit(SPOT, 'buy', '0.001', '60600', { stpMode }));
    await alice.post('trade/cancel-symbol-order', { category: 'SPOT', symbol: 'BTCUSDT' });
  }
  await sell('0.01', '60500');
  await place(alice, limit(SPOT, 'buy', '0.02', '60500', { clientOid: 'part-filled' }));
  await place(alice, limit(SPOT, 'buy', '0.01', '59500', { clientOid: 'waiting' }));
}

export function tradingQueries(venue: ContractVenue): void {
  const { alice, bob } = venue;

  describe('interface 4.2: trading queries', () => {
    before(async () => {
      await everyKindOfOrder(venue);
      for (const where of [LINEAR, COIN, USDC]) await place(alice, limit(where, 'buy', '0.01', '59000'));
    });

    it('interface 2.1, 4.2 unfilled-orders: unfilled and partially filled orders, every field, none of the three that are omitted', async () => {
      const { list, cursor } = await alice.get('trade/unfilled-orders');
      assert.deepEqual(new Set(list.map(({ category }: Data) => category)), new Set(['SPOT', ...FUTURES]));
      assert.equal(cursor, ids(list).at(-1), 'interface 4.2: the cursor is the smallest orderId of the page');
      const byName = (oid: string) => list.find(({ clientOid }: Data) => clientOid === oid);
      assert.equal(byName('waiting').orderStatus, 'new');
      const part = byName('part-filled');
      assert.deepEqual(
        [part.orderStatus, part.qty, part.cumExecQty, part.cumExecValue, part.avgPrice],
        ['partially_filled', '0.02', '0.01', '605', '60500'],
      );
      assert.deepEqual(part.feeDetail, [{ feeCoin: 'BTC', fee: '0.00001' }], 'interface 2.1: the total fee');
      assert.deepEqual(byName('waiting').feeDetail, []);
    });

    it('interface 4.2 unfilled-orders: category, symbol, startTime and endTime choose', async () => {
      const of = async (query: Record<string, string>) =>
        (await alice.get('trade/unfilled-orders', query)).list;
      for (const category of ['SPOT', ...FUTURES]) {
        const list = await of({ category });
        assert.ok(list.length > 0 && list.every((order: Data) => order.category === category), category);
        const mode = category === 'SPOT' ? '' : 'crossed';
        assert.ok(
          list.every((order: Data) => order.marginMode === mode),
          'interface 2.1: marginMode only of futures, crossed unless asked for',
        );
      }
      assert.ok((await of({ symbol: 'BTCPERP' })).every(({ symbol }: Data) => symbol === 'BTCPERP'));
      assert.deepEqual(await of({ endTime: venue.ago(DAY_MS) }), []);
      assert.deepEqual(await of({ startTime: venue.ago(-DAY_MS) }), []);
      assert.match(
        (await alice.refusedGet('trade/unfilled-orders', { category: 'OPTIONS' })).msg,
        /category/,
      );
    });

    it('interface 1.5, 4.2: pages follow the cursor to older orders, none twice, none left out', async () => {
      for (const path of ['trade/unfilled-orders', 'trade/history-orders', 'trade/fills']) {
        const category = path === 'trade/history-orders' ? { category: 'SPOT' } : {};
        const key = path === 'trade/fills' ? 'execId' : 'orderId';
        const whole: Data[] = (await alice.get(path, category)).list;
        const paged: Data[] = [];
        for (let cursor = ''; ; ) {
          const page = await alice.get(path, { ...category, limit: '2', ...(cursor !== '' && { cursor }) });
          if (page.list.length === 0) {
            assert.equal(page.cursor, '');
            break;
          }
          assert.ok(page.list.length <= 2);
          paged.push(...page.list);
          cursor = page.cursor;
        }
        assert.deepEqual(
          paged.map((row) => row[key]),
          whole.map((row) => row[key]),
          `interface 1.5: ${path}`,
        );
        assert.ok(whole.length > 2, path);
      }
    });

    it('interface 2.1, 4.2 history-orders: filled and cancelled orders with how they ended', async () => {
      for (const category of ['SPOT', ...FUTURES]) {
        const { list } = await alice.get('trade/history-orders', { category });
        assert.ok(list.length > 0, category);
        for (const order of list) {
          assert.equal(order.category, category);
          assert.ok(['filled', 'cancelled'].includes(order.orderStatus), 'interface 3: only closed orders');
          assert.equal(
            order.cancelReason === '',
            order.orderStatus === 'filled',
            'interface 2.1: cancelReason',
          );
        }
      }
      const { list } = await alice.get('trade/history-orders', { category: 'SPOT', symbol: 'ETHUSDT' });
      assert.deepEqual(list, []);
      assert.match((await alice.refusedGet('trade/history-orders')).msg, /category/);
    });

    it('interface 4.2: without times the last 30 days are queried, with times any 30 of the last 90', async () => {
      const window = { startTime: venue.ago(PAST_MS + DAY_MS), endTime: venue.ago(PAST_MS - DAY_MS) };
      const recent = await alice.get('trade/history-orders', { category: 'SPOT' });
      const earlier = await alice.get('trade/history-orders', { category: 'SPOT', ...window });
      assert.ok(recent.list.every((order: Data) => order.createdTime > window.endTime));
      assert.equal(earlier.list.length, 2);
      assert.equal(earlier.list[0].clientOid, 'long-ago');
      assert.equal((await alice.get('trade/fills', { category: 'SPOT', ...window })).list.length, 1);
      assert.ok(
        (await alice.get('trade/fills')).list.every((fill: Data) => fill.createdTime > window.endTime),
      );
      // An end in the future with no start asks for the last 30 days too.
      const endTime = venue.ago(-100 * DAY_MS);
      const until = await alice.get('trade/history-orders', { category: 'SPOT', endTime });
      assert.deepEqual(until, recent, 'interface 4.2: endTime in the future');
    });

    it('interface 2.1, 4.2 order-info: one order, open or closed, with all fields', async () => {
      const open = await alice.get('trade/order-info', { clientOid: 'waiting' });
      assert.equal(open.cancelReason, '');
      for (const category of ['SPOT', ...FUTURES]) {
        const { list } = await alice.get('trade/history-orders', { category });
        for (const { orderId } of list.slice(0, 20)) {
          const order = await alice.get('trade/order-info', { orderId });
          assert.equal(order.orderId, orderId);
        }
      }
    });

    it('interface 4.2 order-info: one id must be given; orderId wins; an order of somebody else is not found', async () => {
      const { orderId } = await alice.get('trade/order-info', { clientOid: 'waiting' });
      const both = await alice.get('trade/order-info', { orderId, clientOid: 'part-filled' });
      assert.equal(both.clientOid, 'waiting');
      const mismatch = await alice.get('trade/order-info', { orderId, clientOid: 'no-such-order' });
      assert.equal(mismatch.orderId, orderId);
      assert.match((await alice.refusedGet('trade/order-info')).msg, /orderId or clientOid/);
      assert.equal((await bob.refusedGet('trade/order-info', { orderId })).code, '25204');
      assert.equal((await alice.refusedGet('trade/order-info', { orderId: '1' })).code, '25204');
      await alice.get('trade/order-info', { clientOid: 'long-ago' });
      const capitals = await alice.refusedGet('trade/order-info', { clientOid: 'LONG-AGO' });
      assert.equal(capitals.code, '25204', 'interface 2.1: clientOid is the client’s own, to the letter');
    });

    it('interface 2.2, 4.2 fills: every category, every field, taker and maker', async () => {
      for (const who of [alice, venue.maker]) await who.get('trade/fills');
      for (const category of ['SPOT', ...FUTURES]) {
        const { list } = await alice.get('trade/fills', { category });
        assert.ok(list.length > 0 && list.every((fill: Data) => fill.category === category), category);
      }
      // What each of them is told is held against what the public sees (`memory.ts`).
      for (const [category, symbol] of [LINEAR, COIN, USDC]) {
        await venue.nobody.get('market/fills', { category, symbol });
        await venue.maker.get('trade/fills', { category });
      }
      const { list } = await alice
        .get('trade/order-info', { clientOid: 'part-filled' })
        .then(({ orderId }) => alice.get('trade/fills', { orderId }));
      const [{ execPrice, execQty, execValue, tradeScope, feeDetail }] = list;
      assert.deepEqual([execPrice, execQty, execValue, tradeScope], ['60500', '0.01', '605', 'taker']);
      assert.deepEqual(feeDetail, [{ feeCoin: 'BTC', fee: '0.00001' }]);
      assert.deepEqual((await alice.get('trade/fills', { startTime: venue.ago(-1000) })).list, []);
      const impossible = await alice.get('trade/fills', { orderId: '1' });
      assert.deepEqual(impossible.list, [], 'interface 4.2: an id that no order has');
    });

    it('interface 2.2: both sides of a trade and the public fill share execLinkId', async () => {
      await venue.trade(bob, limit(['SPOT', 'SOLUSDT'], 'buy', '0.3', '150'));
      const newest = async (who: Caller): Promise<Data> =>
        (await who.get('trade/fills', { limit: '1' })).list[0];
      const [own, other] = [await newest(bob), await newest(venue.maker)];
      const [seen] = await venue.nobody.get('market/fills', { category: 'SPOT', symbol: 'SOLUSDT' });
      assert.deepEqual([own.execLinkId, other.execLinkId], [seen.execLinkId, seen.execLinkId]);
      assert.equal(new Set([own.execId, other.execId]).size, 2, 'interface 2.2: execId is of one side');
      assert.equal(seen.execId, own.execId, 'interface 2.9: the public sees the side that took');
      assert.deepEqual([own.tradeScope, other.tradeScope], ['taker', 'maker']);
      assert.deepEqual(
        [own.feeDetail[0].feeCoin, other.feeDetail[0].feeCoin],
        ['SOL', 'USDT'],
        'interface 2.2: each pays in the coin it has received',
      );
      assert.equal(own.createdTime, seen.ts);
    });

    it('interface 2.2: a fill that closes tells its profit, one that opens none', async () => {
      const trader = await venue.small('profits', '5000');
      await venue.trade(trader, limit(LINEAR, 'buy', '0.02', '60000'));
      await venue.trade(trader, limit(LINEAR, 'sell', '0.01', '61000'));
      const [closed, opened] = (await trader.get('trade/fills', { category: 'USDT-FUTURES' })).list;
      assert.deepEqual(
        [closed.tradeSide, closed.execPnl, closed.execValue, closed.feeDetail],
        ['close', '10', '610', [{ feeCoin: 'USDT', fee: '0.366' }]],
        '0.01 * (61000 - 60000), and 0.06 % of 610',
      );
      assert.deepEqual([opened.tradeSide, opened.execPnl], ['open', '0']);
      const [order] = (await trader.get('trade/history-orders', { category: 'USDT-FUTURES' })).list;
      assert.deepEqual(
        [order.orderId, order.avgPrice, order.cumExecQty, order.cumExecValue, order.feeDetail],
        [closed.orderId, '61000', '0.01', '610', closed.feeDetail],
        'interface 2.1',
      );
      assert.deepEqual([order.createdTime, order.updatedTime], [String(venue.now()), String(venue.now())]);
    });

    it('interface 2.3, 4.2 history-strategy-orders: category is required, all five and both types are taken', async () => {
      for (const category of CATEGORIES) {
        await alice.get('trade/history-strategy-orders', { category });
      }
      for (const type of ['tpsl', 'trigger']) {
        await alice.get('trade/history-strategy-orders', { category: 'USDT-FUTURES', type });
      }
      assert.match((await alice.refusedGet('trade/history-strategy-orders')).msg, /category/);
      const odd = { category: 'USDT-FUTURES', type: 'oco' };
      assert.match((await alice.refusedGet('trade/history-strategy-orders', odd)).msg, /type/);
    });

    it('interface 2.1, 2.2: margin orders and fills', async () => {
      // Spot and margin orders of a symbol share a book: this one is empty.
      const where = ['MARGIN', 'ETHUSDT'] as const;
      await venue.trade(alice, limit(where, 'buy', '0.01', '2500'));
      await place(alice, limit(where, 'buy', '0.01', '2400'));
      const open = (await alice.get('trade/unfilled-orders', { category: 'MARGIN' })).list;
      assert.equal(open.length, 1);
      const past = (await alice.get('trade/history-orders', { category: 'MARGIN' })).list;
      assert.equal(past.length, 1);
      assert.equal((await alice.get('trade/fills', { category: 'MARGIN' })).list.length, 1);
      const cancelled = await alice.post('trade/cancel-symbol-order', { category: 'MARGIN' });
      assert.equal(cancelled.list.length, 1);
    });

    it('interface 2.1, 4.2 unfilled-orders: a partially filled order of every category tells what it has cost', async () => {
      for (const where of [['MARGIN', 'ETHUSDT'], LINEAR, COIN, USDC] as const) {
        const price = where[0] === 'MARGIN' ? '2500' : '59500';
        const orderId = await place(alice, limit(where, 'buy', '0.02', price));
        await place(venue.maker, limit(where, 'sell', '0.01', price));
        const { list } = await alice.get('trade/unfilled-orders', { category: where[0] });
        const open = list.find((order: Data) => order.orderId === orderId);
        const { orderStatus, cumExecQty, avgPrice, feeDetail } = open;
        assert.deepEqual(
          [orderStatus, cumExecQty, avgPrice, feeDetail.length],
          ['partially_filled', '0.01', price, 1],
          `interface 2.1: ${where[0]}`,
        );
        await alice.post('trade/cancel-order', { orderId });
      }
    });
  });
}
