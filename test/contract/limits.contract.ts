/** Section 8: each limit at its edge. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startServer } from '../harness/server.ts';
import { COIN, DAY_MS, type Data, LINEAR, limit, SPOT, USDC, Venue } from './venue.ts';

/** Requests a second; per IP on market data, per UID elsewhere. */
const RATES: readonly [method: 'GET' | 'POST', path: string, perSecond: number][] = [
  ['GET', 'market/candles', 20],
  ['GET', 'market/instruments', 20],
  ['GET', 'market/tickers', 20],
  ['GET', 'market/fills', 20],
  ['GET', 'market/index-components', 10],
  ['GET', 'trade/unfilled-orders', 20],
  ['GET', 'trade/history-orders', 20],
  ['GET', 'trade/order-info', 20],
  ['GET', 'trade/fills', 20],
  ['GET', 'trade/history-strategy-orders', 20],
  ['POST', 'trade/cancel-order', 10],
  ['POST', 'trade/cancel-batch', 5],
  ['POST', 'trade/cancel-symbol-order', 5],
  ['POST', 'trade/batch-modify-order', 10],
  ['GET', 'position/current-position', 20],
  ['GET', 'position/adlRank', 1],
  ['POST', 'account/set-leverage', 10],
  ['GET', 'account/info', 5],
  ['GET', 'account/repayable-coins', 10],
  ['POST', 'broker/modify-sub-apikey', 20],
  ['GET', 'loan/borrow-history', 10],
  ['GET', 'loan/pledge-rate-history', 10],
  ['GET', 'loan/debts', 10],
];
const OVER = 3;

const history = [
  ['trade/history-orders', { category: 'SPOT' }],
  ['trade/fills', {}],
] as const;

export function limits(venue: Venue): void {
  const { alice, maker, bot } = venue;

  describe('interface 8: limits', () => {
    it('interface 8: each endpoint lets exactly its rate through in a second', async () => {
      const server = await startServer();
      const { operator, alice: strict } = new Venue(server);
      await operator.makeBroker('alice');
      const { client } = strict;
      try {
        for (const [method, path, perSecond] of RATES) {
          const body = method === 'POST' ? '{}' : '';
          const burst = Array.from({ length: perSecond + OVER }, () =>
            client.send(method, `/api/v3/${path}`, body),
          );
          const replies = await Promise.all(burst);
          const limited = replies.filter(({ status }) => status === 429);
          assert.equal(limited.length, OVER, `interface 8: ${method} ${path} allows ${perSecond} a second`);
          assert.ok(limited.every(({ code }) => code === '429'));
        }
      } finally {
        await server.stop();
      }
    });

    it('interface 8: history reaches 90 days back and one query spans 30', async () => {
      const at = (days: number, ms = 0) => venue.ago(days * DAY_MS - ms);
      for (const [path, base] of history) {
        await alice.get(path, { ...base, startTime: at(90), endTime: at(61) });
        await alice.get(path, { ...base, startTime: at(60), endTime: at(30) });
        const old = await alice.refusedGet(path, { ...base, startTime: at(90, -1), endTime: at(61) });
        assert.match(old.msg, /90 days/, `interface 8: ${path}`);
        const long = await alice.refusedGet(path, { ...base, startTime: at(60), endTime: at(30, 1) });
        assert.match(long.msg, /30 days/, `interface 7.4, 8: ${path}: an over-long query`);
      }
    });

    it('interface 8: a page holds 100 unless asked for less, and never more', async () => {
      await bot.post('trade/cancel-symbol-order', { category: 'SPOT' });
      for (let batch = 0; batch < 6; batch++) {
        const items = Array.from({ length: 20 }, () => limit(SPOT, 'buy', '0.001', '58000'));
        await bot.post('trade/place-batch', items);
      }
      for (const [asked, got] of [
        [undefined, 100],
        ['99', 99],
        ['100', 100],
        ['101', 100],
      ] as const) {
        const { list } = await bot.get('trade/unfilled-orders', asked === undefined ? {} : { limit: asked });
        assert.equal(list.length, got, `interface 8: limit ${asked}`);
      }
      await bot.refusedGet('trade/unfilled-orders', { limit: '0' });
      await bot.post('trade/cancel-symbol-order', { category: 'SPOT' });
      const past = (query: Record<string, string>) =>
        bot.get('trade/history-orders', { category: 'SPOT', ...query });
      assert.equal((await past({})).list.length, 100);
      assert.equal((await past({ limit: '500' })).list.length, 100);
    });

    it('interface 8: public fills and own fills hold 100', async () => {
      await maker.post('trade/place-order', limit(SPOT, 'sell', '0.15', '60000'));
      for (let batch = 0; batch < 6; batch++) {
        await bot.post(
          'trade/place-batch',
          Array.from({ length: 20 }, () => limit(SPOT, 'buy', '0.001', '60000')),
        );
      }
      const on = { category: 'SPOT', symbol: 'BTCUSDT' };
      assert.equal((await venue.nobody.get('market/fills', on)).length, 100);
      assert.equal((await venue.nobody.get('market/fills', { ...on, limit: '101' })).length, 100);
      assert.equal((await bot.get('trade/fills')).list.length, 100);
      await maker.post('trade/cancel-symbol-order', { category: 'SPOT' });
    });

    it('interface 8: up to 1,000 candles a request', async () => {
      const asked = { category: 'SPOT', symbol: 'BTCUSDT', interval: '1m' };
      assert.equal((await venue.nobody.get('market/candles', asked)).length, 1000, 'the default');
      assert.equal((await venue.nobody.get('market/candles', { ...asked, limit: '999' })).length, 999);
      assert.equal((await venue.nobody.get('market/candles', { ...asked, limit: '5000' })).length, 1000);
    });

    it('interface 8: a batch cancels or modifies at most 20 orders', async () => {
      const placed: Data[] = await bot.post(
        'trade/place-batch',
        Array.from({ length: 20 }, () => limit(SPOT, 'buy', '0.001', '58000')),
      );
      const spare = await bot.post('trade/place-order', limit(SPOT, 'buy', '0.001', '58000'));
      const named = [...placed, spare].map(({ orderId }) => ({
        orderId,
        category: 'SPOT',
        symbol: 'BTCUSDT',
      }));
      const moved = named.map((each) => ({ ...each, price: '58001' }));
      assert.equal((await bot.refusedPost('trade/batch-modify-order', moved)).code, '40306');
      assert.equal((await bot.refusedPost('trade/cancel-batch', named)).code, '40306');
      assert.equal((await bot.post('trade/batch-modify-order', moved.slice(0, 20))).length, 20);
      assert.equal((await bot.post('trade/cancel-batch', named.slice(0, 20))).length, 20);
      const left = (await bot.get('trade/unfilled-orders', { category: 'SPOT' })).list;
      assert.deepEqual(
        left.map((order: Data) => [order.orderId, order.price]),
        [[spare.orderId, '58000']],
      );
      await bot.post('trade/cancel-order', { orderId: spare.orderId });
    });

    it('interface 4.3, 8: at most 5 modifications of an order are under way', async () => {
      const { orderId } = await bot.post('trade/place-order', limit(SPOT, 'buy', '0.001', '58000'));
      const codes = new Set<string>();
      for (let tries = 0; tries < 20 && !codes.has('25572'); tries++) {
        const burst = Array.from({ length: 40 }, (_, n) =>
          bot.client.post('/api/v3/trade/batch-modify-order', [
            { orderId, price: String(57_000 + tries * 40 + n) },
          ]),
        );
        for (const { data } of await Promise.all(burst)) codes.add(data[0].code ?? 'modified');
      }
      assert.deepEqual([...codes].sort(), ['25572', 'modified']);
      await bot.post('trade/cancel-order', { orderId });
    });

    it('interface 8: 400 open orders in spot and margin together, 400 in all futures together', async () => {
      const fill = async (where: readonly [string, string], price: string, batches: number) => {
        for (let batch = 0; batch < batches; batch++) {
          const items = Array.from({ length: 20 }, () => limit(where, 'buy', '0.001', price));
          const placed = await maker.post('trade/place-batch', items);
          const failed = placed.find((each: Data) => each.code !== undefined);
          assert.equal(failed, undefined, JSON.stringify(failed));
        }
      };
      for (const category of [SPOT, LINEAR, COIN, USDC].map(([each]) => each)) {
        await maker.post('trade/cancel-symbol-order', { category });
      }
      await fill(SPOT, '58000', 10);
      await fill(['SPOT', 'BTCUSDC'], '58000', 10);
      const more = await maker.refusedPost(
        'trade/place-order',
        limit(['SPOT', 'ETHUSDT'], 'buy', '0.01', '2500'),
      );
      assert.equal(more.code, '25211', more.text);
      await fill(LINEAR, '58000', 7);
      await fill(COIN, '58000', 7);
      await fill(USDC, '58000', 6);
      const future = await maker.refusedPost('trade/place-order', limit(LINEAR, 'buy', '0.001', '58000'));
      assert.equal(future.code, '25211', future.text);
      for (const category of [SPOT, LINEAR, COIN, USDC].map(([each]) => each)) {
        await maker.post('trade/cancel-symbol-order', { category });
      }
    });
  });
}
