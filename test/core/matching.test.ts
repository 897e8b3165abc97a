/** The match loop and buys by amount (rules 1.4, 1.6). */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openFloor, TradingFloor } from './trading-floor.ts';

const XAU = { on: 'XAUUSDT' } as const;
const ETH = { on: 'ETHUSDT' } as const;

test('example M1: a buy of 4 takes 2 and 1 at 100.0 in time order, then 1 at 100.5', () => {
  const floor = openFloor('ann', 'bob', 'cid', 'dora');
  const a1 = floor.sell('ann', '2', '100.0', XAU);
  const a2 = floor.sell('bob', '1', '100.0', XAU);
  const a3 = floor.sell('cid', '5', '100.5', XAU);
  const buy = floor.buy('dora', '4', '100.5', XAU);

  deepEqual(buy.fills, ['2 @ 100 taker', '1 @ 100 taker', '1 @ 100.5 taker']);
  equal(buy.stands, 'filled 4/4');
  equal(buy.value, '400.5');
  equal(Number(buy.value) / Number(buy.filled), 100.125);
  equal(a1.stands, 'filled 2/2');
  equal(a2.stands, 'filled 1/1');
  equal(a3.stands, 'partially_filled 1/5');
  deepEqual(floor.depth('XAUUSDT'), { asks: ['4 @ 100.5'], bids: [] });
});

test('example M1: the partly filled ask keeps its place before a later one', () => {
  const floor = openFloor('ann', 'bob', 'dora');
  const early = floor.sell('ann', '5', '100.5', XAU);
  floor.buy('dora', '1', '100.5', XAU);
  const late = floor.sell('bob', '5', '100.5', XAU);
  floor.buy('dora', '4', '100.5', XAU);
  equal(early.stands, 'filled 5/5');
  equal(late.stands, 'new 0/5');
});

test('case 1: a buy above all asks and larger than the book takes each at its own price and rests', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '1', '60000');
  floor.sell('ann', '1', '60100.5');
  const buy = floor.buy('bob', '5', '61000');
  deepEqual(buy.fills, ['1 @ 60000 taker', '1 @ 60100.5 taker']);
  equal(buy.stands, 'partially_filled 2/5');
  deepEqual(floor.depth(), { asks: [], bids: ['3 @ 61000'] });
});

test('case 2: of two asks at one price the earlier is filled completely before the larger one', () => {
  const floor = openFloor('ann', 'bob', 'cid');
  const first = floor.sell('ann', '1', '60000');
  const second = floor.sell('bob', '9', '60000');
  floor.buy('cid', '1.5', '60000');
  equal(first.stands, 'filled 1/1');
  equal(second.stands, 'partially_filled 0.5/9');
});

test('a sell takes the highest bids first and trades at their prices', () => {
  const floor = openFloor('ann', 'bob', 'cid');
  floor.buy('ann', '1', '59000');
  floor.buy('bob', '1', '59500');
  const sell = floor.sell('cid', '2', '59000');
  deepEqual(sell.fills, ['1 @ 59500 taker', '1 @ 59000 taker']);
  equal(sell.value, '118500');
});

test('a trade is told in two private fills and one public one with one trade number', () => {
  const floor = openFloor('ann', 'bob');
  const sell = floor.sell('ann', '1', '60000');
  const buy = floor.buy('bob', '1', '60000');
  const [made] = sell.fillRecords;
  const [taken] = buy.fillRecords;
  const [shown] = floor.publicFills();
  equal(made!.execLinkId, taken!.execLinkId);
  equal(shown!.execLinkId, taken!.execLinkId);
  equal(shown!.execId, taken!.execId);
  equal(made!.execId === taken!.execId, false);
  equal(shown!.side, taken!.side);
  deepEqual([made!.maker, taken!.maker], [true, false]);
});

test('case 12: a market sell without bids is cancelled and gives the coins back', () => {
  const floor = openFloor('ann');
  const sell = floor.marketSell('ann', '1');
  equal(sell.stands, 'cancelled 0/1 ioc_not_full_cancel');
  equal(floor.locked('ann', 'BTC'), '0');
  equal(floor.cash('ann', 'BTC'), '100');
});

test('a market order shows gtc and price 0', () => {
  const floor = openFloor('ann', 'bob');
  floor.buy('ann', '1', '60000');
  const sell = floor.marketSell('bob', '1', { tif: 'ioc' });
  equal(sell.stands, 'filled 1/1');
  equal(sell.price, '0');
  equal(sell.record.timeInForce, 0);
});

test('case 13: 100 USDT buy 0.0372 ETH at 2684.23, 0.146644 come back, the order is filled', () => {
  const floor = openFloor('ann');
  floor.trader('bob', { USDT: '100' });
  floor.setFees('bob', '0.0002', '0.0002', 'ETHUSDT');
  floor.sell('ann', '10', '2684.23', ETH);
  const buy = floor.marketBuy('bob', '100', ETH);
  equal(buy.stands, 'filled 0.0372');
  equal(buy.value, '99.853356');
  equal(floor.cash('bob', 'USDT'), '0.146644');
  equal(floor.locked('bob', 'USDT'), '0');
  equal(buy.fee, '0.00000744');
  equal(floor.cash('bob', 'ETH'), '0.03719256');
  equal(buy.qty, '0');
  equal(buy.record.quoteAmount, 100_00000000n);
});

test('case 14: a buy by an amount of 0.9 where 1 is the least leaves no record', () => {
  const floor = openFloor('ann');
  equal(floor.marketBuy('ann', '0.9').stands, 'refused belowMinimumAmount');
  equal(floor.eventsOf('order').length, 0);
});

test('case 15: an amount that does not buy one step is given back whole', () => {
  const floor = openFloor('ann');
  floor.trader('bob', { USDT: '1' });
  floor.printPrice('19000000', 'XAUUSDT_DEAR', '0.01');
  floor.sell('ann', '1', '19000000', { on: 'XAUUSDT_DEAR' });
  const buy = floor.marketBuy('bob', '1', { on: 'XAUUSDT_DEAR' });
  equal(buy.stands, 'cancelled 0 trade_count_too_small');
  equal(floor.cash('bob', 'USDT'), '1');
});

test('case 16: an amount with 7 decimals where 6 are allowed is refused', () => {
  const floor = openFloor('ann');
  const buy = floor.marketBuy('ann', '100.0000001');
  equal(buy.stands, 'refused amountOffPrecision');
  equal(buy.outcome.bound, 6);
});

test('a buy by amount walks the levels and measures its room at each price', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '0.01', '2684.23', ETH);
  floor.sell('ann', '1', '2700', ETH);
  // 26.8423 spent, 73.1577 left: floor(73.1577 / 2700) = 0.0270
  const buy = floor.marketBuy('bob', '100', ETH);
  deepEqual(buy.fills, ['0.01 @ 2684.23 taker', '0.027 @ 2700 taker']);
  equal(buy.stands, 'filled 0.037');
  equal(buy.value, '99.7423');
});

test('a buy by amount that empties the book is cancelled and keeps what it bought', () => {
  const floor = openFloor('ann');
  floor.trader('bob', { USDT: '100' });
  floor.sell('ann', '0.01', '2684.23', ETH);
  const buy = floor.marketBuy('bob', '100', ETH);
  equal(buy.stands, 'cancelled 0.01 ioc_not_full_cancel');
  equal(floor.cash('bob', 'USDT'), '73.1577');
});

test('a buy by amount that spends its last unit with the last ask is filled', () => {
  const floor = openFloor('ann');
  floor.trader('bob', { USDT: '120' });
  floor.sell('ann', '0.002', '60000');
  const buy = floor.marketBuy('bob', '120');
  equal(buy.stands, 'filled 0.002');
  equal(buy.value, '120');
});

test('a buy by amount that spends its last unit just below the band is filled, not stopped by it', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '0.002', '60000');
  floor.sell('ann', '1', '70000');
  equal(floor.marketBuy('bob', '120').stands, 'filled 0.002');
});

test('one order makes at most 1000 trades in one command; the rest is cancelled', () => {
  const floor = new TradingFloor();
  // Coins have their prices of the second: without them every look at 1,200 orders would find them anew.
  floor.wait(1000);
  for (const name of ['ann', 'bob', 'cid']) {
    floor.trader(name, { XAU: '4' });
    for (let n = 0; n < 400; n++) floor.sell(name, '0.01', '100', XAU);
  }
  floor.trader('dora', { USDT: '2000' });
  const buy = floor.buy('dora', '12', '100', XAU);
  equal(buy.stands, 'cancelled 10/12 trade_too_many_times_cancel');
  equal(floor.locked('dora', 'USDT'), '0');
  equal(floor.cash('dora', 'USDT'), '1000');
  deepEqual(floor.depth('XAUUSDT').asks, ['2 @ 100']);
});
