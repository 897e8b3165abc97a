/** What spot orders ask of the margin follows the orders, also while the same amounts stay locked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarginFloor, SPOT } from './margin-floor.ts';

/** Ann holds a position, so that her coins stand behind something. */
function positionFloor(): MarginFloor {
  const floor = new MarginFloor();
  floor.trader('ann', { USDT: '20000', BTC: '1' });
  floor.trader('bob', { USDT: '1000000' });
  floor.deal('ann', 'bob', '0.01', '60000');
  return floor;
}

test('a sale that is modified to a worse price asks for margin at once, though it holds the same coins', () => {
  const floor = positionFloor();
  const sale = floor.sell('ann', '0.1', '70000', SPOT);
  const { initial } = floor.risk('ann');
  assert.equal(floor.amend('ann', sale, { price: '50000' }), 'none');
  // 6 000 dollars that count 97.5 % become 5 000 that count in full.
  assert.equal(floor.haircut('ann'), '850');
  assert.equal(Number(floor.risk('ann').initial), Number(initial) + 850);
});

test('one order grows by what another shrinks: each asks for the margin of its own coin', () => {
  const floor = positionFloor();
  const coins = floor.buy('ann', '0.1', '60000', SPOT);
  const ethers = floor.buy('ann', '2', '3000', { ...SPOT, on: 'ETHUSDT' });
  const { initial } = floor.risk('ann');
  const items = [
    [coins, { qty: '0.15' }],
    [ethers, { qty: '1' }],
  ] as const;
  assert.deepEqual(floor.amendBatch('ann', items), ['none', 'none']);
  assert.equal(floor.locked('ann', 'USDT'), '12000');
  // 3 000 dollars lose 2.5 % instead of 5 %.
  assert.equal(Number(floor.risk('ann').initial), Number(initial) - 75);
});
