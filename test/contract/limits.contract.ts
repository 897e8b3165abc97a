/** Interface 8: each limit at its edge; the rates are in `rates.contract.ts`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converse, requestBytes } from '../security/hostile/raw-http.ts';
import { assertRejection } from './rejections.ts';
import {
  type Caller,
  COIN,
  type ContractVenue,
  catalogued,
  DAY_MS,
  type Data,
  LINEAR,
  limit,
  type Order,
  SPOT,
  USDC,
} from './venue.ts';

/** Three months of the calendar are at most 92 days. */
const LOAN_WINDOW_MS = 92 * DAY_MS;

const history = [
  ['trade/history-orders', { category: 'SPOT' }],
  ['trade/fills', {}],
] as const;

export function limits(venue: ContractVenue): void {
  const { alice, bob, maker, bot } = venue;

  describe('interface 8: limits', () => {
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

    /** Asked for nothing, one less, the limit, one more. */
    async function pages(path: string, query: Record<string, string>, who: Caller): Promise<void> {
      for (const [asked, got] of [
        [undefined, 100],
        ['99', 99],
        ['100', 100],
        ['101', 100],
      ] as const) {
        const data = await who.get(path, { ...query, ...(asked !== undefined && { limit: asked }) });
        const rows = Array.isArray(data) ? data : data.list;
        assert.equal(rows.length, got, `interface 8: ${path} with limit ${asked}`);
      }
    }
    const batches = async (count: number, order: Order) => {
      for (let batch = 0; batch < count; batch++) {
        await bot.post(
          'trade/place-batch',
          Array.from({ length: 20 }, () => order),
        );
      }
    };

    it('interface 8: a page of orders holds 100 unless asked for less, and never more', async () => {
      await venue.cleared(bot);
      await batches(6, limit(SPOT, 'buy', '0.001', '58000'));
      await pages('trade/unfilled-orders', {}, bot);
      await bot.post('trade/cancel-symbol-order', { category: 'SPOT' });
      await pages('trade/history-orders', { category: 'SPOT' }, bot);
    });

    it('interface 8: public fills and own fills hold 100', async () => {
      await maker.post('trade/place-order', limit(SPOT, 'sell', '0.15', '60000'));
      await batches(6, limit(SPOT, 'buy', '0.001', '60000'));
      await pages('market/fills', { category: 'SPOT', symbol: 'BTCUSDT' }, venue.nobody);
      await pages('trade/fills', {}, bot);
      await maker.post('trade/cancel-symbol-order', { category: 'SPOT' });
    });

    it('interface 8: a page of strategy orders holds 100', async () => {
      const [category, symbol] = LINEAR;
      const plan = { category, symbol, type: 'trigger', side: 'buy', qty: '0.001', triggerPrice: '70000' };
      for (let n = 0; n < 101; n++) {
        const { orderId } = await bot.post('trade/place-strategy-order', plan);
        await bot.post('trade/cancel-strategy-order', { orderId });
      }
      await pages('trade/history-strategy-orders', { category }, bot);
    });

    it('interface 4.6, 8: loan records reach three months back, in pages of 10 and at most 100, from page 1', async () => {
      await venue.price('SOLUSDT', '200');
      const wish = { loanCoin: 'USDT', pledgeCoin: 'SOL', daily: 'THIRTY', pledgeAmount: '5000' };
      for (let n = 0; n < 101; n++) await bob.post('loan/borrow', wish);
      const loan = { loanCoin: 'USDT', pledgeCoin: 'BTC', daily: 'FLEXIBLE', pledgeAmount: '0.1' };
      const { orderId } = await bob.post('loan/borrow', loan);
      const more = { orderId, pledgeCoin: 'BTC', amount: '0.0001', reviseType: 'IN' };
      for (let n = 0; n < 101; n++) await bob.post('loan/revise-pledge', more);
      const last = { startTime: venue.ago(DAY_MS), endTime: venue.ago(0) };
      for (const path of ['loan/borrow-history', 'loan/pledge-rate-history']) {
        const of = (query: Record<string, string>): Promise<Data[]> => bob.get(path, { ...last, ...query });
        for (const [pageSize, got] of [
          [undefined, 10],
          ['99', 99],
          ['100', 100],
          ['101', 100],
        ] as const) {
          const rows = await of(pageSize === undefined ? {} : { pageSize });
          assert.equal(rows.length, got, `interface 8: ${path} with pageSize ${pageSize}`);
        }
        assert.deepEqual(await of({ pageNum: '1' }), await of({}), 'interface 8: pageNum default 1');
        const second = await of({ pageNum: '2', pageSize: '3' });
        assert.deepEqual(second, (await of({ pageSize: '6' })).slice(3), `interface 4.6: ${path} pageNum`);
        await of({ startTime: venue.ago(LOAN_WINDOW_MS) });
        const old = { ...last, startTime: venue.ago(LOAN_WINDOW_MS + 1) };
        assert.match((await bob.refusedGet(path, old)).msg, /three months/, `interface 8: ${path}`);
      }
      await bob.post('loan/repay', { orderId, method: 'borrowed_coin', repayAll: 'yes', repayUnlock: 'yes' });
    });

    it('interface 8: up to 1,000 candles a request', async () => {
      const asked = { category: 'SPOT', symbol: 'BTCUSDT', interval: '1m' };
      assert.equal((await venue.nobody.get('market/candles', asked)).length, 1000, 'the default');
      for (const [limit, got] of [
        ['999', 999],
        ['1000', 1000],
        ['1001', 1000],
      ] as const) {
        assert.equal((await venue.nobody.get('market/candles', { ...asked, limit })).length, got, limit);
      }
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

    it('interface 4.3, 8: exactly 5 modifications of an order may be under way, taken in sequence', async () => {
      const { orderId } = await bot.post('trade/place-order', limit(SPOT, 'buy', '0.001', '58000'));
      // In one packet, so that all of them are there before the first is on disk.
      const requests = Array.from({ length: 8 }, (_, n) => {
        const body = JSON.stringify([{ orderId, price: String(57_001 + n) }]);
        return requestBytes({ method: 'POST', path: '/api/v3/trade/batch-modify-order', body }, bot.keys);
      });
      const { replies } = await converse(venue.server.url, Buffer.concat(requests), {
        replies: requests.length,
      });
      const codes = replies.map(({ body }) => JSON.parse(body).data[0].code ?? 'modified');
      const expected = [...Array(5).fill('modified'), ...Array(3).fill('25572')];
      assert.deepEqual(codes, expected, 'interface 8: at most 5 consecutive in-progress modifications');
      for (const { body } of replies) {
        const [{ code, msg }] = JSON.parse(body).data;
        if (code !== undefined) assertRejection(code, msg, 'POST trade/batch-modify-order');
      }
      bot.learned('trade/batch-modify-order', [{ price: '57005' }], [{ orderId, clientOid: orderId }]);
      assert.equal(
        (await bot.get('trade/order-info', { orderId })).price,
        '57005',
        'interface 4.3: in sequence',
      );
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
      // Pairs that allow more by themselves.
      const roomy = { maxSymbolOrderNum: '1000', maxProductOrderNum: '1000', status: 'online' };
      for (const category of ['spot', 'usdt-futures']) {
        await venue.operator.list({ ...catalogued(category, 'LINKUSDT'), ...roomy, symbol: 'ROOMYUSDT' });
      }
      await venue.price('LINKUSDT', '15');
      const more = await maker.refusedPost(
        'trade/place-order',
        limit(['SPOT', 'ROOMYUSDT'], 'buy', '1', '14.5'),
      );
      assert.equal(more.code, '25211', more.text);
      await fill(LINEAR, '58000', 7);
      await fill(COIN, '58000', 7);
      await fill(USDC, '58000', 6);
      const beyond = limit(['USDT-FUTURES', 'ROOMYUSDT'], 'buy', '1', '14.5');
      const future = await maker.refusedPost('trade/place-order', beyond);
      assert.equal(future.code, '25211', future.text);
      for (const category of [SPOT, LINEAR, COIN, USDC].map(([each]) => each)) {
        await maker.post('trade/cancel-symbol-order', { category });
      }
    });
  });
}
