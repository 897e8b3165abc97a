/** Orders that came later than their owner allows (wire 5.5): accepted and cancelled, and nothing else happens. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { MARGIN, MarginFloor } from './borrowing/margin-floor.ts';
import { futuresFloor } from './futures/futures-floor.ts';
import { openFloor } from './trading-floor.ts';

const LATE = { expired: true };

test('a late order that could trade is cancelled, and the book and the money stay as they are', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '1', '60000');
  const before = floor.depth();
  for (const tif of ['gtc', 'ioc', 'fok', 'post_only'] as const) {
    const buy = floor.buy('bob', '1', '60000', { ...LATE, tif });
    equal(buy.stands, 'cancelled 0/1 cancel_receiveWindow', tif);
  }
  deepEqual(floor.depth(), before);
  equal(floor.cash('bob', 'USDT'), '10000000');
  equal(floor.locked('bob', 'USDT'), '0');
  deepEqual(floor.openOrders('bob'), []);
});

test('late market orders are cancelled with what they wanted to spend or sell', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '1', '60000');
  floor.buy('ann', '1', '59000');
  const buy = floor.marketBuy('bob', '500', LATE);
  equal(buy.stands, 'cancelled 0 cancel_receiveWindow');
  equal(buy.record.quoteAmount, 500_00000000n);
  equal(floor.marketSell('bob', '0.5', LATE).stands, 'cancelled 0/0.5 cancel_receiveWindow');
  deepEqual(floor.fillsOf('bob'), []);
});

test('its client id is free again, and it may be cancelled no more', () => {
  const floor = openFloor('ann');
  const late = floor.buy('ann', '1', '59000', { ...LATE, clientOid: 'mine' });
  equal(floor.cancel('ann', late), 'unknownOrder');
  equal(floor.buy('ann', '1', '59000', { clientOid: 'mine' }).stands, 'new 0/1');
});

test('an order that would be refused in time is refused when it is late', () => {
  const floor = openFloor('ann');
  equal(floor.buy('ann', '1000', '60000', LATE).stands, floor.buy('ann', '1000', '60000').stands);
  equal(floor.buy('ann', '1', '90000', LATE).stands, 'refused buyAboveBand');
});

test('a late margin order borrows nothing and keeps nothing reserved', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '100' });
  const order = floor.buy('ann', '0.005', '60000', { ...MARGIN, ...LATE });
  equal(order.stands, 'cancelled 0/0.005 cancel_receiveWindow');
  equal(floor.cash('ann', 'USDT'), '100');
  equal(floor.owed('USDT'), '0');
  equal(floor.reserved('USDT'), '0');
  equal(floor.risk('ann').initial, '0');
});

test('a late futures order opens nothing, crossed or isolated', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.sell('bob', '1', '60000');
  equal(floor.buy('ann', '0.5', '60000', LATE).stands, 'cancelled 0/0.5 cancel_receiveWindow');
  equal(floor.isolate('ann'), 'none');
  equal(floor.buy('ann', '0.5', '60000', LATE).stands, 'cancelled 0/0.5 cancel_receiveWindow');
  equal(floor.cash('ann', 'USDT'), '100000');
  equal(floor.position('ann'), 'none');
  equal(floor.risk('ann').initial, '0');
});

test('a late closing order does not push older ones aside', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '0.3', '60000');
  const older = floor.sell('ann', '0.3', '61000', { reduceOnly: true });
  const late = floor.sell('ann', '0.3', '60500', { reduceOnly: true, ...LATE });
  equal(late.stands, 'cancelled 0/0.3 cancel_receiveWindow');
  equal(older.stands, 'new 0/0.3');
  equal(floor.sell('ann', '0.3', '60500', { reduceOnly: true }).stands, 'new 0/0.3');
  equal(older.stands, 'cancelled 0/0.3 normal_cancel');
});
