/** Retail price improvement (rules 1.7). */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openFloor, PLENTY, type TradingFloor } from './trading-floor.ts';

const XAU = { on: 'XAUUSDT' } as const;
const RPI = { on: 'XAUUSDT', tif: 'rpi' } as const;
const RETAIL = { on: 'XAUUSDT', source: 'retail' } as const;

function floorWithMaker(...names: string[]): TradingFloor {
  const floor = openFloor(...names);
  floor.trader('mm', PLENTY, { marketMaker: true });
  return floor;
}

/** Ask level 100.0: r1 (RPI, 3, oldest), n1 (normal, 1); level 100.1: n2 (5). */
function exampleBook() {
  const floor = floorWithMaker('ann', 'bob');
  const r1 = floor.sell('mm', '3', '100.0', RPI);
  const n1 = floor.sell('ann', '1', '100.0', XAU);
  const n2 = floor.sell('ann', '5', '100.1', XAU);
  return { floor, r1, n1, n2 };
}

test('example: a retail buy of 5 takes n1 1, r1 3, n2 1', () => {
  const { floor, r1, n1, n2 } = exampleBook();
  const buy = floor.buy('bob', '5', '104', { ...RETAIL, tif: 'ioc' });
  deepEqual(
    buy.fillRecords.map((fill) => fill.rpi),
    [false, true, false],
  );
  deepEqual(buy.fills, ['1 @ 100 taker', '3 @ 100 taker', '1 @ 100.1 taker']);
  deepEqual([n1.stands, r1.stands, n2.stands], ['filled 1/1', 'filled 3/3', 'partially_filled 1/5']);
});

test('example: an API buy of 5 takes n1 1, n2 4', () => {
  const { floor, r1, n1, n2 } = exampleBook();
  const buy = floor.buy('bob', '5', '104', { ...XAU, tif: 'ioc' });
  deepEqual(buy.fills, ['1 @ 100 taker', '4 @ 100.1 taker']);
  deepEqual([n1.stands, r1.stands, n2.stands], ['filled 1/1', 'new 0/3', 'partially_filled 4/5']);
});

test('example: fok buy 4 @ 100.0 is cancelled through the API and filled for retail', () => {
  const { floor } = exampleBook();
  const api = floor.buy('bob', '4', '100.0', { ...XAU, tif: 'fok' });
  equal(api.stands, 'cancelled 0/4 fok_not_full_cancel');
  const retail = floor.buy('bob', '4', '100.0', { ...RETAIL, tif: 'fok' });
  equal(retail.stands, 'filled 4/4');
});

test('case 31: an API market buy with only RPI asks in the book buys nothing', () => {
  const floor = floorWithMaker('ann');
  floor.sell('mm', '5', '100', RPI);
  equal(floor.marketBuy('ann', '100', XAU).stands, 'cancelled 0 ioc_not_full_cancel');
});

test('case 32: a retail market buy takes RPI asks and all three records say so', () => {
  const floor = floorWithMaker('ann');
  const ask = floor.sell('mm', '5', '100', RPI);
  const buy = floor.marketBuy('ann', '100', RETAIL);
  equal(buy.stands, 'filled 1');
  deepEqual(
    [ask.fillRecords[0]!.rpi, buy.fillRecords[0]!.rpi, floor.publicFills('XAUUSDT')[0]!.rpi],
    [true, true, true],
  );
});

test('case 33: at one price a normal sell is filled before an older RPI sell', () => {
  const floor = floorWithMaker('ann', 'bob');
  const rpi = floor.sell('mm', '1', '100', RPI);
  const normal = floor.sell('ann', '1', '100', XAU);
  const buy = floor.buy('bob', '1', '100', RETAIL);
  equal(normal.stands, 'filled 1/1');
  equal(rpi.stands, 'new 0/1');
  equal(buy.fillRecords[0]!.rpi, false);
});

test('case 34: a better RPI price comes before a normal one for retail', () => {
  const floor = floorWithMaker('ann', 'bob');
  floor.sell('ann', '1', '100', XAU);
  const rpi = floor.sell('mm', '1', '99.9', RPI);
  const buy = floor.buy('bob', '1', '100', RETAIL);
  deepEqual(buy.fills, ['1 @ 99.9 taker']);
  equal(rpi.stands, 'filled 1/1');
});

test('case 35: an RPI buy at the best normal ask is cancelled', () => {
  const floor = floorWithMaker('ann');
  floor.sell('ann', '1', '100', XAU);
  equal(floor.buy('mm', '1', '100', RPI).stands, 'cancelled 0/1 post_only_fill_cancel');
});

test('case 36: an RPI buy over an RPI ask rests, the younger one is hidden', () => {
  const floor = floorWithMaker();
  const ask = floor.sell('mm', '1', '99.9', RPI);
  const bid = floor.buy('mm', '2', '100', RPI);
  equal(bid.stands, 'new 0/2');
  equal(ask.stands, 'new 0/1');
  deepEqual(floor.depth('XAUUSDT'), { asks: ['1 @ 99.9'], bids: [] });
});

test('case 37: an API gtc buy over an RPI ask rests at its price and hides the ask', () => {
  const floor = floorWithMaker('ann');
  floor.sell('mm', '1', '99.9', RPI);
  const buy = floor.buy('ann', '2', '100', XAU);
  equal(buy.stands, 'new 0/2');
  deepEqual(floor.depth('XAUUSDT'), { asks: [], bids: ['2 @ 100'] });
});

test('case 38: then a retail market sell trades with the API bid at 100.0', () => {
  const floor = floorWithMaker('ann', 'bob');
  floor.sell('mm', '1', '99.9', RPI);
  floor.buy('ann', '2', '100', XAU);
  const sell = floor.marketSell('bob', '1', RETAIL);
  deepEqual(sell.fills, ['1 @ 100 taker']);
});

test('a hidden RPI order is shown again when what it crossed is gone', () => {
  const floor = floorWithMaker('ann');
  floor.sell('mm', '1', '99.9', RPI);
  const buy = floor.buy('ann', '2', '100', XAU);
  floor.cancel('ann', buy);
  deepEqual(floor.depth('XAUUSDT'), { asks: ['1 @ 99.9'], bids: [] });
});

test('the displayed level adds RPI and normal size', () => {
  const { floor } = exampleBook();
  deepEqual(floor.depth('XAUUSDT'), { asks: ['4 @ 100', '5 @ 100.1'], bids: [] });
});

test('case 39: rpi is refused for an account that is no market maker, and for a market maker on the web', () => {
  const floor = floorWithMaker('ann');
  equal(floor.sell('ann', '1', '100', RPI).stands, 'refused rpiNotAllowed');
  equal(floor.sell('mm', '1', '100', { ...RPI, source: 'retail' }).stands, 'refused rpiNotAllowed');
  equal(floor.eventsOf('order').length, 0);
});

test('case 40: an rpi order amended to a crossing price fails like post-only', () => {
  const floor = floorWithMaker('ann');
  floor.sell('ann', '1', '100', XAU);
  const bid = floor.buy('mm', '1', '99', RPI);
  equal(floor.amend('mm', bid, { price: '100' }), 'amendWouldTake');
  equal(bid.stands, 'new 0/1');
  equal(bid.price, '99');
  equal(floor.amend('mm', bid, { price: '100', autoCancel: true }), 'amendWouldTake');
  equal(bid.stands, 'cancelled 0/1 modify_limit_order');
});

test('an rpi order may be amended over RPI orders of the other side', () => {
  const floor = floorWithMaker();
  floor.sell('mm', '1', '100', RPI);
  const bid = floor.buy('mm', '1', '99', RPI);
  equal(floor.amend('mm', bid, { price: '100' }), 'none');
  equal(bid.stands, 'new 0/1');
  equal(bid.price, '100');
});

test('an API post-only that crosses only RPI rests; a retail one is cancelled', () => {
  const floor = floorWithMaker('ann', 'bob');
  floor.sell('mm', '1', '100', RPI);
  const retail = floor.buy('bob', '1', '100', { ...RETAIL, tif: 'post_only' });
  equal(retail.stands, 'cancelled 0/1 post_only_fill_cancel');
  equal(floor.buy('ann', '1', '100', { ...XAU, tif: 'post_only' }).stands, 'new 0/1');
});

test('an RPI maker pays the maker fee like any other', () => {
  const floor = floorWithMaker('ann');
  const ask = floor.sell('mm', '5', '100', RPI);
  floor.buy('ann', '5', '100', RETAIL);
  equal(ask.fee, '0.5');
});

test('an API market buy that sees nothing is not stopped by the band of a hidden RPI ask', () => {
  const floor = floorWithMaker('ann');
  floor.sell('mm', '1', '200', RPI);
  equal(floor.marketBuy('ann', '100', XAU).stands, 'cancelled 0 ioc_not_full_cancel');
});
