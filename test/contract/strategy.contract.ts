/**
 * Interface 2.3 and the strategy orders of interface 4.2: what waits for a price, and what became of it. Every kind waits and
 * fires in all five categories, for longs in one-way mode and for shorts in hedge mode.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { STRATEGY_ORDER } from './objects.ts';
import { allConform } from './shape.ts';
import { type TriggerCase, triggerCases } from './trigger-cases.ts';
import {
  type Caller,
  COIN,
  type ContractVenue,
  DAY_MS,
  type Data,
  LINEAR,
  limit,
  SPOT,
  USDC,
} from './venue.ts';

const ON = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' };
const TRIGGER = { ...ON, type: 'trigger', side: 'buy', qty: '0.01', triggerOrderType: 'market' };
const START = '60000';

interface Market {
  readonly name: string;
  readonly where: readonly [category: string, symbol: string];
  readonly hedge: boolean;
}

const MARKETS: readonly Market[] = [
  { name: 'spot', where: SPOT, hedge: false },
  { name: 'margin', where: ['MARGIN', 'BTCUSDT'], hedge: false },
  ...(
    [
      ['usdt', LINEAR],
      ['coin', COIN],
      ['usdc', USDC],
    ] as const
  ).flatMap(([name, where]) => [
    { name, where, hedge: false },
    { name: `${name}-hedge`, where, hedge: true },
  ]),
];

export function strategyOrders(venue: ContractVenue): void {
  const { alice, bob, bot, maker } = venue;
  const place = async (body: object, who: Caller = bob): Promise<string> =>
    (await who.post('trade/place-strategy-order', body)).orderId;
  const waiting = async (category = ON.category, who = bob): Promise<Data[]> => {
    const list = await who.get('trade/unfilled-strategy-orders', { category });
    allConform(STRATEGY_ORDER, list);
    return list;
  };
  const ended = async (query: Record<string, string> = {}, who = bob): Promise<Data[]> =>
    (await who.get('trade/history-strategy-orders', { category: ON.category, ...query })).list;
  const found = async (orderId: string) => (await ended()).find((each) => each.orderId === orderId);
  /** Strangers trade there, and the market follows. */
  const prints = async (price: string) => {
    await venue.trade(alice, limit(LINEAR, 'buy', '0.001', price));
    await venue.advance(1000);
  };
  const cleared = () => venue.cleared(alice, bob, bot, maker);

  describe('interface 2.3, 4.2: strategy orders', () => {
    let longs: Caller;
    let shorts: Caller;
    before(async () => {
      await cleared();
      await prints(START);
      longs = await venue.small('plans', '100000');
      shorts = await venue.small('plans-hedge', '100000');
      await shorts.post('account/set-hold-mode', { holdMode: 'hedge_mode' });
    });

    it('interface 2.3: a trigger order waits as pending, fires once, and is success', async () => {
      const byMarket = await place({
        ...TRIGGER,
        triggerPrice: '60500',
        triggerBy: 'market',
        clientOid: 'by-market',
      });
      const byMark = await place({ ...TRIGGER, triggerPrice: '65000', triggerBy: 'mark' });
      const pending = await waiting();
      assert.deepEqual(new Set(pending.map(({ orderId }) => orderId)), new Set([byMarket, byMark]));
      assert.ok(pending.every(({ status, triggerType }) => status === 'pending' && triggerType === ''));
      await maker.post('trade/place-order', limit(LINEAR, 'sell', '0.05', '60600'));
      await prints('60500');
      const fired = await found(byMarket);
      assert.deepEqual(
        [fired.status, fired.clientOid, fired.triggerPrice, fired.qty, fired.symbol],
        ['success', 'by-market', '60500', '0.01', 'BTCUSDT'],
      );
      assert.equal(fired.updatedTime >= fired.createdTime, true);
      assert.deepEqual(
        (await waiting()).map(({ orderId }) => orderId),
        [byMark],
      );
      await maker.post('trade/cancel-symbol-order', { category: ON.category });
    });

    it('interface 2.3: what is cancelled while it waits is cancelled', async () => {
      const [order] = await waiting();
      await bob.post('trade/cancel-strategy-order', { orderId: order.orderId });
      await venue.advance(1000);
      const { status, updatedTime } = await found(order.orderId);
      assert.deepEqual([status, updatedTime], ['cancelled', venue.ago(1000)], 'interface 2.3');
    });

    it('interface 2.3: what fires and cannot be placed is failed', async () => {
      const orderId = await place({ ...TRIGGER, qty: '200', triggerPrice: '60700', triggerBy: 'market' });
      await prints('60700');
      const { status, failReason } = await found(orderId);
      assert.deepEqual([status, failReason], ['failed', 'insufficient_margin']);
    });

    it('interface 2.3: by the mark price, which follows the index', async () => {
      await prints(START);
      const above = { triggerPrice: '60300', triggerOrderType: 'limit', triggerOrderPrice: '60300' };
      const orderId = await place({ ...TRIGGER, ...above, triggerBy: 'mark' });
      await venue.price('BTCUSDT', '61000');
      const fired = await found(orderId);
      assert.deepEqual(
        [fired.status, fired.triggerBy, fired.triggerOrderType, fired.triggerOrderPrice],
        ['success', 'mark', 'limit', '60300'],
      );
      await venue.price('BTCUSDT', START);
      await bob.post('trade/cancel-symbol-order', ON);
    });

    for (const market of MARKETS) {
      it(`interface 2.1, 2.3 ${market.name}: every kind fires and names its leg, and so does the order it makes`, async () => {
        await everyKind(market);
      });
    }

    async function everyKind({ where, hedge }: Market): Promise<void> {
      await cleared();
      const [category, symbol] = where;
      const trader = hedge ? shorts : longs;
      for (const firing of triggerCases(category, hedge)) {
        if (firing.holds !== undefined) {
          const { side, price } = firing.holds;
          const sided = hedge ? { posSide: 'short' } : {};
          await venue.trade(
            trader,
            limit(where, side, firing.holds.qty, price, { ...sided, ...firing.preset }),
          );
        }
        const orderId = await planned(trader, { category, symbol }, firing);
        await fires(where, firing);
        await tells(trader, category, orderId, firing);
      }
    }

    /** Places it, or finds the one that came with the order. */
    async function planned(trader: Caller, on: { category: string; symbol: string }, firing: TriggerCase) {
      if (firing.plan === undefined) return (await waiting(on.category, trader))[0].orderId;
      return place({ ...on, ...firing.plan }, trader);
    }

    /** Somebody stands on the other side of what it will do, and the price is traded. */
    async function fires(where: readonly [string, string], { side, at }: TriggerCase): Promise<void> {
      const against = side === 'buy' ? 'sell' : 'buy';
      await bot.post('trade/place-order', limit(where, against, '0.05', at));
      await maker.post('trade/place-order', limit(where, side, '0.001', at));
      await bot.post('trade/cancel-symbol-order', { category: where[0] });
    }

    async function tells(
      trader: Caller,
      category: string,
      orderId: string,
      firing: TriggerCase,
    ): Promise<void> {
      const [record] = await ended({ category }, trader);
      assert.equal(record.orderId, orderId, firing.makes);
      assert.deepEqual(
        [record.status, record.category, record.triggerType, record.posSide],
        ['success', category, firing.triggerType, firing.posSide],
        `interface 2.3: ${category} ${firing.makes}`,
      );
      for (const [field, value] of Object.entries(firing.shows)) {
        assert.equal(record[field], value, `interface 2.3: ${field} of ${firing.makes}`);
      }
      const [order] = (await trader.get('trade/history-orders', { category })).list;
      // In hedge mode the side of the position says it.
      const reduceOnly = order.holdMode === 'hedge_mode' ? 'NO' : record.reduceOnly;
      assert.deepEqual(
        [order.orderId, order.delegateType, order.orderStatus, order.side, order.reduceOnly],
        [record.subOrderId, firing.makes, 'filled', firing.side, reduceOnly],
        `interface 2.1: ${category} ${firing.makes}`,
      );
    }

    it('interface 2.1: an order carries the take-profit and stop-loss that are preset on it', async () => {
      const words = [
        { tpTriggerBy: 'mark', tpOrderType: 'market', slTriggerBy: 'market', slOrderType: 'limit' },
        { tpTriggerBy: 'market', tpOrderType: 'limit', slTriggerBy: 'mark', slOrderType: 'market' },
      ];
      for (const each of words) {
        const limits = { tpLimitPrice: '63100', slLimitPrice: '56900' };
        const preset = { takeProfit: '63000', stopLoss: '57000', ...each, ...limits };
        const order = limit(LINEAR, 'buy', '0.01', '59000', preset);
        const { orderId } = await bob.post('trade/place-order', order);
        const [open] = (await bob.get('trade/unfilled-orders', ON)).list;
        const shown = {
          ...preset,
          tpLimitPrice: each.tpOrderType === 'limit' ? limits.tpLimitPrice : '',
          slLimitPrice: each.slOrderType === 'limit' ? limits.slLimitPrice : '',
        };
        for (const [field, value] of Object.entries(shown)) {
          assert.equal(open[field], value, `interface 2.1: ${field}`);
        }
        await bob.post('trade/cancel-order', { orderId });
      }
    });

    it('interface 4.2 history-strategy-orders: type, times, limit and cursor choose', async () => {
      const all = await ended();
      assert.ok(all.length >= 4);
      const trader = await venue.small('lists', '5000');
      await venue.trade(trader, limit(LINEAR, 'buy', '0.01', START));
      const times: string[] = [];
      for (const body of [
        { ...TRIGGER, triggerPrice: '61000' },
        {
          ...ON,
          posSide: 'long',
          stopLoss: '58000',
          slTriggerBy: 'mark',
          takeProfit: '63000',
          tpTriggerBy: 'mark',
        },
        { ...TRIGGER, triggerPrice: '62000' },
      ]) {
        const orderId = await place(body, trader);
        await trader.post('trade/cancel-strategy-order', { orderId });
        times.push(String(venue.now()));
        await venue.advance(1000);
      }
      const of = (query: Record<string, string>) => ended(query, trader);
      const kinds = (rows: Data[]) => rows.map(({ type }) => type);
      assert.deepEqual(kinds(await of({})), ['trigger', 'tpsl', 'trigger']);
      assert.deepEqual(kinds(await of({ type: 'tpsl' })), ['tpsl']);
      assert.deepEqual(kinds(await of({ type: 'trigger' })), ['trigger', 'trigger']);
      const [first, second, third] = times as [string, string, string];
      assert.deepEqual(kinds(await of({ startTime: second })), ['trigger', 'tpsl'], 'the start counts');
      assert.deepEqual(kinds(await of({ endTime: second })), ['tpsl', 'trigger'], 'the end counts');
      assert.equal((await of({ startTime: first, endTime: third })).length, 3);
      assert.deepEqual(await of({ endTime: venue.ago(DAY_MS) }), []);
      const page = await trader.get('trade/history-strategy-orders', { category: ON.category, limit: '2' });
      assert.deepEqual(page.list, (await of({})).slice(0, 2));
      const next = await trader.get('trade/history-strategy-orders', {
        category: ON.category,
        limit: '2',
        cursor: page.cursor,
      });
      assert.deepEqual(next.list, (await of({})).slice(2));
    });
  });
}
