/** Strategy orders beyond USDT contracts: on margin, on coin-margined contracts, and on one that is delivered (rules 3). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { MARGIN, MarginFloor, SPOT } from '../borrowing/margin-floor.ts';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { BTC_COIN, BTC_PERPETUAL, FUTURES_COINS, FuturesFloor, priced } from '../futures/futures-floor.ts';
import { attachedOf, cancel, modify, protect, trail, when } from './strategy-tickets.ts';

const ON_MARGIN = { category: 'MARGIN' } as const;

describe('on margin', () => {
  /** Strangers trade on the spot book, which margin orders share. */
  function marginFloor(): MarginFloor {
    const floor = new MarginFloor();
    floor.trader('market', { USDT: '100000000', BTC: '10000' });
    floor.trader('eve', { USDT: '10000000', BTC: '100' });
    floor.deal('eve', 'market', '0.01', '60000', SPOT);
    return floor;
  }
  const print = (floor: MarginFloor, price: string) => floor.deal('eve', 'market', '0.01', price, SPOT);

  test('a trigger order fires into a margin order, which borrows what is missing', () => {
    const floor = marginFloor();
    floor.trader('ann', { USDT: '1000' });
    const plan = when(floor, 'ann', 'buy', '3000', '61000', ON_MARGIN);
    assert.equal(floor.risk('ann').initial, '0', 'nothing is taken while it waits');
    floor.sell('market', '1', '61500', SPOT);
    print(floor, '61000');
    assert.equal(plan.stands, 'success');
    assert.equal(plan.record.category, 1);
    assert.equal(plan.child.record.category, 1);
    assert.equal(plan.delegateType, 'plan_market');
    assert.equal(floor.fillsOf('ann')[0]!.category, 1);
    assert.match(floor.cash('ann', 'USDT'), /^-(1999\.\d+|2000)$/);
  });

  test('a trigger sale may open a short; one that nobody lends for fails', () => {
    const floor = marginFloor();
    floor.trader('ann', { USDT: '10000' });
    const short = when(floor, 'ann', 'sell', '0.1', '59000', ON_MARGIN);
    const tooMuch = when(floor, 'ann', 'sell', '40', '59000', ON_MARGIN);
    floor.buy('market', '100', '58990', SPOT);
    print(floor, '59000');
    assert.equal(short.stands, 'success');
    assert.equal(floor.cash('ann', 'BTC'), '-0.1');
    assert.match(tooMuch.stands, /^failed (insufficientBalance|insufficientMargin|riskTooHigh)$/);
  });

  test('a stop that came with a leveraged buy sells all of it, as much as margin is in use', () => {
    const floor = marginFloor();
    floor.trader('ann', { USDT: '1000' });
    floor.sell('market', '1', '60000', SPOT);
    floor.buy('ann', '0.05', '60000', { ...MARGIN, stopLoss: '58000', takeProfit: '66000' });
    assert.equal(floor.cash('ann', 'USDT'), '-2000');
    floor.cancelAll('market');
    floor.buy('market', '1', '57990', SPOT);
    print(floor, '58000');
    const [stop] = attachedOf(floor, 'ann');
    assert.equal(stop!.stands, 'success stopLoss');
    assert.equal(stop!.child.record.category, 1);
    assert.equal(stop!.child.stands, 'filled 0.04995/0.04995');
    assert.equal(floor.cash('ann', 'BTC'), '0');
  });

  for (const category of ['SPOT', 'MARGIN'] as const) {
    const words = { on: 'BTCUSDT', category };

    test(`a ${category} stop whose coins are gone has failed: it does not borrow coins to sell`, () => {
      const floor = marginFloor();
      floor.trader('ann', { USDT: '10000', BTC: '0.1' });
      const stop = protect(floor, 'ann', { ...words, qty: '0.1', stopLoss: '58000', posSide: 'long' });
      floor.buy('market', '0.1', '59000', SPOT);
      floor.sell('ann', '0.1', '59000', words);
      print(floor, '58000');
      assert.equal(stop.stands, 'failed insufficientBalance');
      assert.equal(floor.cash('ann', 'BTC'), '0');
    });

    test(`a ${category} stop whose coins another order holds has failed`, () => {
      const floor = marginFloor();
      floor.trader('ann', { USDT: '10000', BTC: '0.1' });
      const stop = protect(floor, 'ann', { ...words, qty: '0.1', stopLoss: '58000', posSide: 'long' });
      const offer = floor.sell('ann', '0.1', '61000', words);
      print(floor, '58000');
      assert.equal(stop.stands, 'failed insufficientBalance');
      assert.equal(offer.stands, 'new 0/0.1');
    });
  }

  test('the stop of a short buys it back', () => {
    const floor = marginFloor();
    floor.trader('ann', { USDT: '10000' });
    floor.buy('market', '0.1', '60000', SPOT);
    floor.sell('ann', '0.1', '60000', MARGIN);
    const stop = protect(floor, 'ann', { ...ON_MARGIN, qty: '0.1', stopLoss: '62000', posSide: 'short' });
    floor.sell('market', '1', '62010', SPOT);
    print(floor, '62000');
    assert.equal(stop.stands, 'success stopLoss');
    assert.equal(stop.child.stands, 'filled 0.1/0.1');
    assert.equal(floor.cash('ann', 'BTC'), '-0.0001', 'the fee of the purchase');
  });

  test('going offline ends those of the margin pair and leaves those of the spot pair', () => {
    const floor = marginFloor();
    floor.trader('ann', { USDT: '10000', BTC: '1' });
    const onMargin = when(floor, 'ann', 'sell', '0.1', '59000', ON_MARGIN);
    const onSpot = when(floor, 'ann', 'sell', '0.1', '59000', { category: 'SPOT' });
    floor.setStatus('offline', 'BTCUSDT', 'MARGIN');
    assert.equal(onMargin.stands, 'cancelled delegated_risk_order_cancel');
    assert.equal(onSpot.stands, 'pending');
  });
});

const BTC_USDC: InstrumentSpec = {
  ...BTC_PERPETUAL,
  symbol: 'BTCPERP',
  category: 'USDC-FUTURES',
  quoteCoin: 'USDC',
  indexComponents: [{ exchange: 'elsewhere', spotPair: 'BTC/USDC', weight: '1' }],
};

for (const [category, on, index, coin, deposit] of [
  ['COIN-FUTURES', 'BTCUSD', 'BTCUSD', 'BTC', '10'],
  ['USDC-FUTURES', 'BTCPERP', 'BTCUSDC', 'USDC', '1000000'],
] as const) {
  describe(`on ${category}`, () => {
    const at = { on, category } as const;

    function floorOf(): FuturesFloor {
      const coins = [...FUTURES_COINS, { coin: 'USDC', name: 'USDC', chains: [] }];
      const floor = new FuturesFloor(undefined, coins, [BTC_USDC, priced('USDC')]);
      floor.index('1', 'USDCUSD');
      floor.index('60000', 'BTCUSD');
      floor.index('60000', index);
      for (const name of ['ann', 'bob', 'eve', 'mel']) floor.trader(name, { [coin]: deposit });
      floor.deal('eve', 'mel', '0.1', '60000', at);
      return floor;
    }
    const print = (floor: FuturesFloor, price: string) => floor.deal('eve', 'mel', '0.1', price, at);
    const position = (floor: FuturesFloor) =>
      floor.executions('ann').filter((line) => line.includes('close')).length;

    test('a stop by trades closes the whole position; its take-profit is void', () => {
      const floor = floorOf();
      floor.deal('ann', 'bob', '1', '60000', at);
      const stop = protect(floor, 'ann', { ...at, stopLoss: '58000', takeProfit: '65000' });
      floor.buy('bob', '2', '57900', at);
      print(floor, '58000.1');
      assert.equal(stop.stands, 'pending');
      print(floor, '58000');
      assert.equal(stop.stands, 'success stopLoss');
      assert.equal(stop.child.stands, 'filled 1/1');
      assert.equal(position(floor), 1);
      print(floor, '65000');
      assert.deepEqual(stop.life, ['pending', 'submitting', 'success']);
    });

    test('a stop by the mark of this contract fires from its own index alone', () => {
      const floor = floorOf();
      floor.deal('ann', 'bob', '1', '60000', at);
      const stop = protect(floor, 'ann', { ...at, stopLoss: { at: '58000', by: 'mark' } });
      floor.buy('bob', '2', '57000', at);
      print(floor, '57500');
      floor.index('57000', 'BTCUSDT');
      assert.equal(stop.stands, 'pending');
      floor.index('58000', index);
      assert.equal(stop.stands, 'success stopLoss');
    });

    test('a trigger order opens, a trailing order closes; both are changed and cancelled as elsewhere', () => {
      const floor = floorOf();
      const plan = when(floor, 'ann', 'buy', '0.5', '61000', { ...at, stopLoss: '59000' });
      assert.equal(modify(floor, 'ann', plan, { qty: '1' }), 'none');
      floor.sell('bob', '1', '61000', at);
      print(floor, '61000');
      assert.equal(plan.child.stands, 'filled 1/1');
      const [stop] = attachedOf(floor, 'ann');
      assert.equal(cancel(floor, 'ann', stop!), 'none');
      const trailing = trail(floor, 'ann', 'sell', '1', 2, { ...at, reduceOnly: true });
      floor.cancelAll('bob');
      print(floor, '65000');
      floor.buy('bob', '1', '63000', at);
      print(floor, '63700');
      assert.equal(trailing.stands, 'success');
      assert.equal(trailing.child.stands, 'filled 1/1');
    });
  });
}

test('delivery cancels what waits on the contract, whatever its kind, and nothing else', () => {
  const march = Date.UTC(2026, 2, 27, 8);
  const hour = 60 * 60_000;
  const floor = new FuturesFloor();
  floor.send({
    type: 'listInstrument',
    time: floor.now,
    spec: {
      ...BTC_COIN,
      symbol: 'BTCUSDH26',
      futures: {
        ...BTC_COIN.futures!,
        type: 'delivery',
        fundInterval: '',
        deliveryTime: String(march),
        deliveryStartTime: String(OPENING_BELL + hour),
        deliveryPeriod: 'this_quarter',
      },
    },
  });
  for (const name of ['ann', 'bob']) floor.trader(name, { BTC: '10' });
  floor.at(march - 2 * hour);
  floor.index('60000', 'BTCUSD');
  const at = { on: 'BTCUSDH26' };
  floor.deal('ann', 'bob', '1', '60000', at);
  floor.deal('ann', 'bob', '1', '60000', { on: 'BTCUSD' });
  const waiting = [
    protect(floor, 'ann', { ...at, stopLoss: '50000' }),
    protect(floor, 'ann', { ...at, qty: '0.5', takeProfit: { at: '70000', by: 'mark' } }),
    when(floor, 'ann', 'buy', '0.5', '61000', at),
    trail(floor, 'bob', 'sell', '0.5', 5, at),
  ];
  const other = protect(floor, 'ann', { on: 'BTCUSD', stopLoss: '50000' });
  floor.at(march - 1);
  for (const each of waiting) assert.equal(each.stands, 'pending');
  floor.at(march);
  for (const each of waiting) assert.equal(each.stands, 'cancelled delivery_order_cancel');
  assert.equal(other.stands, 'pending');
});
