/** A price of less than half a step of the grid is the least price and not none (rules 19.5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FuturesFloor } from '../futures/futures-floor.ts';

const SECONDS_MAX = 400;

/** A collapse from 60,000 to less than half a tick; ann is short. Returns what her position shows. */
function collapsed(edition: number) {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition });
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '1000000' });
  floor.deal('bob', 'ann', '1', '60000');
  const { futures } = floor.state.market(floor.instrument('BTCUSDT'));
  for (let second = 0; second < SECONDS_MAX && futures!.mark.price > 4_000_000n; second++)
    floor.index('0.04');
  return floor.fields('ann');
}

test('19.5: a mark below half a tick is one tick, and the short of a collapse has won', () => {
  const { markPrice, unrealisedPnl } = collapsed(9);
  assert.deepEqual([markPrice, unrealisedPnl], ['0.1', '59999.9']);
});

test('before the ninth edition it was the opening price', () => {
  const { markPrice, unrealisedPnl } = collapsed(8);
  assert.deepEqual([markPrice, unrealisedPnl], ['60000', '0']);
});
