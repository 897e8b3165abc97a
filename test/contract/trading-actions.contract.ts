/** Interface 4.3 with the conditions of interface 3 and the rejections of interface 7: cancelling and modifying. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { converse, requestBytes } from '../security/hostile/raw-http.ts';
import { CATEGORIES, ORDER_FAILURE, ORDER_IDS } from './objects.ts';
import { conforms } from './shape.ts';
import {
  type Caller,
  COIN,
  type ContractVenue,
  type Data,
  LINEAR,
  limit,
  type Order,
  SPOT,
  USDC,
} from './venue.ts';

const NO_SUCH_ORDER = '1000000000999999999';
const ETH = ['SPOT', 'ETHUSDT'] as const;

export function tradingActions(venue: ContractVenue): void {
  const { bot, maker, alice } = venue;
  const place = async (order: Order, who: Caller = bot): Promise<string> =>
    (await who.post('trade/place-order', order)).orderId;
  const waiting = (more: Record<string, string> = {}) => place(limit(SPOT, 'buy', '0.01', '59000', more));
  const statusOf = async (orderId: string) => (await bot.get('trade/order-info', { orderId })).orderStatus;
  const amend = (...items: object[]): Promise<Data[]> => bot.post('trade/batch-modify-order', items);

  describe('interface 4.3: trading actions', () => {
    beforeEach(async () => {
      for (const category of CATEGORIES) await bot.post('trade/cancel-symbol-order', { category });
      for (const who of [maker, alice]) await who.post('trade/cancel-symbol-order', { category: 'SPOT' });
    });

    it('interface 4.3 cancel-order: by orderId or clientOid, orderId wins, category is optional', async () => {
      const first = await waiting({ clientOid: 'first' });
      const second = await waiting({ clientOid: 'second' });
      const cancelled = await bot.post('trade/cancel-order', { orderId: first, clientOid: 'second' });
      conforms(ORDER_IDS, cancelled);
      assert.deepEqual(cancelled, { orderId: first, clientOid: 'first' });
      assert.deepEqual([await statusOf(first), await statusOf(second)], ['cancelled', 'new']);
      await bot.post('trade/cancel-order', { clientOid: 'second', category: 'SPOT' });
      assert.equal(await statusOf(second), 'cancelled');
      for (const where of [LINEAR, COIN, USDC]) {
        const orderId = await place(limit(where, 'buy', '0.01', '59000'));
        await bot.post('trade/cancel-order', { orderId, category: where[0] });
      }
    });

    it('interface 4.3 cancel-order: one id is required, and the category must be the order’s', async () => {
      assert.match((await bot.refusedPost('trade/cancel-order', {})).msg, /orderId or clientOid/);
      const orderId = await waiting();
      assert.equal(
        (await bot.refusedPost('trade/cancel-order', { orderId, category: 'USDT-FUTURES' })).code,
        '25204',
      );
      assert.match(
        (await bot.refusedPost('trade/cancel-order', { orderId, category: 'NONE' })).msg,
        /category/,
      );
      assert.equal(await statusOf(orderId), 'new');
    });

    it('interface 3: an unfilled or partially filled order is cancelled, a closed one is not', async () => {
      const orderId = await waiting();
      await place(limit(SPOT, 'sell', '0.004', '59000'), maker);
      assert.equal(await statusOf(orderId), 'partially_filled');
      await bot.post('trade/cancel-order', { orderId });
      const { orderStatus, cancelReason, cumExecQty } = await bot.get('trade/order-info', { orderId });
      assert.deepEqual([orderStatus, cancelReason, cumExecQty], ['cancelled', 'normal_cancel', '0.004']);
      assert.equal((await bot.refusedPost('trade/cancel-order', { orderId })).code, '25204');
      const open = (await bot.get('trade/unfilled-orders')).list;
      assert.ok(
        open.every((order: Data) => order.orderId !== orderId),
        'interface 3: closed orders are not listed',
      );
    });

    it('interface 4.3 cancel-batch: partial success, failures told per order', async () => {
      const item = { category: 'SPOT', symbol: 'BTCUSDT' };
      const orderId = await waiting();
      await waiting({ clientOid: 'by-name' });
      const third = await waiting();
      const results = await bot.post('trade/cancel-batch', [
        { ...item, orderId },
        { ...item, clientOid: 'by-name' },
        { ...item, orderId: NO_SUCH_ORDER },
        { ...item, orderId: third, clientOid: 'by-name' },
      ]);
      assert.equal(results.length, 4);
      for (const n of [0, 1, 3]) conforms(ORDER_IDS, results[n]);
      conforms(ORDER_FAILURE, results[2]);
      assert.deepEqual([results[2].orderId, results[2].code], [NO_SUCH_ORDER, '25204']);
      const [unnamed] = await bot.post('trade/cancel-batch', [{ ...item, clientOid: 'nobody' }]);
      assert.deepEqual(
        [unnamed.clientOid, unnamed.code],
        ['nobody', '25204'],
        'interface 4.3: as it was named',
      );
      assert.equal(results[3].orderId, third, 'interface 4.3 cancel-batch: orderId wins');
      assert.deepEqual((await bot.get('trade/unfilled-orders')).list, []);
    });

    it('interface 4.3 cancel-batch: category and symbol are required, one category for all', async () => {
      const orderId = await waiting();
      assert.match(
        (await bot.refusedPost('trade/cancel-batch', [{ orderId, symbol: 'BTCUSDT' }])).msg,
        /category/,
      );
      assert.match(
        (await bot.refusedPost('trade/cancel-batch', [{ orderId, category: 'SPOT' }])).msg,
        /symbol/,
      );
      const mixed = [
        { orderId, category: 'SPOT', symbol: 'BTCUSDT' },
        { orderId, category: 'USDT-FUTURES', symbol: 'BTCUSDT' },
      ];
      assert.match((await bot.refusedPost('trade/cancel-batch', mixed)).msg, /one category/);
      const [elsewhere] = await bot.post('trade/cancel-batch', [
        { orderId, category: 'SPOT', symbol: 'ETHUSDT' },
      ]);
      assert.equal(elsewhere.code, '25204', 'interface 4.3 cancel-batch: the symbol must be the order’s');
      await bot.refusedPost('trade/cancel-batch', []);
      assert.equal(await statusOf(orderId), 'new', 'a refused batch changes nothing');
    });

    it('interface 4.3 cancel-symbol-order: of a symbol, or of the whole category', async () => {
      const bitcoin = await waiting();
      const ether = await place(limit(ETH, 'buy', '0.1', '2500'));
      const future = await place(limit(LINEAR, 'buy', '0.01', '59000'));
      const { list } = await bot.post('trade/cancel-symbol-order', { category: 'SPOT', symbol: 'BTCUSDT' });
      assert.deepEqual(
        list.map((each: Data) => each.orderId),
        [bitcoin],
      );
      for (const each of list) conforms(ORDER_FAILURE, each);
      assert.deepEqual([list[0].code, list[0].msg], ['00000', 'success']);
      assert.equal(await statusOf(ether), 'new');
      await bot.post('trade/cancel-symbol-order', { category: 'SPOT' });
      assert.deepEqual([await statusOf(ether), await statusOf(future)], ['cancelled', 'new']);
      assert.deepEqual(await bot.post('trade/cancel-symbol-order', { category: 'SPOT' }), { list: [] });
      assert.match((await bot.refusedPost('trade/cancel-symbol-order', {})).msg, /category/);
    });

    it('interface 4.3 batch-modify-order: price and quantity, by either id, across pairs of one category', async () => {
      const bitcoin = await waiting({ clientOid: 'btc' });
      const ether = await place(limit(ETH, 'buy', '0.1', '2400', { clientOid: 'eth' }));
      const results = await amend(
        {
          orderId: bitcoin,
          qty: '0.02',
          price: '59100',
          symbol: 'BTCUSDT',
          category: 'SPOT',
          autoCancel: 'no',
        },
        { clientOid: 'eth', qty: '0.2' },
      );
      for (const each of results) conforms(ORDER_IDS, each);
      assert.deepEqual(
        results.map((each) => each.orderId),
        [bitcoin, ether],
      );
      const [first, second] = [
        await bot.get('trade/order-info', { orderId: bitcoin }),
        await bot.get('trade/order-info', { orderId: ether }),
      ];
      assert.deepEqual([first.qty, first.price], ['0.02', '59100'], 'interface 3: a fully unfilled order');
      assert.deepEqual([second.qty, second.price], ['0.2', '2400']);
      const [both] = await amend({ orderId: bitcoin, clientOid: 'eth', price: '59200' });
      assert.equal(both.orderId, bitcoin, 'interface 4.3 batch-modify-order: orderId wins');
    });

    it('interface 4.3 batch-modify-order: one category, each order once, an id and a change needed', async () => {
      const orderId = await waiting({ clientOid: 'once' });
      const mixed = [
        { orderId, category: 'SPOT', price: '59100' },
        { orderId: NO_SUCH_ORDER, category: 'MARGIN', price: '59100' },
      ];
      assert.match((await bot.refusedPost('trade/batch-modify-order', mixed)).msg, /one category/);
      const contract = await place(limit(LINEAR, 'buy', '0.01', '59000'));
      const unsaid = [
        { orderId, price: '59100' },
        { orderId: contract, price: '59100' },
      ];
      assert.match((await bot.refusedPost('trade/batch-modify-order', unsaid)).msg, /one category/);
      const twice = [
        { orderId, price: '59100' },
        { clientOid: 'once', price: '59200' },
      ];
      assert.match((await bot.refusedPost('trade/batch-modify-order', twice)).msg, /once/);
      const [unnamed, unchanged] = await amend({ price: '59100' }, { orderId });
      assert.match(unnamed.msg, /orderId or clientOid/);
      assert.match(unchanged.msg, /qty or price/);
      assert.deepEqual([unnamed.code, unchanged.code], ['40019', '25200'], 'interface 7.3: per-order codes');
      assert.equal((await bot.get('trade/order-info', { orderId })).price, '59000');
    });

    it('interface 3: the new quantity of a partially filled order is not below what is filled', async () => {
      const orderId = await waiting();
      await place(limit(SPOT, 'sell', '0.004', '59000'), maker);
      const [below] = await amend({ orderId, qty: '0.003' });
      conforms(ORDER_FAILURE, below);
      assert.match(below.msg, /filled quantity 0\.004/);
      const [above] = await amend({ orderId, qty: '0.008', price: '58900' });
      conforms(ORDER_IDS, above);
      const { qty, cumExecQty, orderStatus } = await bot.get('trade/order-info', { orderId });
      assert.deepEqual([qty, cumExecQty, orderStatus], ['0.008', '0.004', 'partially_filled']);
    });

    it('interface 3, 7.4: autoCancel yes cancels an order whose modification fails, and later ones are rejected', async () => {
      const kept = await waiting();
      const [failed] = await amend({ orderId: kept, qty: '1000000', autoCancel: 'no' });
      conforms(ORDER_FAILURE, failed);
      assert.equal(await statusOf(kept), 'new', 'interface 4.3: the default keeps the order');
      const [fatal] = await amend({ orderId: kept, qty: '1000000', autoCancel: 'yes' });
      conforms(ORDER_FAILURE, fatal);
      assert.equal(await statusOf(kept), 'cancelled');
      const [late] = await amend({ orderId: kept, price: '59100' });
      assert.equal(late.code, '25573', 'interface 7.4: rejected because of the failure before');
      assert.equal((await bot.get('trade/order-info', { orderId: kept })).price, '59000');
    });

    it('interface 3, 7.4: a modification that is in flight when autoCancel cancels its order is rejected', async () => {
      const orderId = await waiting();
      const changes = [{ qty: '1000000', autoCancel: 'yes' }, { price: '59100' }];
      const packet = changes.map((change) => {
        const body = JSON.stringify([{ orderId, ...change }]);
        return requestBytes({ method: 'POST', path: '/api/v3/trade/batch-modify-order', body }, bot.keys);
      });
      const { replies } = await converse(venue.server.url, Buffer.concat(packet), { replies: 2 });
      const codes = replies.map(({ body }) => JSON.parse(body).data[0].code);
      assert.deepEqual(codes, ['25202', '25573'], 'interface 3: in flight or new');
      assert.equal(await statusOf(orderId), 'cancelled');
    });

    it('interface 3, 7.4: a reduce-only order cannot be modified', async () => {
      const [category, symbol] = LINEAR;
      await venue.trade(bot, limit(LINEAR, 'buy', '0.01', '60000'));
      const orderId = await place(limit(LINEAR, 'sell', '0.01', '61000', { reduceOnly: 'yes' }));
      assert.equal((await bot.get('trade/order-info', { orderId })).reduceOnly, 'YES');
      const [refused] = await amend({ orderId, price: '61100' });
      assert.equal(refused.code, '25568');
      assert.equal((await bot.get('trade/order-info', { orderId })).price, '61000');
      await bot.post('trade/cancel-order', { orderId });
      await venue.trade(bot, limit(LINEAR, 'sell', '0.01', '60000', { reduceOnly: 'yes' }));
      assert.deepEqual((await bot.get('position/current-position', { category, symbol })).list, []);
    });

    it('interface 7.3: a per-order failure stands in the entries, the envelope succeeds', async () => {
      const reply = await bot.client.post('/api/v3/trade/cancel-batch', [
        { orderId: NO_SUCH_ORDER, category: 'SPOT', symbol: 'BTCUSDT' },
      ]);
      assert.deepEqual([reply.status, reply.code], [200, '00000']);
      assert.equal(reply.data[0].code, '25204');
      const whole = await bot.refusedPost('trade/cancel-order', { orderId: NO_SUCH_ORDER });
      assert.deepEqual(
        [whole.status, whole.code],
        [400, '25204'],
        'interface 7.2: a whole request fails in its envelope',
      );
    });
  });
}
