/** How an order ends that is not filled (interface 2.1 `cancelReason`, rules 2.3): each reason that a trader can bring about. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { StreamClient } from '../harness/stream-client.ts';
import { CATEGORIES } from './objects.ts';
import {
  type Caller,
  type ContractVenue,
  catalogued,
  type Data,
  LINEAR,
  limit,
  type Order,
  SPOT,
} from './venue.ts';

/** One step of this pair is worth more than the smallest order. */
const COARSE = ['SPOT', 'COARSEUSDT'] as const;
const CROWDED = ['SPOT', 'ETHUSDT'] as const;
/** Trades of one order at most; three accounts have that many orders together. */
const TRADES_MAX = 400;

export function endings(venue: ContractVenue): void {
  const { alice, bob, bot, maker, operator } = venue;
  const ended = async (who: Caller, order: Order): Promise<Data> => {
    const { orderId } = await who.post('trade/place-order', order);
    return who.get('trade/order-info', { orderId });
  };
  const spend = (where: readonly [string, string], qty: string): Order => ({
    category: where[0],
    symbol: where[1],
    side: 'buy',
    orderType: 'market',
    qty,
  });
  const offer = (qty: string, price: string) =>
    maker.post('trade/place-order', limit(SPOT, 'sell', qty, price));
  const buys = (more: Record<string, string>) => limit(SPOT, 'buy', '0.02', '60000', more);

  describe('interface 2.1: how an order ends', () => {
    before(async () => {
      await venue.cleared(alice, bob, bot, maker);
      await venue.trade(alice, limit(SPOT, 'buy', '0.001', '60000'));
      await offer('0.01', '60000');
    });

    it('interface 2.1 timeInForce: fok fills whole or not at all, post_only never takes, ioc takes what is there', async () => {
      for (const [timeInForce, cancelReason, cumExecQty] of [
        ['fok', 'fok_not_full_cancel', '0'],
        ['post_only', 'post_only_fill_cancel', '0'],
        ['ioc', 'ioc_not_full_cancel', '0.01'],
      ] as const) {
        const order = await ended(alice, buys({ timeInForce }));
        assert.deepEqual(
          [order.timeInForce, order.orderStatus, order.cancelReason, order.cumExecQty],
          [timeInForce, 'cancelled', cancelReason, cumExecQty],
          'interface 2.1',
        );
      }
    });

    it('interface 2.1 timeInForce rpi: an order of the interface does not take it', async () => {
      const hidden = limit(SPOT, 'sell', '0.02', '60000', { timeInForce: 'rpi' });
      const { orderId } = await maker.post('trade/place-order', hidden);
      const order = await ended(alice, buys({ timeInForce: 'ioc' }));
      assert.deepEqual([order.orderStatus, order.cumExecQty], ['cancelled', '0']);
      await maker.post('trade/cancel-order', { orderId });
    });

    it('interface 2.1 stpMode: none trades with oneself, the others cancel the taker, the maker or both', async () => {
      for (const [stpMode, mine, new_] of [
        ['none', 'filled', 'filled'],
        ['cancel_taker', 'new', 'cancelled'],
        ['cancel_maker', 'cancelled', 'new'],
        ['cancel_both', 'cancelled', 'cancelled'],
      ] as const) {
        const own = limit(SPOT, 'sell', '0.01', '60100');
        const { orderId } = await alice.post('trade/place-order', own);
        const taker = await ended(alice, limit(SPOT, 'buy', '0.01', '60100', { stpMode }));
        const resting = await alice.get('trade/order-info', { orderId });
        assert.deepEqual(
          [taker.stpMode, resting.orderStatus, taker.orderStatus],
          [stpMode, mine, new_],
          'interface 2.1: stpMode',
        );
        for (const order of [resting, taker]) {
          if (order.orderStatus === 'cancelled') assert.equal(order.cancelReason, 'stp_cancel');
        }
        await venue.cleared(alice);
      }
    });

    it('interface 2.1 amount: a market buy spends an amount of quote coin and has no quantity', async () => {
      await offer('0.01', '60000');
      const order = await ended(alice, spend(SPOT, '300'));
      assert.deepEqual(
        [order.orderType, order.qty, order.amount, order.cumExecQty, order.cumExecValue, order.price],
        ['market', '0', '300', '0.005', '300', '0'],
        'interface 2.1',
      );
      await venue.cleared(maker);
    });

    it('interface 2.1: a market order stops at the price limit, and when its money does not buy a step', async () => {
      await offer('0.01', '64000');
      assert.equal((await ended(alice, spend(SPOT, '605'))).cancelReason, 'slippage_cancel');
      await venue.cleared(maker);
      const model = catalogued('spot', 'BTCUSDT');
      const coarse = { symbol: COARSE[1], quantityPrecision: '2', minOrderQty: '0.01', quotePrecision: '2' };
      await operator.list({ ...model, ...coarse });
      await maker.post('trade/place-order', limit(COARSE, 'sell', '0.01', '60000'));
      assert.equal((await ended(alice, spend(COARSE, '100'))).cancelReason, 'trade_count_too_small');
    });

    it('interface 2.1: an order that says how old it may be is cancelled when it comes too late', async () => {
      const socket = await StreamClient.login(venue.server.url, alice.keys!);
      const late = { ...buys({}), receiveWindow: '1000', requestTime: String(Date.now() - 60_000) };
      const { args } = await socket.trade('1', 'place-order', 'spot', late);
      socket.close();
      const order = await alice.get('trade/order-info', { orderId: args[0].orderId });
      assert.deepEqual([order.cancelReason, order.cumExecQty], ['cancel_receiveWindow', '0']);
    });

    it('interface 2.1: an order trades with at most so many others at once', async () => {
      const rows = Array.from({ length: 20 }, () => limit(CROWDED, 'sell', '0.001', '2500'));
      for (const who of [maker, alice, bob]) {
        for (let batch = 0; batch < 7; batch++) await who.post('trade/place-batch', rows);
      }
      const order = await ended(bot, limit(CROWDED, 'buy', '0.42', '2500'));
      assert.deepEqual(
        [order.cancelReason, order.cumExecQty],
        ['trade_too_many_times_cancel', String(TRADES_MAX / 1000)],
      );
      await venue.cleared(maker, alice, bob);
    });

    it('interface 2.1 reduceOnly: what would open is cancelled, what guards a position goes before what closes it', async () => {
      const trader = await venue.small('endings', '5000');
      await venue.trade(trader, limit(LINEAR, 'buy', '0.02', '60000'));
      const closes = limit(LINEAR, 'sell', '0.02', '61000', { reduceOnly: 'yes' });
      const first = await trader.post('trade/place-order', closes);
      const guard = {
        tpslMode: 'partial',
        qty: '0.02',
        posSide: 'long',
        stopLoss: '59000',
        slOrderType: 'market',
      };
      await trader.post('trade/place-strategy-order', { category: LINEAR[0], symbol: LINEAR[1], ...guard });
      await maker.post('trade/place-order', limit(LINEAR, 'buy', '0.03', '59000'));
      await bob.post('trade/place-order', limit(LINEAR, 'sell', '0.001', '59000'));
      const replaced = await trader.get('trade/order-info', { orderId: first.orderId });
      assert.equal(replaced.cancelReason, 'tpsl_plan_cancel');
      assert.deepEqual((await trader.get('position/current-position', { category: LINEAR[0] })).list, []);
      await venue.trade(trader, limit(LINEAR, 'buy', '0.02', '60000'));
      const second = await trader.post('trade/place-order', closes);
      await venue.trade(trader, limit(LINEAR, 'sell', '0.02', '60000'));
      const trimmed = await trader.get('trade/order-info', { orderId: second.orderId });
      assert.equal(trimmed.cancelReason, 'delegated_risk_order_cancel');
      await venue.cleared(maker);
    });

    it('interface 2.1, 4.2: a closed order reads the same in history and alone, in every category', async () => {
      const read = new Set<string>();
      for (const who of [alice, bob, bot, maker]) {
        for (const category of CATEGORIES) {
          const { list } = await who.get('trade/history-orders', { category, limit: '20' });
          // Each answer is held against the one before it (`memory.ts`).
          for (const { orderId } of list) await who.get('trade/order-info', { orderId });
          if (list.length > 0) read.add(category);
        }
      }
      assert.deepEqual(read, new Set(CATEGORIES));
    });
  });
}
