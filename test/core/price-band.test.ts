/** Price bands (rules 1.9): 60 000 and 5 % unless stated. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { BTCUSDT } from './listings.ts';
import { openFloor, PLENTY, TradingFloor } from './trading-floor.ts';

test('case 18: a buy at 63 000.01 is refused and told the highest price', () => {
  const floor = openFloor('ann');
  const buy = floor.buy('ann', '1', '63000.01');
  equal(buy.stands, 'refused buyAboveBand');
  equal(buy.outcome.bound, 6_300_000);
});

test('case 19: a buy at 63 000.00 is accepted', () => {
  equal(openFloor('ann').buy('ann', '1', '63000').stands, 'new 0/1');
});

test('a sell at 56 999.99 is refused and told the lowest price, at 57 000.00 it is accepted', () => {
  const floor = openFloor('ann');
  const sell = floor.sell('ann', '1', '56999.99');
  equal(sell.stands, 'refused sellBelowBand');
  equal(sell.outcome.bound, 5_700_000);
  equal(floor.sell('ann', '1', '57000').stands, 'new 0/1');
});

test('case 20: a sell far above and a buy far below are accepted', () => {
  const floor = openFloor('ann');
  equal(floor.sell('ann', '1', '100000').stands, 'new 0/1');
  equal(floor.buy('ann', '1', '1').stands, 'new 0/1');
});

test('the last trade moves the band', () => {
  const floor = openFloor('ann');
  floor.printPrice('62000');
  equal(floor.buy('ann', '0.1', '65100').stands, 'new 0/0.1');
  equal(floor.buy('ann', '0.1', '65100.01').stands, 'refused buyAboveBand');
});

test('the band is rounded toward the reference: down for buys, up for sells', () => {
  const floor = openFloor('ann');
  floor.printPrice('60000.01');
  // 63 000.0105 and 57 000.0095
  equal(floor.buy('ann', '0.1', '63000.02').stands, 'refused buyAboveBand');
  equal(floor.sell('ann', '0.1', '57000').stands, 'refused sellBelowBand');
  equal(floor.sell('ann', '0.1', '57000.01').stands, 'new 0/0.1');
  equal(floor.buy('ann', '0.1', '63000.01').stands, 'filled 0.1/0.1');
});

test('the lowest sell is never below one tick', () => {
  const floor = new TradingFloor([{ ...BTCUSDT, openingPrice: '0.01', minOrderAmount: '' }]);
  floor.trader('ann', PLENTY);
  equal(floor.sell('ann', '1', '0.01').stands, 'new 0/1');
});

test('example: a market buy stops before 63 000.01, the rest is slippage_cancel', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('ann', '1', '63000');
  const beyond = floor.sell('ann', '1', '63000.01');
  const buy = floor.marketBuy('bob', '100000');
  equal(buy.stands, 'cancelled 1 slippage_cancel');
  equal(buy.value, '63000');
  equal(beyond.stands, 'new 0/1');
  equal(floor.locked('bob', 'USDT'), '0');
});

test('a market sell stops at 57 000.00', () => {
  const floor = openFloor('ann', 'bob');
  floor.buy('ann', '1', '57000');
  floor.buy('ann', '1', '56999.99');
  equal(floor.marketSell('bob', '2').stands, 'cancelled 1/2 slippage_cancel');
});

/** A bid of 62 900 stays while the last price falls to 50 000: the seller at 50 000 is RPI and does not see it. */
function bidLeftBehind() {
  const floor = openFloor('ann', 'bob', 'cid');
  floor.trader('mm', PLENTY, { marketMaker: true });
  for (const price of ['57000', '54150', '52000']) floor.printPrice(price);
  floor.sell('mm', '1', '50000', { tif: 'rpi' });
  for (const price of ['54600', '57300', '60000']) floor.printPrice(price);
  const bid = floor.buy('ann', '2', '62900');
  floor.buy('bob', '1', '50000', { source: 'retail' });
  equal(floor.ticker().last, '50000');
  return { floor, bid };
}

test('case 21: a resting buy at 62 900 stays when the band falls to 52 500, and still trades as maker', () => {
  const { floor, bid } = bidLeftBehind();
  equal(floor.buy('cid', '1', '52500.01').stands, 'refused buyAboveBand');
  equal(bid.stands, 'new 0/2');
  const sell = floor.sell('cid', '1', '50000');
  deepEqual(sell.fills, ['1 @ 62900 taker']);
  equal(bid.stands, 'partially_filled 1/2');
});

test('case 22: its quantity can be amended, the price is not checked again', () => {
  const { floor, bid } = bidLeftBehind();
  equal(floor.amend('ann', bid, { qty: '3' }), 'none');
  equal(bid.stands, 'new 0/3');
  equal(floor.amend('ann', bid, { qty: '1' }), 'none');
  equal(bid.stands, 'new 0/1');
});

test('case 23: its price cannot be amended to 62 800; without autoCancel it stays as it was', () => {
  const { floor, bid } = bidLeftBehind();
  equal(floor.amend('ann', bid, { price: '62800' }), 'buyAboveBand');
  equal(bid.stands, 'new 0/2');
  equal(bid.price, '62900');
});

test('before the first trade the index is the reference, before the first index the opening price', () => {
  const floor = new TradingFloor([
    { ...BTCUSDT, indexComponents: [{ exchange: 'elsewhere', spotPair: 'BTC/USDT', weight: '1' }] },
  ]);
  floor.trader('ann', PLENTY);
  equal(floor.buy('ann', '0.1', '63000.01').stands, 'refused buyAboveBand');
  floor.send({
    type: 'componentPrice',
    time: floor.now,
    index: 0,
    component: 0,
    price: 8_000_000_000_000n,
    volume: 0n,
  });
  floor.wait(1000);
  equal(floor.buy('ann', '0.1', '84000').stands, 'new 0/0.1');
  equal(floor.buy('ann', '0.1', '84000.01').stands, 'refused buyAboveBand');
});
