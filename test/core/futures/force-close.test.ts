/** Liquidation and deleveraging at the operator's word; every command is followed by `checkInvariants`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { futuresFloor } from './futures-floor.ts';

test('a healthy account is liquidated at the word of the operator: orders go, positions close through the book', () => {
  const floor = futuresFloor('100000', 'ann', 'bob', 'cat');
  floor.deal('ann', 'bob', '1', '60000');
  const waiting = floor.buy('ann', '1', '50000');
  floor.buy('cat', '1', '59900');
  assert.equal(floor.force('ann'), 'none');
  assert.equal(waiting.stands, 'cancelled 0/1 burst_cancel');
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.executions('ann').at(-1), 'liquidation close 1 @ 59900 fee 35.94 pnl -100');
  assert.equal(floor.position('cat'), 'long 1 @ 59900');
  assert.equal(floor.insurance(), '35.94');
  assert.equal(floor.force('ann'), 'noPositionToClose');
  assert.equal(floor.buy('ann', '1', '50000').stands, 'new 0/1');
});

test('what the book does not take is taken from the other side at the bankruptcy price', () => {
  const floor = futuresFloor('100000', 'bob');
  floor.trader('ann', { USDT: '6100' });
  floor.isolate('ann');
  floor.deal('ann', 'bob', '1', '60000');
  assert.equal(floor.force('ann'), 'none');
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.executions('bob').at(-1), 'adl close 1 @ 54032.5 fee 0 pnl 5967.5');
});

test('a position is deleveraged at the mark against the other side, without fees', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '1', '60000');
  const closing = floor.sell('ann', '1', '65000', { reduceOnly: true });
  floor.mark('61000');
  assert.equal(floor.force('ann', 'BTCUSDT'), 'none');
  assert.equal(closing.stands, 'cancelled 0/1 adl_cancel');
  assert.equal(floor.executions('ann').at(-1), 'adl close 1 @ 61000 fee 0 pnl 1000');
  assert.equal(floor.executions('bob').at(-1), 'adl close 1 @ 61000 fee 0 pnl -1000');
  assert.equal(floor.force('ann', 'BTCUSDT'), 'noPositionToClose');
});

test('two hedged accounts that only have each other: one is closed although the index is stale', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  for (const name of ['ann', 'bob']) floor.holdMode(name, 'hedge_mode');
  floor.sell('bob', '1', '60000', { posSide: 'short' });
  floor.buy('ann', '1', '60000', { posSide: 'long' });
  floor.buy('bob', '1', '60000', { posSide: 'long' });
  floor.sell('ann', '1', '60000', { posSide: 'short' });
  floor.wait(20 * 60_000);
  assert.equal(floor.force('ann'), 'none');
  assert.deepEqual(floor.executions('ann').slice(-2), [
    'offset close 1 @ 60000 fee 0 pnl 0',
    'offset close 1 @ 60000 fee 0 pnl 0',
  ]);
  assert.equal(floor.force('ann'), 'noPositionToClose');
});
