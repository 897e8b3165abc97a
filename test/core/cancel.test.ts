/** Cancelling and the countdown (rules 1.13). */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { formatOrderId } from '../../src/core/model/order-id.ts';
import { openFloor } from './trading-floor.ts';

test('a cancelled order gives back what it held', () => {
  const floor = openFloor('ann');
  const buy = floor.buy('ann', '1', '59000');
  const sell = floor.sell('ann', '1', '61000');
  equal(floor.cancel('ann', buy), 'none');
  equal(floor.cancel('ann', sell), 'none');
  equal(buy.stands, 'cancelled 0/1 normal_cancel');
  deepEqual([floor.locked('ann', 'USDT'), floor.locked('ann', 'BTC')], ['0', '0']);
  deepEqual(floor.depth(), { asks: [], bids: [] });
});

test('a partly filled order is cancelled and keeps its fills', () => {
  const floor = openFloor('ann', 'bob');
  const buy = floor.buy('ann', '2', '60000');
  floor.sell('bob', '0.5', '60000');
  floor.cancel('ann', buy);
  equal(buy.stands, 'cancelled 0.5/2 normal_cancel');
  equal(floor.cash('ann', 'USDT'), '9970000');
});

test('case 69: a filled or cancelled order cannot be cancelled', () => {
  const floor = openFloor('ann', 'bob');
  const filled = floor.buy('ann', '1', '60000');
  floor.sell('bob', '1', '60000');
  equal(floor.cancel('ann', filled), 'unknownOrder');
  equal(filled.stands, 'filled 1/1');
  const cancelled = floor.buy('ann', '1', '60000');
  floor.cancel('ann', cancelled);
  equal(floor.cancel('ann', cancelled), 'unknownOrder');
});

test('case 70: a wrong order id beside the right client id is not found', () => {
  const floor = openFloor('ann');
  const order = floor.buy('ann', '1', '59000', { clientOid: 'mine' });
  equal(floor.cancelNamed('ann', { orderId: order.orderId + 1, clientOid: 'mine' }), 'unknownOrder');
  equal(order.stands, 'new 0/1');
  equal(floor.cancelNamed('ann', { clientOid: 'mine' }), 'none');
});

test('case 71: of two cancels the good one is done and the unknown one told so', () => {
  const floor = openFloor('ann');
  const order = floor.buy('ann', '1', '59000');
  equal(floor.cancelNamed('ann', { orderId: 999_999 }), 'unknownOrder');
  equal(floor.cancel('ann', order), 'none');
});

test('nobody cancels the order of another, not even a master that of its sub-account', () => {
  const floor = openFloor('ann', 'bob');
  floor.trader('sub', { USDT: '100000' }, { master: 'ann' });
  const order = floor.buy('bob', '1', '59000', { clientOid: 'mine' });
  const subs = floor.buy('sub', '1', '59000');
  equal(floor.cancel('ann', order), 'unknownOrder');
  equal(floor.cancelNamed('ann', { clientOid: 'mine' }), 'unknownOrder');
  equal(floor.cancel('ann', subs), 'unknownOrder');
});

test('an order without a client id answers to its printed order id, one with an own id does not', () => {
  const floor = openFloor('ann', 'bob');
  const plain = floor.buy('ann', '1', '59000');
  const named = floor.buy('ann', '1', '59000', { clientOid: 'mine' });
  equal(floor.cancelNamed('ann', { clientOid: formatOrderId(named.orderId) }), 'unknownOrder');
  equal(floor.cancelNamed('bob', { clientOid: formatOrderId(plain.orderId) }), 'unknownOrder');
  equal(floor.cancelNamed('ann', { clientOid: formatOrderId(plain.orderId) }), 'none');
});

test('a category or symbol that is not the order’s is not found', () => {
  const floor = openFloor('ann');
  const { orderId } = floor.buy('ann', '1', '59000');
  equal(floor.cancelNamed('ann', { orderId, category: 'USDT-FUTURES' }), 'unknownOrder');
  equal(floor.cancelNamed('ann', { orderId, on: 'ETHUSDT' }), 'unknownOrder');
  equal(floor.cancelNamed('ann', { orderId, category: 'SPOT', on: 'BTCUSDT' }), 'none');
});

test('cancel-all works in ascending order id and spares other symbols, categories and people', () => {
  const floor = openFloor('ann', 'bob');
  const one = floor.sell('ann', '1', '61000');
  const two = floor.buy('ann', '1', '59000');
  const three = floor.sell('ann', '1', '60500');
  const ether = floor.buy('ann', '1', '2600', { on: 'ETHUSDT' });
  const bobs = floor.buy('bob', '1', '59000');
  deepEqual(floor.cancelAll('ann', { category: 'USDT-FUTURES' }), []);
  deepEqual(floor.cancelAll('ann', { on: 'BTCUSDT' }), [one.orderId, two.orderId, three.orderId]);
  equal(ether.stands, 'new 0/1');
  deepEqual(floor.cancelAll('ann'), [ether.orderId]);
  equal(bobs.stands, 'new 0/1');
});

test('cancel-all without orders answers an empty list', () => {
  deepEqual(openFloor('ann').cancelAll('ann'), []);
});

test('open orders are listed newest first', () => {
  const floor = openFloor('ann');
  const orders = ['59000', '59100', '58000'].map((price) => floor.buy('ann', '0.1', price).orderId);
  deepEqual(floor.openOrders('ann'), orders.reverse());
});

test('the countdown cancels everything of the account at its instant, not a millisecond earlier', () => {
  const floor = openFloor('ann', 'bob');
  const btc = floor.buy('ann', '1', '59000');
  const ether = floor.buy('ann', '1', '2600', { on: 'ETHUSDT' });
  const bobs = floor.buy('bob', '1', '59000');
  equal(floor.countdown('ann', 10), 'none');
  const deadline = floor.now + 10_000;
  floor.wait(9_999);
  equal(btc.stands, 'new 0/1');
  floor.wait(60_000);
  deepEqual([btc.stands, ether.stands], ['cancelled 0/1 normal_cancel', 'cancelled 0/1 normal_cancel']);
  equal(btc.record.updatedTime, deadline);
  equal(bobs.stands, 'new 0/1');
});

test('a new countdown replaces the old one, 0 switches it off, it runs out only once', () => {
  const floor = openFloor('ann');
  const order = floor.buy('ann', '1', '59000');
  floor.countdown('ann', 10);
  floor.wait(9_000);
  floor.countdown('ann', 10);
  floor.wait(9_000);
  equal(order.stands, 'new 0/1');
  floor.countdown('ann', 0);
  floor.wait(60_000);
  equal(order.stands, 'new 0/1');
  floor.countdown('ann', 5);
  floor.wait(5_000);
  equal(order.stands, 'cancelled 0/1 normal_cancel');
  const later = floor.buy('ann', '1', '59000');
  floor.wait(60_000);
  equal(later.stands, 'new 0/1');
});

test('a countdown is 0 or 5 to 60 seconds', () => {
  const floor = openFloor('ann');
  for (const seconds of [1, 4, 61, 3600]) equal(floor.countdown('ann', seconds), 'invalidCountdown');
  for (const seconds of [0, 5, 60]) equal(floor.countdown('ann', seconds), 'none');
});

test('two countdowns due in one jump run at their own instants, the earlier first', () => {
  const floor = openFloor('ann', 'bob');
  const anns = floor.buy('ann', '1', '59000');
  const bobs = floor.buy('bob', '1', '59000');
  floor.countdown('ann', 30);
  floor.countdown('bob', 20);
  const start = floor.now;
  floor.wait(600_000);
  equal(anns.record.updatedTime, start + 30_000);
  equal(bobs.record.updatedTime, start + 20_000);
  const cancelled = floor.eventsOf('order').slice(-2);
  deepEqual(
    cancelled.map(({ order }) => order.orderId),
    [bobs.orderId, anns.orderId],
  );
});

test('a countdown that is due when an order arrives cancels before the order is matched', () => {
  const floor = openFloor('ann', 'bob');
  const ask = floor.sell('ann', '1', '60000');
  floor.countdown('ann', 5);
  floor.now += 5_000;
  const buy = floor.buy('bob', '1', '60000');
  equal(ask.stands, 'cancelled 0/1 normal_cancel');
  equal(buy.stands, 'new 0/1');
});
