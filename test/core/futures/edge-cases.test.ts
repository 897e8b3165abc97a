/** Edge cases of rules 10.2 in exactly the numbers of their rows, where other tests here have numbers of their own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { BTC_PERPETUAL, FuturesFloor, futuresFloor } from './futures-floor.ts';

/** A hedge account that is long 100. */
function hedgedLong(): FuturesFloor {
  const floor = futuresFloor('10000000', 'ann', 'bob');
  floor.holdMode('ann', 'hedge_mode');
  floor.leverage('ann', 20);
  floor.sell('bob', '100', '60000');
  floor.buy('ann', '100', '60000', { posSide: 'long' });
  return floor;
}

const LONG = { posSide: 'long' } as const;

test('case 51: one-way long 0.3 sells 0.5 at 60 600: closes 0.3 for 10.908, opens a short of 0.2 for 7.272', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '0.3', '60000');
  floor.buy('bob', '0.5', '60600');
  floor.sell('ann', '0.5', '60600');
  assert.deepEqual(floor.executions('ann').slice(1), [
    'user close 0.3 @ 60600 fee 10.908 pnl 180',
    'user open 0.2 @ 60600 fee 7.272 pnl 0',
  ]);
});

test('case 54: long 100, a limit close of 70 rests, a market close of 50 closes 30', () => {
  const floor = hedgedLong();
  const resting = floor.sell('ann', '70', '61000', LONG);
  floor.buy('bob', '50', '60000');
  assert.equal(floor.marketOrder('ann', 'sell', '50', LONG).stands, 'filled 30/30');
  assert.equal(resting.stands, 'new 0/70');
});

test('case 55: long 100 and a limit close of 100: a new limit close of 40 takes its place, frozen 40', () => {
  const floor = hedgedLong();
  const first = floor.sell('ann', '100', '61000', LONG);
  const second = floor.sell('ann', '40', '61000', LONG);
  assert.equal(first.stands, 'cancelled 0/100 normal_cancel');
  assert.equal(second.stands, 'new 0/40');
  assert.deepEqual([floor.fields('ann').frozen, floor.fields('ann').available], ['40', '60']);
});

test('case 56: a limit close of 60 and another of 60 on 100: the second is refused, 40 are available', () => {
  const floor = hedgedLong();
  floor.sell('ann', '60', '61000', LONG);
  const second = floor.sell('ann', '60', '61000', LONG);
  assert.equal(second.rejectReason, 'closeAboveAvailable');
  assert.equal(second.outcome.bound, 400_000);
  assert.deepEqual([floor.fields('ann').frozen, floor.fields('ann').available], ['60', '40']);
});

test('case 90: deleveraging never runs out: every counterparty together is as large as the position', () => {
  const floor = futuresFloor('100000', 'bob', 'cat', 'dan');
  floor.trader('ann', { USDT: '16000' });
  floor.mark('50000');
  floor.isolate('ann');
  floor.leverage('ann', 10);
  for (const [name, qty] of [
    ['bob', '0.5'],
    ['cat', '1.2'],
    ['dan', '1.3'],
  ] as const)
    floor.deal('ann', name, qty, '50000');
  floor.mark('40000');
  for (const name of ['ann', 'bob', 'cat', 'dan']) assert.equal(floor.position(name), 'none', name);
  const adl = ['bob', 'cat', 'dan'].map((name) =>
    floor.executions(name).at(-1)!.split(' ').slice(0, 3).join(' '),
  );
  assert.deepEqual(adl, ['adl close 0.5', 'adl close 1.2', 'adl close 1.3']);
});

test('case 95: margin 1 above maintenance and fee and 5 to pay: 1 is paid, receivers share it', () => {
  // Long 1 from 50 000 with 400 of margin; at 100 000 it must keep 339 and the fee of 60.
  const tiers = [{ upTo: '150000', maxLeverage: '125', mmr: '0.00339' }];
  const rates = { minFundingRate: '0.00005', maxFundingRate: '0.00005' };
  const floor = new FuturesFloor({
    ...BTC_PERPETUAL,
    futures: { ...BTC_PERPETUAL.futures!, tiers, ...rates },
  });
  for (const name of ['ann', 'bob', 'cat']) floor.trader(name, { USDT: '100000' });
  floor.mark('50000');
  floor.isolate('ann');
  floor.leverage('ann', 125);
  floor.deal('ann', 'bob', '0.7', '50000');
  floor.deal('ann', 'cat', '0.3', '50000');
  floor.mark('100000');
  floor.wait(60_000);
  assert.equal(floor.position('ann'), 'long 1 @ 50000 iso 400');
  floor.at(OPENING_BELL + 8 * 3_600_000);
  assert.equal(floor.position('ann'), 'long 1 @ 50000 iso 399');
  assert.equal(floor.fields('ann').totalFunding, '-1');
  assert.equal(floor.fields('bob').totalFunding, '0.7');
  assert.equal(floor.fields('cat').totalFunding, '0.3');
});

test('case 101: leverage 125 with a notional of 1 000 000 is refused: tier 3 allows 50', () => {
  const floor = futuresFloor('10000000', 'ann', 'bob');
  floor.mark('62500');
  floor.deal('ann', 'bob', '16', '62500');
  assert.equal(floor.leverage('ann', 125), 'leverageAboveMaximum');
  assert.equal(floor.leverage('ann', 51), 'leverageAboveMaximum');
  assert.equal(floor.leverage('ann', 50), 'none');
});

test('case 104: a long whose margin is its whole value has no liquidation price', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.isolate('ann');
  floor.deal('ann', 'bob', '1', '60000');
  floor.addMargin('ann', '53999');
  assert.equal(floor.position('ann'), 'long 1 @ 60000 iso 59999');
  assert.notEqual(floor.fields('ann').liquidationPrice, '0');
  floor.addMargin('ann', '1');
  assert.equal(floor.fields('ann').liquidationPrice, '0');
});
