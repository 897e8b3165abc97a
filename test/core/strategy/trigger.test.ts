/** Trigger and trailing orders (rules 3.1, 3.4, 3.5, edge cases 111, 118, 119). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeCommand } from '../../../src/core/codec/command-codec.ts';
import { Exchange } from '../../../src/core/engine/exchange.ts';
import type { Command, PlaceOrder, PlaceStrategy } from '../../../src/core/model/command.ts';
import {
  type CategoryName,
  OrderType,
  Side,
  Source,
  STRATEGY_STATUS_NAMES,
  StpMode,
  StrategyKind,
  TimeInForce,
} from '../../../src/core/model/enums.ts';
import { FIRINGS_PER_COMMAND_MAX } from '../../../src/core/model/limits.ts';
import { NO_LEG } from '../../../src/core/model/tpsl.ts';
import { saveState } from '../../../src/core/snapshot/snapshot.ts';
import { type FuturesFloor, futuresFloor } from '../futures/futures-floor.ts';
import { openFloor, type TradingFloor } from '../trading-floor.ts';
import { attachedOf, cancel, modify, trail, when } from './strategy-tickets.ts';

function floorOfFour(): FuturesFloor {
  const floor = futuresFloor('1000000', 'ann', 'bob', 'eve', 'mel');
  floor.deal('eve', 'mel', '0.1', '60000');
  return floor;
}

const print = (floor: FuturesFloor, price: string) => floor.deal('eve', 'mel', '0.1', price);

describe('a trigger order', () => {
  test('above the last price fires when the price has risen to it, and may open a position', () => {
    const floor = floorOfFour();
    const order = when(floor, 'ann', 'buy', '0.5', '61000');
    floor.sell('bob', '1', '61500');
    print(floor, '60999.9');
    assert.equal(order.stands, 'pending');
    print(floor, '61000');
    assert.equal(order.stands, 'success');
    assert.equal(order.delegateType, 'plan_market');
    assert.equal(floor.position('ann'), 'long 0.5 @ 61500');
  });

  test('below the last price fires when the price has fallen to it, with a limit order', () => {
    const floor = floorOfFour();
    const order = when(floor, 'ann', 'buy', '0.5', '59000', { limit: '58900' });
    print(floor, '61000');
    assert.equal(order.stands, 'pending');
    print(floor, '59000');
    assert.equal(order.child.stands, 'new 0/0.5');
    assert.equal(order.child.price, '58900');
    assert.equal(order.delegateType, 'plan_limit');
  });

  test('makes an order that is known for one of a trigger after a restart too', () => {
    const floor = floorOfFour();
    const order = when(floor, 'ann', 'buy', '0.5', '59000', { limit: '58500' });
    print(floor, '59000');
    assert.equal(order.child.stands, 'new 0/0.5');
    floor.restart();
    floor.cancel('ann', order.child);
    assert.equal(order.child.stands, 'cancelled 0/0.5 normal_cancel');
    assert.equal(order.delegateType, 'plan_limit');
  });

  test('case 118: at the last price it fires at once', () => {
    const floor = floorOfFour();
    const order = when(floor, 'ann', 'buy', '0.5', '60000', { limit: '59000' });
    assert.equal(order.stands, 'success');
    assert.deepEqual(order.life, ['pending', 'submitting', 'success']);
  });

  test('by the mark follows the mark', () => {
    const floor = floorOfFour();
    const order = when(floor, 'ann', 'sell', '0.5', '59000', { by: 'mark', limit: '59500' });
    print(floor, '58000');
    assert.equal(order.stands, 'pending');
    floor.index('59000');
    assert.equal(order.stands, 'success');
  });

  test('holds no margin while it waits; what is missing when it fires fails it', () => {
    const floor = futuresFloor('1000', 'ann');
    for (const name of ['eve', 'mel']) floor.trader(name, { USDT: '1000000' });
    print(floor, '60000');
    const order = when(floor, 'ann', 'buy', '5', '61000');
    assert.equal(floor.risk('ann').available, '1000');
    print(floor, '61000');
    assert.equal(order.stands, 'failed insufficientMargin');
  });

  test('case 111: outside the band it fails', () => {
    const floor = floorOfFour();
    const order = when(floor, 'ann', 'buy', '0.5', '61000', { limit: '150000' });
    print(floor, '61000');
    assert.equal(order.stands, 'failed buyAboveBand');
  });

  test('that only reduces fails without a position, and closes one', () => {
    const floor = floorOfFour();
    const lonely = when(floor, 'ann', 'sell', '1', '59000', { reduceOnly: true });
    print(floor, '59000');
    assert.equal(lonely.stands, 'failed noPositionToClose');
    floor.deal('ann', 'bob', '1', '60000');
    const closing = when(floor, 'ann', 'sell', '1', '58000', { reduceOnly: true });
    floor.buy('mel', '2', '57900');
    print(floor, '58000');
    assert.equal(closing.child.stands, 'filled 1/1');
    assert.equal(floor.position('ann'), 'none');
  });

  test('brings take-profit and stop-loss for what it opens', () => {
    const floor = floorOfFour();
    const wrong = when(floor, 'ann', 'buy', '1', '61000', { stopLoss: '61500' });
    assert.equal(wrong.stands, 'refused longStopLossByLast');
    when(floor, 'ann', 'buy', '1', '61000', { limit: '61100', takeProfit: '64000', stopLoss: '60500' });
    floor.sell('bob', '1', '61100');
    print(floor, '61000');
    const [record] = attachedOf(floor, 'ann');
    assert.equal(record!.record.sizeLots, 10_000);
    floor.buy('mel', '2', '60400');
    print(floor, '60500');
    assert.equal(record!.stands, 'success stopLoss');
  });

  test('survives the end of any position and can be changed', () => {
    const floor = floorOfFour();
    floor.deal('ann', 'bob', '1', '60000');
    const order = when(floor, 'ann', 'buy', '1', '61000');
    floor.deal('bob', 'ann', '1', '60000');
    assert.equal(order.stands, 'pending');
    assert.equal(modify(floor, 'ann', order, { trigger: '59000', qty: '0.2' }), 'none');
    print(floor, '61500');
    assert.equal(order.stands, 'pending');
    print(floor, '59000');
    assert.equal(order.child.stands, 'cancelled 0/0.2 ioc_not_full_cancel');
  });

  test('has no callback to change', () => {
    const floor = floorOfFour();
    const order = when(floor, 'ann', 'buy', '0.5', '61000');
    assert.equal(modify(floor, 'ann', order, { callback: 5 }), 'strategyUnchanged');
    assert.equal(order.record.callbackPpm, 0);
  });

  test('is checked for what can be known before', () => {
    const floor = floorOfFour();
    assert.equal(when(floor, 'ann', 'buy', '0', '61000').stands, 'refused sizeTooSmall');
    assert.equal(when(floor, 'ann', 'buy', '1', '61000.05').stands, 'refused triggerPriceOffTick');
    assert.equal(when(floor, 'ann', 'buy', '1', '0').stands, 'refused triggerPriceOutOfRange');
    assert.equal(when(floor, 'ann', 'buy', '1', '61000', { limit: '0.01' }).stands, 'refused priceOffTick');
    floor.holdMode('bob', 'hedge_mode');
    assert.equal(when(floor, 'bob', 'buy', '1', '61000').stands, 'refused positionSideNeeded');
    assert.equal(when(floor, 'bob', 'buy', '1', '61000', { posSide: 'long' }).stands, 'pending');
  });

  test('an account holds four hundred', () => {
    const floor = floorOfFour();
    for (let n = 0; n < 400; n++) when(floor, 'ann', 'buy', '1', '61000');
    assert.equal(when(floor, 'ann', 'buy', '1', '61000').stands, 'refused tooManyStrategies');
    assert.equal(floor.buy('ann', '0.1', '59000', { stopLoss: '58000' }).stands, 'refused tooManyStrategies');
    assert.equal(floor.buy('ann', '0.1', '59000').stands, 'new 0/0.1');
  });

  test('works on spot: a market buy spends money', () => {
    const floor = openFloor('ann', 'bob', 'mel');
    floor.printPrice('60000');
    const order = when(floor, 'ann', 'buy', '6000', '61000');
    floor.sell('bob', '1', '61000');
    floor.buy('mel', '0.1', '61000');
    assert.equal(order.stands, 'success');
    assert.equal(order.child.value, '5999.96');
    const sale = when(floor, 'ann', 'sell', '0.5', '60500', { limit: '60400' });
    floor.printPrice('60500');
    assert.equal(sale.child.stands, 'new 0/0.5');
    assert.equal(sale.delegateType, 'plan_limit');
  });

  test('on spot without the money fails', () => {
    const floor = openFloor('bob', 'mel');
    floor.trader('ann', { USDT: '100' });
    floor.printPrice('60000');
    const order = when(floor, 'ann', 'sell', '1', '61000');
    floor.printPrice('61000');
    assert.equal(order.stands, 'failed insufficientBalance');
  });
});

describe('a trailing order', () => {
  test('fires as in the example of rules 3.4', () => {
    const floor = floorOfFour();
    floor.deal('ann', 'bob', '1', '60000');
    const order = trail(floor, 'ann', 'sell', '1', 2, { from: '63000', reduceOnly: true });
    print(floor, '62500');
    assert.equal(order.record.extremeTicks, 0);
    print(floor, '63200');
    print(floor, '65000');
    print(floor, '63700.1');
    assert.equal(order.stands, 'pending');
    floor.buy('mel', '2', '63600');
    print(floor, '63700');
    assert.equal(order.stands, 'success');
    assert.equal(order.record.extremeTicks, 650_000);
    assert.equal(order.delegateType, 'tracking_plan_market');
    assert.equal(floor.position('ann'), 'none');
  });

  test('that buys follows the lowest price', () => {
    const floor = floorOfFour();
    const order = trail(floor, 'ann', 'buy', '1', 1);
    print(floor, '59000');
    print(floor, '58000');
    print(floor, '58579.9');
    assert.equal(order.stands, 'pending');
    print(floor, '58580');
    assert.equal(order.stands, 'success');
  });

  test('by the mark follows the mark', () => {
    const floor = floorOfFour();
    const order = trail(floor, 'ann', 'sell', '1', 1, { by: 'mark' });
    print(floor, '50000');
    floor.index('62000');
    floor.index('61381');
    assert.equal(order.stands, 'pending');
    floor.index('61379');
    assert.equal(order.stands, 'success');
  });

  test('is the same after a restart when the mark is beyond what a snapshot keeps of a price', () => {
    const floor = floorOfFour();
    const order = trail(floor, 'ann', 'sell', '1', 1, { by: 'mark' });
    const { futures } = floor.state.market(order.instrument);
    for (let second = 0; second < 600 && futures!.markTicks <= 2 ** 31; second++) floor.index('300000000');
    assert.ok(futures!.markTicks > 2 ** 31, `${futures!.markTicks}`);
    const late = trail(floor, 'bob', 'sell', '1', 1, { by: 'mark' });
    assert.equal(late.record.extremeTicks, 2 ** 31 - 1);
    const image = floor.image();
    floor.restart();
    assert.deepEqual(floor.image(), image);
    const extremes = [...floor.state.strategies.byId.values()].map(({ extremeTicks }) => extremeTicks);
    assert.deepEqual(extremes, [2 ** 31 - 1, 2 ** 31 - 1]);
  });

  test('those that have seen the same price fire by their own callbacks', () => {
    const floor = floorOfFour();
    const narrow = trail(floor, 'ann', 'sell', '0.1', 1);
    print(floor, '61000');
    const wide = trail(floor, 'ann', 'sell', '0.1', 3);
    const late = trail(floor, 'bob', 'sell', '0.1', 2);
    print(floor, '62000');
    print(floor, '61380');
    assert.deepEqual([narrow.stands, wide.stands, late.stands], ['success', 'pending', 'pending']);
    print(floor, '60760');
    assert.deepEqual([wide.stands, late.stands], ['pending', 'success']);
    print(floor, '60140');
    assert.equal(wide.stands, 'success');
  });

  test('takes a callback of 0.01 to 10 percent', () => {
    const floor = floorOfFour();
    assert.equal(trail(floor, 'ann', 'sell', '1', 10.01).stands, 'refused callbackOutOfRange');
    assert.equal(trail(floor, 'ann', 'sell', '1', 0.009).stands, 'refused callbackOutOfRange');
    assert.equal(trail(floor, 'ann', 'sell', '1', 10).stands, 'pending');
  });

  test('changes its callback without forgetting what it has seen; cancels', () => {
    const floor = floorOfFour();
    const order = trail(floor, 'ann', 'sell', '1', 5);
    print(floor, '65000');
    print(floor, '64000');
    assert.equal(modify(floor, 'ann', order, { callback: 1 }), 'none');
    assert.equal(order.stands, 'success');
    const other = trail(floor, 'ann', 'sell', '1', 1);
    assert.equal(cancel(floor, 'ann', other), 'none');
    print(floor, '60000');
    assert.equal(other.stands, 'cancelled normal_cancel');
  });
});

describe('a cascade', () => {
  test('case 119: stop sales push the price through more stops; each fires in the order of ids, one by one', () => {
    const floor = floorOfFour();
    const stops = ['59000', '59500', '58000', '59400'].map((at) => when(floor, 'ann', 'sell', '1', at));
    for (const price of ['59400', '58950', '57950', '57900']) floor.buy('mel', '1', price);
    print(floor, '59500');
    assert.ok(stops.every(({ stands }) => stands === 'success'));
    const fired = floor
      .eventsOf('strategyOrder')
      .filter(({ order }) => STRATEGY_STATUS_NAMES[order.status] === 'success')
      .map(({ order }) => stops.findIndex(({ outcome }) => outcome.orderId === order.orderId));
    assert.deepEqual(fired, [1, 3, 0, 2]);
    const prices = stops.map(({ child }) => child.fills[0]);
    assert.deepEqual(prices, ['1 @ 57950 taker', '1 @ 59400 taker', '1 @ 57900 taker', '1 @ 58950 taker']);
  });

  test('case 119: those that one price reaches fire in the order of ids, whatever their triggers', () => {
    const floor = floorOfFour();
    const stops = ['59500', '59100', '59300'].map((at) => when(floor, 'ann', 'sell', '1', at));
    for (const price of ['58900', '58800', '58700']) floor.buy('mel', '1', price);
    print(floor, '59000');
    const prices = stops.map(({ child }) => child.fills[0]);
    assert.deepEqual(prices, ['1 @ 58900 taker', '1 @ 58800 taker', '1 @ 58700 taker']);
  });

  test('of 5,000 stops fires in one order, and a replay comes to the same bytes', () => {
    const floor = floorOfFour();
    const names = Array.from({ length: 25 }, (_, n) => `stopper ${n}`);
    for (const name of names) floor.trader(name, { USDT: '10000000' });
    const exchange = new Exchange();
    for (const bytes of floor.log) exchange.apply(decodeCommand(bytes));
    // Beyond the floor, which checks everything after each command.
    const log: Command[] = [];
    const apply = (command: Command) => {
      log.push(command);
      return exchange.apply(structuredClone(command));
    };
    const count = 5000;
    for (let n = 0; n < count; n++) apply(stop(floor, names[n % 25]!, 599_990 - ((n * 7) % count)));
    for (let n = 0; n <= count + 20; n += 20) apply(bid(floor, 599_995 - n, 20));
    exchange.takeEvents();
    apply(sale(floor, 60));
    const ends = exchange
      .takeEvents()
      .flatMap((event) => (event.type === 'strategyOrder' ? [event.order] : []));
    const success = ends.filter(({ status }) => STRATEGY_STATUS_NAMES[status] === 'success');
    assert.equal(success.length, count);
    assert.equal(exchange.state.strategies.byId.size, 0);
    const again = new Exchange();
    for (const bytes of floor.log) again.apply(decodeCommand(bytes));
    for (const command of log) again.apply(structuredClone(command));
    assert.deepEqual(Buffer.from(saveState(again.state)), Buffer.from(saveState(exchange.state)));
  });

  test('that is too long for one command goes on with the next second', () => {
    const floor = openFloor('ann', 'bob');
    floor.printPrice('60000');
    const uids = Array.from({ length: 26 }, (_, n) => 5000 + n);
    const count = FIRINGS_PER_COMMAND_MAX + 20;
    const opening = { type: 'openAccount', masterUid: 0, marketMaker: false, house: false } as const;
    const trigger = stop(floor, 'ann', 5_900_000, 'SPOT');
    // Beyond the floor, which checks everything after each command.
    floor.arrange((exchange) => {
      for (const uid of uids) exchange.apply({ ...opening, time: trigger.time, uid });
      for (let n = 0; n < count; n++) exchange.apply({ ...trigger, uid: uids[n % uids.length]! });
      exchange.takeEvents();
    });
    floor.restart();
    floor.printPrice('59000');
    const failed = () =>
      floor.eventsOf('strategyOrder').filter(({ order }) => STRATEGY_STATUS_NAMES[order.status] === 'failed')
        .length;
    assert.equal(failed(), FIRINGS_PER_COMMAND_MAX);
    floor.restart();
    floor.wait(1000);
    assert.equal(failed(), count);
  });
});

function stop(
  floor: TradingFloor,
  name: string,
  triggerTicks: number,
  category?: CategoryName,
): PlaceStrategy {
  return {
    type: 'placeStrategy',
    time: floor.now,
    uid: floor.uid(name),
    source: Source.api,
    instrument: floor.instrument('BTCUSDT', category).index,
    kind: StrategyKind.trigger,
    side: Side.sell,
    posSide: 0,
    reduceOnly: false,
    stpMode: StpMode.none,
    sizeLots: 1,
    quoteAmount: 0n,
    takeProfit: NO_LEG,
    stopLoss: NO_LEG,
    trigger: { ...NO_LEG, triggerTicks },
    callbackPpm: 0,
    clientOid: '',
  };
}

function bid(floor: TradingFloor, priceTicks: number, sizeLots: number): PlaceOrder {
  return {
    type: 'placeOrder',
    time: floor.now,
    uid: floor.uid('bob'),
    source: Source.api,
    instrument: floor.instrument('BTCUSDT').index,
    side: Side.buy,
    orderType: OrderType.limit,
    timeInForce: TimeInForce.gtc,
    stpMode: StpMode.none,
    priceTicks,
    sizeLots,
    quoteAmount: 0n,
    clientOid: '',
  };
}

function sale(floor: TradingFloor, sizeLots: number): PlaceOrder {
  return { ...bid(floor, 0, sizeLots), uid: floor.uid('eve'), side: Side.sell, orderType: OrderType.market };
}
