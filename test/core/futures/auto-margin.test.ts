/** Isolated positions that add margin by themselves before they are liquidated (rules 5.9). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRestartAnywhere } from '../restart-anywhere.ts';
import { type FuturesFloor, futuresFloor } from './futures-floor.ts';

/** Ann is long 1 at 50 000 with ten times leverage, so that 45 207.9 would liquidate her (rules 5.7). */
function isolatedLong(cash = '20000'): FuturesFloor {
  const floor = futuresFloor('100000', 'bob', 'cat');
  floor.trader('ann', { USDT: cash });
  floor.mark('50000');
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.deal('ann', 'bob', '1', '50000');
  return floor;
}

test('what is due takes cash up to its initial margin at the mark and stays open', () => {
  const floor = isolatedLong();
  assert.equal(floor.autoMargin('ann'), 'none');
  floor.mark('45208');
  assert.equal(floor.position('ann'), 'long 1 @ 50000 iso 5000');
  floor.mark('45000');
  // A loss of 5 000 and a tenth of 45 000.
  assert.equal(floor.position('ann'), 'long 1 @ 50000 iso 9500');
  assert.equal(floor.cash('ann', 'USDT'), '10470');
  // (9 500 - 50 000) / (0.004 + 0.0006 - 1)
  assert.equal(floor.fields('ann').liquidationPrice, '40687.2');
  assert.deepEqual(
    floor.lines('ann').filter((line) => line.startsWith('marginAdded')),
    ['marginAdded -5000 fee 0 USDT = 14970', 'marginAdded -4500 fee 0 USDT = 10470'],
  );
  floor.mark('40687.1');
  assert.match(floor.position('ann'), /^long 1 @ 50000 iso 13381/);
});

test('it is off until it is switched on, and off again after', () => {
  for (const switched of [false, true]) {
    const floor = isolatedLong();
    if (switched) floor.autoMargin('ann');
    floor.autoMargin('ann', 'off');
    floor.mark('45207.9');
    assert.equal(floor.position('ann'), 'none');
    assert.equal(floor.cash('ann', 'USDT'), '14970');
  }
});

test('orders of the position go first, whatever it adds', () => {
  const floor = isolatedLong();
  floor.autoMargin('ann');
  const resting = floor.buy('ann', '0.1', '44000');
  const closing = floor.sell('ann', '0.5', '60000', { reduceOnly: true });
  floor.mark('45000');
  assert.equal(resting.stands, 'cancelled 0/0.1 burst_cancel');
  assert.equal(closing.stands, 'cancelled 0/0.5 burst_cancel');
  assert.equal(floor.position('ann'), 'long 1 @ 50000 iso 9500');
});

test('no more than it was allowed, all together', () => {
  const floor = isolatedLong();
  floor.autoMargin('ann', '1500');
  floor.mark('45100');
  assert.equal(floor.position('ann'), 'long 1 @ 50000 iso 6500');
  floor.mark('43700');
  // The room is used up: 6 500 less a loss of 6 300 is less than what it must keep.
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.cash('ann', 'USDT'), '13470');
});

test('money that would not save it is not thrown after it', () => {
  const floor = isolatedLong();
  floor.autoMargin('ann', '100');
  floor.mark('45100');
  // 5 100 less 4 900 is still below 180.4 and the fee of 27.06.
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.cash('ann', 'USDT'), '14970');
  assert.deepEqual(
    floor.lines('ann').filter((line) => line.startsWith('marginAdded')),
    ['marginAdded -5000 fee 0 USDT = 14970'],
  );
});

test('cash that crossed positions stand on is not taken', () => {
  const floor = isolatedLong('6000');
  floor.autoMargin('ann');
  floor.index('50000', 'BTCUSD');
  // 970 are left; a crossed position in another contract needs all but a little of the account's margin.
  floor.trader('dan', { BTC: '10' });
  floor.deposit('ann', '0.1', 'BTC');
  floor.leverage('ann', 10, 'BTCUSD');
  floor.deal('ann', 'dan', '1.1', '50000', { on: 'BTCUSD' });
  const free = Number(floor.risk('ann').available);
  assert.ok(free > 0 && free < 970, `${free} is free`);
  floor.mark('45100');
  assert.equal(Number(floor.risk('ann').available), 0);
  assert.match(floor.position('ann'), /^long 1 @ 50000 iso 5/);
  assert.equal(floor.position('ann', { on: 'BTCUSD' }), 'long 1.1 @ 50000');
});

test('each side of a hedge is switched on its own, and the switch goes with the position', () => {
  const floor = futuresFloor('100000', 'bob', 'ann');
  floor.mark('50000');
  floor.holdMode('ann', 'hedge_mode');
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.sell('bob', '1', '50000');
  floor.buy('ann', '1', '50000', { posSide: 'long' });
  floor.buy('bob', '1', '50000');
  floor.sell('ann', '1', '50000', { posSide: 'short' });
  assert.equal(floor.autoMargin('ann', '', { posSide: 'short' }), 'none');
  floor.mark('55000');
  assert.equal(floor.position('ann', { long: false }), 'short 1 @ 50000 iso 10500');
  floor.mark('45000');
  assert.equal(floor.position('ann', { long: true }), 'none');
  floor.sell('bob', '1', '45000');
  floor.buy('ann', '1', '45000', { posSide: 'short' });
  floor.buy('bob', '1', '45000');
  floor.sell('ann', '1', '45000', { posSide: 'short' });
  floor.mark('49500');
  assert.equal(floor.position('ann', { long: false }), 'none');
});

test('a coin-margined position takes coin', () => {
  const floor = futuresFloor('100000', 'cat');
  const on = { on: 'BTCUSD' } as const;
  for (const name of ['ann', 'bob']) floor.trader(name, { BTC: '2' });
  floor.index('50000', 'BTCUSD');
  floor.isolate('ann', 'BTCUSD');
  floor.leverage('ann', 10, 'BTCUSD');
  floor.deal('ann', 'bob', '1', '50000', on);
  floor.autoMargin('ann', '', on);
  floor.index('45600', 'BTCUSD');
  // A loss of 4 400 and a tenth of 45 600, at 45 600 a coin.
  assert.equal(floor.position('ann', on), 'long 1 @ 50000 iso 0.19649122');
  assert.equal(floor.fields('ann', on).positionBalance, '0.19649122');
});

test('without an isolated position there is nothing to switch', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  assert.equal(floor.autoMargin('ann'), 'noPositionToClose');
  floor.deal('ann', 'bob', '0.1', '60000');
  assert.equal(floor.autoMargin('ann'), 'noPositionToClose');
});

test('an amount beyond all money is none', () => {
  const floor = isolatedLong();
  assert.equal(floor.autoMargin('ann', `1${'0'.repeat(23)}`), 'amountOutOfRange');
  floor.mark('45207.9');
  assert.equal(floor.position('ann'), 'none');
});

test('a restart anywhere keeps the switch and its room (I40)', () => {
  const floor = isolatedLong();
  floor.autoMargin('ann', '3000');
  for (const price of ['47000', '45100', '44000', '42000']) floor.index(price);
  assert.equal(floor.position('ann'), 'none');
  assertRestartAnywhere(floor);
});
