/** Modified futures orders pass the checks of new ones (rules 1.12 items 4 to 6): tier, margin, bankruptcy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { futuresFloor } from './futures-floor.ts';

test('an amend that would reach a tier beyond the leverage is refused', () => {
  const floor = futuresFloor('1000000', 'ann');
  floor.leverage('ann', 100);
  const order = floor.buy('ann', '10', '59000');
  assert.equal(order.stands, 'new 0/10');
  // 16 at 59 000 are 944 000: tier 3 allows 50.
  assert.equal(floor.amend('ann', order, { qty: '16' }), 'aboveTier');
  assert.equal(floor.amend('ann', order, { qty: '15' }), 'none');
});

/** Ann holds one contract with a margin of its own of 3000 USDT, and has plenty beside it. */
function isolatedPosition(side: 'long' | 'short') {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.isolate('ann');
  floor.leverage('ann', 20);
  if (side === 'long') floor.deal('ann', 'bob', '1', '60000');
  else floor.deal('bob', 'ann', '1', '60000');
  return floor;
}

test('a long is not sold below its bankruptcy price, by a new order or a modified one (25654)', () => {
  const floor = isolatedPosition('long');
  const refused = floor.sell('ann', '1', '57000');
  assert.equal(refused.rejectReason, 'sellBeyondBankruptcy');
  assert.equal(refused.outcome.bound, 570_343);
  const order = floor.sell('ann', '1', '61000');
  assert.equal(floor.amend('ann', order, { price: '57034.2' }), 'sellBeyondBankruptcy');
  assert.equal(order.stands, 'new 0/1');
  assert.equal(floor.amend('ann', order, { price: '57034.3' }), 'none');
});

test('a short is not bought back above its bankruptcy price, by a new order or a modified one (25655)', () => {
  const floor = isolatedPosition('short');
  const refused = floor.buy('ann', '1', '63000');
  assert.equal(refused.rejectReason, 'buyBeyondBankruptcy');
  assert.equal(refused.outcome.bound, 629_622);
  const order = floor.buy('ann', '1', '59000');
  assert.equal(floor.amend('ann', order, { price: '62962.3' }), 'buyBeyondBankruptcy');
  assert.equal(floor.amend('ann', order, { price: '62962.2' }), 'none');
});

test('of an order without margin and beyond bankruptcy the margin is told first, new or modified (rules 1.2, 1.12 item 5)', () => {
  const floor = isolatedPosition('long');
  const order = floor.sell('ann', '1', '61000');
  assert.equal(floor.sell('ann', '90', '50000').rejectReason, 'insufficientMargin');
  assert.equal(floor.amend('ann', order, { qty: '90', price: '50000' }), 'insufficientMargin');
  assert.equal(floor.amend('ann', order, { price: '50000' }), 'sellBeyondBankruptcy');
});

test('a closing order of hedge mode may grow as far as the position is free', () => {
  const floor = futuresFloor('1000000', 'ann', 'bob');
  floor.holdMode('ann', 'hedge_mode');
  floor.sell('bob', '1', '60000');
  floor.buy('ann', '1', '60000', { posSide: 'long' });
  const one = floor.sell('ann', '0.4', '61000', { posSide: 'long' });
  floor.sell('ann', '0.3', '62000', { posSide: 'long' });
  assert.equal(floor.amend('ann', one, { qty: '0.8' }), 'closeAboveAvailable');
  assert.equal(floor.amend('ann', one, { qty: '0.7' }), 'none');
  assert.equal(floor.fields('ann').available, '0');
  assert.equal(floor.amend('ann', one, { price: '61500' }), 'none');
});

test('case 64: a reduce-only order cannot be modified; with autoCancel it is cancelled', () => {
  const floor = futuresFloor('1000000', 'ann', 'bob');
  floor.deal('ann', 'bob', '1', '60000');
  const order = floor.sell('ann', '0.4', '61000', { reduceOnly: true });
  for (const words of [{ price: '61500' }, { qty: '0.3' }, { qty: '0.5' }]) {
    assert.equal(floor.amend('ann', order, words), 'notAmendable');
    assert.equal(order.stands, 'new 0/0.4');
  }
  assert.equal(floor.amend('ann', order, { price: '61500', autoCancel: true }), 'notAmendable');
  assert.equal(order.stands, 'cancelled 0/0.4 modify_limit_order');
});

test('the margin of an isolated order follows its size and price', () => {
  const floor = futuresFloor('10000', 'ann');
  floor.trader('bob', { USDT: '100000' });
  floor.isolate('ann');
  floor.leverage('ann', 10);
  const order = floor.buy('ann', '0.5', '59000');
  // 29 500 x (1/10 + 2 x 0.06 %)
  assert.equal(floor.isolatedMargin('ann'), '2985.4');
  assert.equal(floor.amend('ann', order, { qty: '1' }), 'none');
  assert.equal(floor.isolatedMargin('ann'), '5970.8');
  assert.equal(floor.amend('ann', order, { qty: '2' }), 'insufficientMargin');
  assert.equal(floor.isolatedMargin('ann'), '5970.8');
  assert.equal(floor.amend('ann', order, { price: '50000', qty: '0.2' }), 'none');
  assert.equal(floor.isolatedMargin('ann'), '1012');
  assert.equal(floor.cash('ann', 'USDT'), '8988');
  floor.sell('bob', '0.2', '50000');
  assert.equal(floor.amend('ann', order, { price: '60000' }), 'unknownOrder');
  assert.equal(floor.position('ann'), 'long 0.2 @ 50000 iso 1000');
});

test('lower leverage takes the margin of open isolated orders along, or is refused', () => {
  const floor = futuresFloor('10000', 'ann');
  floor.trader('bob', { USDT: '100000' });
  floor.isolate('ann');
  floor.leverage('ann', 50);
  const order = floor.buy('ann', '1', '60000');
  assert.equal(floor.isolatedMargin('ann'), '1272');
  assert.equal(floor.leverage('ann', 5), 'leverageNeedsMargin');
  assert.equal(floor.isolatedMargin('ann'), '1272');
  assert.equal(floor.leverage('ann', 10), 'none');
  assert.equal(floor.isolatedMargin('ann'), '6072');
  floor.sell('bob', '1', '60000');
  assert.equal(order.stands, 'filled 1/1');
  assert.equal(floor.position('ann'), 'long 1 @ 60000 iso 6000');
  // 10 000 less margin and the maker's fee of 12: never below zero.
  assert.equal(floor.cash('ann', 'USDT'), '3988');
});
