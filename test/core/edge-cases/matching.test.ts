/** Matching, RPI and STP (rules 10.2, 1 to 44): the rows that need several lines of business at once. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type FuturesFloor, futuresFloor } from '../futures/futures-floor.ts';
import { openFloor, type TradingFloor } from '../trading-floor.ts';

function open400(floor: TradingFloor, words: { on?: string } = {}): void {
  // Coins have their prices of the second: without them every look at the orders would find them anew.
  floor.wait(1000);
  for (let n = 0; n < 400; n++) floor.buy('ann', '0.001', '50000', words);
}

test('case 24: with 400 open spot orders a margin order is refused: both lines count together', () => {
  const floor = openFloor('ann');
  open400(floor);
  const order = floor.sell('ann', '0.001', '61000', { category: 'MARGIN' });
  equal(order.stands, 'refused tooManyOpenOrders');
  equal(order.outcome.bound, 400);
  floor.cancelNamed('ann', { orderId: floor.openOrders('ann')[0]! });
  equal(floor.sell('ann', '0.001', '61000', { category: 'MARGIN' }).stands, 'new 0/0.001');
});

function fullOfFutures(): FuturesFloor {
  const floor = futuresFloor('1000000', 'ann');
  floor.deposit('ann', '10', 'BTC');
  floor.index('60000', 'BTCUSD');
  open400(floor);
  return floor;
}

test('case 25: with 400 open USDT futures an order of coin futures is refused: all futures count together', () => {
  const floor = fullOfFutures();
  const order = floor.buy('ann', '0.001', '50000', { on: 'BTCUSD' });
  equal(order.stands, 'refused tooManyOpenOrders');
  equal(order.outcome.bound, 400);
});

test('case 26: with 400 open futures orders a spot order is accepted', () => {
  const floor = fullOfFutures();
  equal(floor.sell('ann', '100', '1', { on: 'USDTUSD' }).stands, 'new 0/100');
});

test('case 44: a liquidation trades with a sibling sub-account, whatever either says about self-trades', () => {
  const floor = futuresFloor('100000', 'boss', 'bob');
  floor.trader('ann', { USDT: '5060' }, { master: 'boss' });
  floor.trader('sibling', { USDT: '100000' }, { master: 'boss' });
  floor.mark('50000');
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.sell('bob', '1', '50000');
  floor.buy('ann', '1', '50000', { stp: 'cancel_both' });
  const bid = floor.buy('sibling', '1', '45100', { stp: 'cancel_both' });
  floor.mark('45207.9');
  equal(bid.stands, 'filled 1/1');
  deepEqual(floor.executions('ann').at(-1), 'liquidation close 1 @ 45100 fee 27.06 pnl -4900');
  equal(floor.position('sibling'), 'long 1 @ 45100');
});
