/** What each status allows on SPOT: opening is buying, closing is selling (rules 1.3). */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { InstrumentStatusName } from '../../src/core/model/enums.ts';
import { openFloor } from './trading-floor.ts';

interface Row {
  readonly status: InstrumentStatusName;
  readonly buy: string;
  readonly sell: string;
  readonly retailBuy: string;
  /** Modify a buy down, up; modify a sell up. */
  readonly less: string;
  readonly more: string;
  readonly sellMore: string;
  readonly cancel: string;
}

const TABLE: readonly Row[] = [
  {
    status: 'listed',
    buy: 'instrumentListed',
    sell: 'instrumentListed',
    retailBuy: 'instrumentListed',
    less: 'instrumentListed',
    more: 'instrumentListed',
    sellMore: 'instrumentListed',
    cancel: 'none',
  },
  {
    status: 'online',
    buy: 'none',
    sell: 'none',
    retailBuy: 'none',
    less: 'none',
    more: 'none',
    sellMore: 'none',
    cancel: 'none',
  },
  {
    status: 'limit_open',
    buy: 'openingRestricted',
    sell: 'none',
    retailBuy: 'openingRestricted',
    less: 'none',
    more: 'openingRestricted',
    sellMore: 'none',
    cancel: 'none',
  },
  {
    status: 'limit_close',
    buy: 'none',
    sell: 'closingRestricted',
    retailBuy: 'none',
    less: 'none',
    more: 'none',
    sellMore: 'closingRestricted',
    cancel: 'none',
  },
  {
    status: 'offline',
    buy: 'instrumentOffline',
    sell: 'instrumentOffline',
    retailBuy: 'instrumentOffline',
    less: 'unknownOrder',
    more: 'unknownOrder',
    sellMore: 'unknownOrder',
    cancel: 'unknownOrder',
  },
  {
    status: 'restrictedAPI',
    buy: 'apiRestricted',
    sell: 'apiRestricted',
    retailBuy: 'none',
    less: 'apiRestricted',
    more: 'apiRestricted',
    sellMore: 'apiRestricted',
    cancel: 'none',
  },
];

for (const row of TABLE) {
  test(`status ${row.status}`, () => {
    const floor = openFloor('ann', 'bob');
    const bid = floor.buy('ann', '2', '59000');
    const ask = floor.sell('ann', '2', '61000');
    floor.setStatus(row.status);
    equal(floor.buy('bob', '1', '58000').rejectReason, row.buy);
    equal(floor.sell('bob', '1', '62000').rejectReason, row.sell);
    equal(floor.buy('bob', '1', '58000', { source: 'retail' }).rejectReason, row.retailBuy);
    equal(floor.amend('ann', bid, { qty: '1' }), row.less);
    equal(floor.amend('ann', bid, { qty: '3' }), row.more);
    equal(floor.amend('ann', ask, { qty: '3' }), row.sellMore);
    equal(floor.cancel('ann', ask), row.cancel);
  });
}

test('limit_open: a buy may be amended to a lower price but not to a higher one', () => {
  const floor = openFloor('ann');
  const bid = floor.buy('ann', '1', '59000');
  floor.setStatus('limit_open');
  equal(floor.amend('ann', bid, { price: '59000.01' }), 'openingRestricted');
  equal(floor.amend('ann', bid, { price: '58999.99' }), 'none');
});

test('limit_open: resting buys still trade with sells', () => {
  const floor = openFloor('ann', 'bob');
  const bid = floor.buy('ann', '1', '60000');
  floor.setStatus('limit_open');
  floor.sell('bob', '1', '60000');
  equal(bid.stands, 'filled 1/1');
});

test('restrictedAPI: a retail order may be modified from the web', () => {
  const floor = openFloor('ann');
  const bid = floor.buy('ann', '1', '59000', { source: 'retail' });
  floor.setStatus('restrictedAPI');
  equal(floor.amend('ann', bid, { qty: '2', source: 'retail' }), 'none');
});

test('going offline cancels every order of the instrument in ascending id and frees its money', () => {
  const floor = openFloor('ann', 'bob');
  const orders = [
    floor.sell('ann', '1', '61000'),
    floor.buy('bob', '1', '59000'),
    floor.buy('ann', '1', '59500'),
  ];
  const ether = floor.buy('ann', '1', '2600', { on: 'ETHUSDT' });
  const told = floor.eventsOf('order').length;
  floor.setStatus('offline');
  deepEqual(
    floor
      .eventsOf('order')
      .slice(told)
      .map(({ order }) => order.orderId),
    orders.map((order) => order.orderId),
  );
  for (const order of orders) equal(order.stands, 'cancelled 0/1 delegated_risk_order_cancel');
  equal(ether.stands, 'new 0/1');
  deepEqual([floor.locked('ann', 'BTC'), floor.locked('bob', 'USDT')], ['0', '0']);
});

test('case 144: after listed goes online the first order is accepted', () => {
  const floor = openFloor('ann');
  floor.setStatus('listed');
  equal(floor.buy('ann', '1', '59000').rejectReason, 'instrumentListed');
  floor.setStatus('online');
  equal(floor.buy('ann', '1', '59000').stands, 'new 0/1');
});
