/** Strategy orders that are reached together fire in portions, in their order (rules 14.4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FuturesFloor, futuresFloor } from '../futures/futures-floor.ts';
import { cancel, modify, when } from '../strategy/strategy-tickets.ts';
import { finishWork, inPortions, nextPortion, setPortion } from './in-portions.ts';

/** Five buys by ann and bob in turns wait for 61 000, to rest at 60 000; two fire with a command. */
function waiting(portion = 8) {
  const floor = inPortions(futuresFloor('1000000', 'ann', 'bob', 'eve', 'mel'), portion);
  floor.deal('eve', 'mel', '0.1', '60000');
  const orders = ['ann', 'bob', 'ann', 'bob', 'ann'].map((name) =>
    when(floor, name, 'buy', '0.5', '61000', { limit: '60000' }),
  );
  return { floor, orders };
}

const reach = (floor: FuturesFloor) => floor.deal('eve', 'mel', '0.1', '61000');

test('two fire with the trade that reaches five, the others with the next ticks, by id', () => {
  const { floor, orders } = waiting();
  reach(floor);
  assert.ok(floor.exchange.hasOpenWork);
  assert.deepEqual(
    orders.map(({ stands }) => stands),
    ['success', 'success', 'pending', 'pending', 'pending'],
  );
  nextPortion(floor);
  assert.deepEqual(
    orders.map(({ stands }) => stands),
    ['success', 'success', 'success', 'success', 'pending'],
  );
  assert.equal(finishWork(floor), 1);
  for (const order of orders) assert.deepEqual(order.life, ['pending', 'submitting', 'success']);
  const ids = orders.map(({ child }) => child.orderId);
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
});

test('whoever waits for his turn neither modifies nor cancels; who is reached later comes later', () => {
  const { floor, orders } = waiting();
  reach(floor);
  assert.equal(modify(floor, 'ann', orders[4]!, { qty: '9' }), 'strategySubmitting');
  assert.equal(cancel(floor, 'bob', orders[3]!), 'strategySubmitting');
  const late = when(floor, 'bob', 'buy', '0.1', '61000', { limit: '59000' });
  finishWork(floor);
  assert.equal(orders[3]!.stands, 'success');
  assert.equal(late.stands, 'success');
  assert.ok(late.child.orderId > orders[4]!.child.orderId);
});

test('a restart between the portions goes on with the queue; a halt keeps it', () => {
  const { floor, orders } = waiting();
  reach(floor);
  floor.restart();
  setPortion(floor, 8);
  assert.ok(floor.exchange.hasOpenWork);
  floor.send({ type: 'setHalt', time: floor.now, halted: true });
  assert.ok(!floor.exchange.hasOpenWork, 'ticks would only wait');
  nextPortion(floor);
  assert.equal(orders[2]!.stands, 'pending');
  floor.send({ type: 'setHalt', time: floor.now, halted: false });
  finishWork(floor);
  nextPortion(floor);
  finishWork(floor);
  for (const order of orders) assert.equal(order.stands, 'success');
});

test('portions and one step leave the same orders', () => {
  const resting = [8, 1000].map((portion) => {
    const { floor, orders } = waiting(portion);
    reach(floor);
    finishWork(floor);
    return orders.map(({ child }) => child.stands);
  });
  assert.deepEqual(resting[0], resting[1]);
});
