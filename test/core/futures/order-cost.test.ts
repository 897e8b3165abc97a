/** What open orders cost in margin, and what the books' impact prices are taken of (rules 5.6, 5.10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FuturesSpec } from '../../../src/core/model/listing-spec.ts';
import { formatUnits, RATE_SCALE } from '../../../src/core/model/units.ts';
import { BTC_PERPETUAL, FuturesFloor, futuresFloor } from './futures-floor.ts';

function withTerms(terms: Partial<FuturesSpec>): FuturesFloor {
  return new FuturesFloor({ ...BTC_PERPETUAL, futures: { ...BTC_PERPETUAL.futures!, ...terms } });
}

test('one-way: what orders against the position could turn it into counts, not what they close', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('bob', 'ann', '1', '60000');
  // 60 000 x (0.1 + 0.0006)
  assert.equal(floor.risk('ann').initial, '6036');
  // Buys of 2 make a long of 1 at most: no more than the short that is there.
  floor.buy('ann', '2', '60000');
  assert.equal(floor.risk('ann').initial, '6036');
  floor.buy('ann', '0.5', '60000');
  assert.equal(floor.risk('ann').initial, '9054');
  // Sells add to the short: 60 000 and 0.8 x 60 100.
  floor.sell('ann', '0.8', '60100');
  assert.equal(floor.risk('ann').initial, '10872.848');
});

test('hedge: the larger of both sides with its opening orders', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.holdMode('ann', 'hedge_mode');
  floor.sell('bob', '1', '60000');
  floor.buy('ann', '1', '60000', { posSide: 'long' });
  floor.buy('bob', '0.5', '60000');
  floor.sell('ann', '0.5', '60000', { posSide: 'short' });
  assert.equal(floor.risk('ann').initial, '6036');
  floor.sell('ann', '0.7', '60000', { posSide: 'short' });
  assert.equal(floor.risk('ann').initial, '7243.2');
  floor.buy('ann', '0.3', '60000', { posSide: 'long' });
  assert.equal(floor.risk('ann').initial, '7846.8');
});

test('reduce-only orders need no margin (rules 1.10)', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '1', '60000');
  const { initial } = floor.risk('ann');
  floor.sell('ann', '1', '61000', { reduceOnly: true });
  assert.equal(floor.risk('ann').initial, initial);
});

test('the fee of orders is reserved with its markup, that of positions without', () => {
  const floor = withTerms({ feeRateUpRatio: '0.5' });
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '100000' });
  floor.buy('ann', '0.1', '60000');
  assert.equal(floor.risk('ann').initial, '605.4');
  floor.sell('bob', '0.1', '60000');
  assert.equal(floor.risk('ann').initial, '603.6');
});

test('a market buy is reserved at the best ask and its markup, with the loss that would be', () => {
  for (const [usdt, stands] of [
    ['6696.35', 'refused insufficientMargin'],
    ['6696.36', 'filled 1/1'],
  ] as const) {
    const floor = withTerms({ openCostUpRatio: '0.01' });
    floor.trader('ann', { USDT: usdt });
    floor.trader('bob', { USDT: '100000' });
    floor.sell('bob', '2', '60000');
    // 60 600 x (0.1 + 0.0006) and 600 of loss at the mark.
    assert.equal(floor.marketOrder('ann', 'buy', '1').stands, stands);
  }
});

test('impact prices are of 200 over the margin of the highest leverage: 25 000 at 125 (rules 5.10)', () => {
  const premium = (terms: Partial<FuturesSpec>) => {
    const floor = withTerms(terms);
    floor.trader('bob', { USDT: '10000000' });
    floor.buy('bob', '0.2', '60600');
    floor.buy('bob', '10', '60500');
    floor.wait(60_000);
    return formatUnits(floor.state.market(floor.instrument()).futures!.premium.last, RATE_SCALE);
  };
  // 0.2 at 60 600 and 12 880 at 60 500: 60 548.4388 on average.
  assert.equal(premium({}), '0.00914064585');
  // 200 x 50 = 10 000 are all had at the best bid.
  const tiers = BTC_PERPETUAL.futures!.tiers!.map((tier) => ({ ...tier, maxLeverage: '20' }));
  assert.equal(premium({ maxLeverage: '50', tiers }), '0.01');
});
