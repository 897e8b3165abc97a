/** Coin-margined contracts: counted in dollars, kept and paid in coin (rules 5.2 model B, 5.4, 5.7, 5.8). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bankruptcyTicks } from '../../../src/core/margin/bankruptcy.ts';
import { FuturesFloor, units } from './futures-floor.ts';

const ON = { on: 'BTCUSD' } as const;

function coinFloor(price = '50000'): FuturesFloor {
  const floor = new FuturesFloor();
  for (const name of ['ann', 'bob']) floor.trader(name, { BTC: '10' });
  floor.index(price, 'BTCUSD');
  return floor;
}

test('fee q t, initial margin q (1/L + t), maintenance q m - D/P, all in coin', () => {
  const floor = coinFloor();
  floor.deal('ann', 'bob', '4', '50000', ON);
  // Taker 0.06 % and maker 0.02 % of 4 coins.
  assert.equal(floor.fields('ann', ON).openFeeTotal, '-0.0024');
  assert.equal(floor.fields('bob', ON).openFeeTotal, '-0.0008');
  // 4 x (0.1 + 0.0006).
  assert.equal(floor.fields('ann', ON).positionBalance, '0.4024');
  assert.equal(floor.risk('ann').initial, String(0.4024 * 50_000));
  // 200 000 are in tier 2: 4 x 0.005 - 150 / 50 000 = 0.017, and the fee of 0.0024.
  assert.equal(floor.risk('ann').maintenance, String((0.017 + 0.0024) * 50_000));
});

test('a profit is linear in dollars and paid in coin at the price of the trade, cut off', () => {
  const floor = coinFloor();
  floor.deal('ann', 'bob', '1', '50000', ON);
  floor.index('60000', 'BTCUSD');
  assert.equal(floor.fields('ann', ON).unrealisedPnl, '0.16666666');
  floor.deal('bob', 'ann', '1', '60000', ON);
  assert.deepEqual(floor.executions('ann').at(-1), 'user close 1 @ 60000 fee 0.0002 pnl 0.16666666');
  // A loss is rounded down as well: the dust is the house's.
  assert.deepEqual(floor.executions('bob').at(-1), 'user close 1 @ 60000 fee 0.0006 pnl -0.16666667');
});

test('bankruptcy prices: q E / (iso + q (1 - t)) for a long, q E / (q (1 + t) - iso) for a short (rules 5.8)', () => {
  const instrument = coinFloor().instrument('BTCUSD');
  const at = (long: boolean, margin: string) =>
    bankruptcyTicks(instrument, long, 10_000, units('50000'), units(margin));
  // 45 479.3524 up, 55 518.5432 down.
  assert.equal(at(true, '0.1'), 454_794);
  assert.equal(at(false, '0.1'), 555_185);
});

test('an isolated long is liquidated exactly below 45 645.43 (rules 5.7)', () => {
  const floor = coinFloor();
  floor.isolate('ann', 'BTCUSD');
  floor.leverage('ann', 10, 'BTCUSD');
  floor.deal('ann', 'bob', '1', '50000', ON);
  assert.equal(floor.position('ann', ON), 'long 1 @ 50000 iso 0.1');
  assert.equal(floor.fields('ann', ON).liquidationPrice, '45645.5');
  floor.index('45645.5', 'BTCUSD');
  assert.equal(floor.position('ann', ON), 'long 1 @ 50000 iso 0.1');
  floor.index('45645.4', 'BTCUSD');
  assert.equal(floor.position('ann', ON), 'none');
});

test('and a short exactly above 55 273.05 (rules 5.7)', () => {
  const floor = coinFloor();
  floor.isolate('bob', 'BTCUSD');
  floor.leverage('bob', 10, 'BTCUSD');
  floor.deal('ann', 'bob', '1', '50000', ON);
  assert.equal(floor.fields('bob', ON).liquidationPrice, '55273');
  floor.index('55273', 'BTCUSD');
  assert.equal(floor.position('bob', ON), 'short 1 @ 50000 iso 0.1');
  floor.index('55273.1', 'BTCUSD');
  assert.equal(floor.position('bob', ON), 'none');
});
