/** Order types and times in force (rules 1.5). */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openFloor } from './trading-floor.ts';

test('gtc rests as new when nothing crosses', () => {
  const floor = openFloor('ann');
  const buy = floor.buy('ann', '1', '59000');
  equal(buy.stands, 'new 0/1');
  equal(floor.locked('ann', 'USDT'), '59000');
});

test('case 3: ioc on an empty book is cancelled', () => {
  const floor = openFloor('ann');
  equal(floor.buy('ann', '1', '60000', { tif: 'ioc' }).stands, 'cancelled 0/1 ioc_not_full_cancel');
  equal(floor.cash('ann', 'USDT'), '10000000');
});

test('case 4: ioc that is half fillable keeps the half and pays the fee on it alone', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '0.5', '60000');
  const buy = floor.buy('bob', '1', '60000', { tif: 'ioc' });
  equal(buy.stands, 'cancelled 0.5/1 ioc_not_full_cancel');
  equal(buy.fee, '0.0005');
  equal(floor.locked('bob', 'USDT'), '0');
  equal(floor.cash('bob', 'USDT'), '9970000');
});

test('ioc leaves alone what lies beyond its limit', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '1', '60000');
  const beyond = floor.sell('ann', '1', '60000.01');
  equal(floor.buy('bob', '2', '60000', { tif: 'ioc' }).stands, 'cancelled 1/2 ioc_not_full_cancel');
  equal(beyond.stands, 'new 0/1');
});

test('case 5: fok for exactly the visible quantity at its limit is filled', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '1', '60000');
  floor.sell('ann', '2', '60100');
  floor.sell('ann', '5', '60100.01');
  equal(floor.buy('bob', '3', '60100', { tif: 'fok' }).stands, 'filled 3/3');
});

test('case 6: fok for one lot more than there is is cancelled and the book does not move', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '1', '60000');
  floor.sell('ann', '2', '60100');
  const before = floor.depth();
  const events = floor.events.length;
  const buy = floor.buy('bob', '3.000001', '60100', { tif: 'fok' });
  equal(buy.stands, 'cancelled 0/3.000001 fok_not_full_cancel');
  deepEqual(floor.depth(), before);
  equal(floor.events.length, events + 1);
  equal(floor.locked('bob', 'USDT'), '0');
});

test('case 7: fok with cancel_maker is filled past an own order, which is cancelled', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '1', '60000');
  const own = floor.sell('bob', '1', '60050');
  floor.sell('ann', '1', '60100');
  const buy = floor.buy('bob', '2', '60100', { tif: 'fok', stp: 'cancel_maker' });
  equal(buy.stands, 'filled 2/2');
  equal(own.stands, 'cancelled 0/1 stp_cancel');
});

test('fok with cancel_maker does not count the own order', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '1', '60000');
  const own = floor.sell('bob', '1', '60000');
  const buy = floor.buy('bob', '2', '60000', { tif: 'fok', stp: 'cancel_maker' });
  equal(buy.stands, 'cancelled 0/2 fok_not_full_cancel');
  equal(own.stands, 'new 0/1');
});

for (const stp of ['cancel_taker', 'cancel_both'] as const) {
  test(`case 8: fok with ${stp} that reaches an own order first is cancelled without any trace`, () => {
    const floor = openFloor('ann', 'bob');
    const other = floor.sell('ann', '1', '60000');
    const own = floor.sell('bob', '1', '60050');
    floor.sell('ann', '1', '60100');
    const buy = floor.buy('bob', '2', '60100', { tif: 'fok', stp });
    equal(buy.stands, 'cancelled 0/2 fok_not_full_cancel');
    equal(own.stands, 'new 0/1');
    equal(other.stands, 'new 0/1');
  });
}

test('fok that is full before it reaches its own order is filled under cancel_taker', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '1', '60000');
  const own = floor.sell('bob', '1', '60000');
  equal(floor.buy('bob', '1', '60000', { tif: 'fok', stp: 'cancel_taker' }).stands, 'filled 1/1');
  equal(own.stands, 'new 0/1');
});

test('case 9: a post-only buy at the best ask is cancelled', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '1', '60000');
  const buy = floor.buy('bob', '1', '60000', { tif: 'post_only' });
  equal(buy.stands, 'cancelled 0/1 post_only_fill_cancel');
  deepEqual(floor.depth(), { asks: ['1 @ 60000'], bids: [] });
});

test('case 10: a post-only buy one tick below the best ask rests', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '1', '60000');
  equal(floor.buy('bob', '1', '59999.99', { tif: 'post_only' }).stands, 'new 0/1');
});

test('a post-only sell at the best bid is cancelled, one tick above it rests', () => {
  const floor = openFloor('ann', 'bob');
  floor.buy('ann', '1', '60000');
  equal(floor.sell('bob', '1', '60000', { tif: 'post_only' }).stands, 'cancelled 0/1 post_only_fill_cancel');
  equal(floor.sell('bob', '1', '60000.01', { tif: 'post_only' }).stands, 'new 0/1');
});

for (const stp of ['none', 'cancel_taker', 'cancel_maker', 'cancel_both'] as const) {
  test(`case 11: post-only that crosses only an own order ends as post-only, not as self-trade (${stp})`, () => {
    const floor = openFloor('ann');
    const own = floor.sell('ann', '1', '60000');
    const buy = floor.buy('ann', '1', '60000', { tif: 'post_only', stp });
    equal(buy.stands, 'cancelled 0/1 post_only_fill_cancel');
    equal(own.stands, 'new 0/1');
  });
}

for (const tif of ['post_only', 'rpi', 'fok'] as const) {
  test(`case 17: a market order with ${tif} is refused`, () => {
    const floor = openFloor('ann');
    equal(floor.marketBuy('ann', '100', { tif }).stands, 'refused illegalCombination');
    equal(floor.marketSell('ann', '1', { tif }).stands, 'refused illegalCombination');
    equal(floor.eventsOf('order').length, 0);
  });
}
