/** Orders far from what the coins are worth take margin for the difference; otherwise the house would bear it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARGIN, MarginFloor, SPOT } from './margin-floor.ts';

test('borrowed money does not buy at a price far above what the coin is worth', () => {
  const floor = new MarginFloor();
  floor.trader('ann', { USDT: '1000' });
  floor.trader('bob', { BTC: '1' });
  floor.sell('bob', '0.03', '110000', SPOT);
  assert.equal(floor.buy('ann', '0.03', '110000', MARGIN).rejectReason, 'insufficientBalance');
  floor.sell('bob', '0.03', '61000', SPOT);
  assert.equal(floor.buy('ann', '0.03', '61000', MARGIN).rejectReason, 'none');
});

test('an account in debt does not give its collateral away, neither at once nor by a modified price', () => {
  const floor = new MarginFloor();
  floor.trader('ann', { USDT: '1000' });
  floor.trader('bob', { BTC: '1' });
  floor.sell('bob', '0.03', '60000', SPOT);
  floor.buy('ann', '0.03', '60000', MARGIN);
  assert.equal(floor.sell('ann', '0.029', '10000', SPOT).rejectReason, 'insufficientBalance');
  const dear = floor.sell('ann', '0.029', '60000', SPOT);
  assert.equal(dear.rejectReason, 'none');
  assert.equal(floor.amend('ann', dear, { price: '10000' }), 'insufficientBalance');
});
