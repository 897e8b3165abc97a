/** Section 2.3 and the strategy orders of section 4.2: what waits for a price, and what became of it. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { historyOrder, openOrder, STRATEGY_ORDER } from './objects.ts';
import { needs } from './pending.ts';
import { allConform, conforms } from './shape.ts';
import { type Caller, DAY_MS, type Data, LINEAR, limit, type Venue } from './venue.ts';

const ON = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' };
const TRIGGER = { ...ON, type: 'trigger', side: 'buy', qty: '0.01', triggerOrderType: 'market' };

export function strategyOrders(venue: Venue): void {
  const { alice, bob, maker } = venue;
  const place = async (body: object, who: Caller = bob): Promise<string> =>
    (await who.post('trade/place-strategy-order', body)).orderId;
  const waiting = (): Promise<Data[]> => bob.get('trade/unfilled-strategy-orders', { category: ON.category });
  const ended = async (query: Record<string, string> = {}): Promise<Data[]> =>
    (await bob.get('trade/history-strategy-orders', { category: ON.category, ...query })).list;
  const found = async (orderId: string) => (await ended()).find((each) => each.orderId === orderId);
  /** Strangers trade there, and the market follows. */
  const prints = async (price: string) => {
    await venue.trade(alice, limit(LINEAR, 'buy', '0.001', price));
    await venue.advance(1000);
  };

  describe('interface 2.3, 4.2: strategy orders', () => {
    before(async () => {
      for (const who of [alice, bob, maker])
        await who.post('trade/cancel-symbol-order', { category: ON.category });
      await prints('60000');
    });

    it(
      'interface 2.3: a trigger order waits as pending, fires once, and is success',
      needs('strategy orders'),
      async () => {
        const byMarket = await place({
          ...TRIGGER,
          triggerPrice: '60500',
          triggerBy: 'market',
          clientOid: 'by-market',
        });
        const byMark = await place({ ...TRIGGER, triggerPrice: '65000', triggerBy: 'mark' });
        const pending = await waiting();
        allConform(STRATEGY_ORDER, pending);
        assert.deepEqual(new Set(pending.map(({ orderId }) => orderId)), new Set([byMarket, byMark]));
        assert.ok(pending.every(({ status, triggerType }) => status === 'pending' && triggerType === ''));
        await maker.post('trade/place-order', limit(LINEAR, 'sell', '0.05', '60600'));
        await prints('60500');
        const fired = await found(byMarket);
        conforms(STRATEGY_ORDER, fired);
        assert.deepEqual(
          [fired.status, fired.clientOid, fired.triggerPrice],
          ['success', 'by-market', '60500'],
        );
        assert.deepEqual(
          (await waiting()).map(({ orderId }) => orderId),
          [byMark],
        );
        const { list } = await bob.get('trade/history-orders', { category: ON.category });
        for (const order of list) conforms(historyOrder(ON.category), order);
        assert.equal(list[0].delegateType, 'plan_market');
        await maker.post('trade/cancel-symbol-order', { category: ON.category });
      },
    );

    it('interface 2.3: what is cancelled while it waits is cancelled', needs('strategy orders'), async () => {
      const [order] = await waiting();
      await bob.post('trade/cancel-strategy-order', { orderId: order.orderId });
      const cancelled = await found(order.orderId);
      conforms(STRATEGY_ORDER, cancelled);
      assert.equal(cancelled.status, 'cancelled');
    });

    it('interface 2.3: what fires and cannot be placed is failed', needs('strategy orders'), async () => {
      const orderId = await place({ ...TRIGGER, qty: '200', triggerPrice: '60700', triggerBy: 'market' });
      await prints('60700');
      const failed = await found(orderId);
      conforms(STRATEGY_ORDER, failed);
      assert.equal(failed.status, 'failed');
    });

    it(
      'interface 2.3: take-profit and stop-loss of a position, each with its own words',
      needs('strategy orders'),
      async () => {
        const half = {
          ...ON,
          type: 'tpsl',
          tpslMode: 'partial',
          qty: '0.005',
          side: 'sell',
          posSide: 'long',
        };
        const profit = await place({
          ...half,
          takeProfit: '60900',
          tpTriggerBy: 'market',
          tpOrderType: 'market',
        });
        const loss = await place({
          ...half,
          stopLoss: '60000',
          slTriggerBy: 'market',
          slOrderType: 'limit',
          slLimitPrice: '59900',
        });
        allConform(STRATEGY_ORDER, await waiting());
        await maker.post('trade/place-order', limit(LINEAR, 'buy', '0.05', '59950'));
        await prints('60900');
        await prints('60000');
        const [first, second] = [await found(profit), await found(loss)];
        for (const each of [first, second]) conforms(STRATEGY_ORDER, each);
        assert.deepEqual(
          [first.status, first.triggerType, first.takeProfit],
          ['success', 'takeProfit', '60900'],
        );
        assert.deepEqual(
          [second.status, second.triggerType, second.slOrderType, second.slLimitPrice],
          ['success', 'stopLoss', 'limit', '59900'],
        );
        await maker.post('trade/cancel-symbol-order', { category: ON.category });
      },
    );

    it(
      'interface 2.1: an order carries the take-profit and stop-loss that are preset on it',
      needs('strategy orders'),
      async () => {
        const preset = {
          takeProfit: '63000',
          tpTriggerBy: 'mark',
          tpOrderType: 'market',
          stopLoss: '57000',
          slTriggerBy: 'market',
          slOrderType: 'limit',
          slLimitPrice: '56900',
        };
        const order = limit(LINEAR, 'buy', '0.01', '59000', preset);
        const { orderId } = await bob.post('trade/place-order', order);
        const [open] = (await bob.get('trade/unfilled-orders', ON)).list;
        conforms(openOrder(ON.category), open);
        assert.deepEqual(
          { ...preset, ...Object.fromEntries(Object.keys(preset).map((key) => [key, open[key]])) },
          preset,
        );
        await bob.post('trade/cancel-order', { orderId });
      },
    );

    it(
      'interface 4.2 history-strategy-orders: type, times, limit and cursor choose',
      needs('strategy orders'),
      async () => {
        const all = await ended();
        assert.ok(all.length >= 5);
        const [tpsl, trigger] = [await ended({ type: 'tpsl' }), await ended({ type: 'trigger' })];
        assert.ok(tpsl.length > 0 && trigger.length > 0 && tpsl.length + trigger.length === all.length);
        assert.deepEqual(await ended({ endTime: venue.ago(DAY_MS) }), []);
        const page = await bob.get('trade/history-strategy-orders', { category: ON.category, limit: '2' });
        assert.deepEqual(page.list, all.slice(0, 2));
        const next = await bob.get('trade/history-strategy-orders', {
          category: ON.category,
          limit: '2',
          cursor: page.cursor,
        });
        assert.deepEqual(next.list, all.slice(2, 4));
      },
    );
  });
}
