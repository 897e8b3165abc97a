/** Money: locks, trades, fees, deposits and withdrawals (rules 4). */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { BTCUSDT } from './listings.ts';
import { openFloor, PLENTY, TradingFloor } from './trading-floor.ts';

test('case 72: a buy of 0.5 at 60 000 filled at 59 900 and 60 000 gets 20 USDT back at once (example of rules 4.3)', () => {
  const floor = openFloor('ann');
  floor.trader('bob', { USDT: '30000' });
  floor.sell('ann', '0.2', '59900');
  floor.sell('ann', '0.3', '60000');
  const buy = floor.buy('bob', '0.5', '60000');
  equal(buy.stands, 'filled 0.5/0.5');
  equal(buy.value, '29980');
  equal(buy.fee, '0.0005');
  equal(floor.cash('bob', 'USDT'), '20');
  equal(floor.locked('bob', 'USDT'), '0');
  equal(floor.cash('bob', 'BTC'), '0.4995');
});

test('case 72: the improvement is free while the rest of the order still waits', () => {
  const floor = openFloor('ann');
  floor.trader('bob', { USDT: '30000' });
  floor.sell('ann', '0.2', '59900');
  const buy = floor.buy('bob', '0.5', '60000');
  equal(buy.stands, 'partially_filled 0.2/0.5');
  equal(floor.cash('bob', 'USDT'), '20');
  equal(floor.locked('bob', 'USDT'), '18000');
});

test('a limit buy locks price x quantity and no fee, a sell locks its quantity', () => {
  const floor = openFloor('ann');
  floor.buy('ann', '0.5', '59000.01');
  floor.sell('ann', '0.25', '61000');
  equal(floor.locked('ann', 'USDT'), '29500.005');
  equal(floor.cash('ann', 'USDT'), '9970499.995');
  equal(floor.locked('ann', 'BTC'), '0.25');
});

test('the seller pays in quote, the buyer in base, the house gets both', () => {
  const floor = openFloor('ann', 'bob');
  const sell = floor.sell('ann', '1', '60000');
  const buy = floor.buy('bob', '1', '60000');
  deepEqual([sell.fee, buy.fee], ['60', '0.001']);
  equal(floor.cash('ann', 'USDT'), '10059940');
  equal(floor.cash('bob', 'BTC'), '100.999');
  equal(floor.house('sys:fee', 'USDT'), '60');
  equal(floor.house('sys:fee', 'BTC'), '0.001');
  equal(floor.house('ext', 'USDT'), '-20000000');
});

test('the resting side pays the maker rate, the incoming side the taker rate', () => {
  const floor = openFloor('ann', 'bob');
  for (const name of ['ann', 'bob']) floor.setFees(name, '0.0002', '0.0006');
  const made = floor.sell('ann', '1', '60000');
  const taken = floor.buy('bob', '1', '60000');
  deepEqual([made.fee, taken.fee], ['12', '0.0006']);
});

test('case 73: 0.00000009 at 0.1 % costs nothing, and the fill is still recorded', () => {
  const floor = new TradingFloor([
    { ...BTCUSDT, pricePrecision: '0', quantityPrecision: '8', minOrderAmount: '' },
  ]);
  for (const name of ['ann', 'bob']) floor.trader(name, PLENTY);
  floor.sell('ann', '0.00000009', '60000');
  const buy = floor.buy('bob', '0.00000009', '60000');
  deepEqual(buy.fills, ['0.00000009 @ 60000 taker']);
  deepEqual(
    buy.fillRecords.map((fill) => fill.fee),
    [0n],
  );
  equal(floor.cash('bob', 'BTC'), '100.00000009');
  equal(floor.house('sys:fee', 'BTC'), '0');
});

test('case 73: each fill is cut on its own: 1.7 units of fee are one, 0.1 are none', () => {
  const floor = openFloor('ann', 'bob', 'cid');
  floor.sell('ann', '0.000017', '60000');
  floor.sell('bob', '0.000017', '60000');
  const buy = floor.buy('cid', '0.000018', '60000');
  deepEqual(buy.fills, ['0.000017 @ 60000 taker', '0.000001 @ 60000 taker']);
  deepEqual(
    buy.fillRecords.map((fill) => fill.fee),
    // 1700 x 0.001 = 1.7 and 100 x 0.001 = 0.1 units of 10^-8
    [1n, 0n],
  );
  equal(buy.fee, '0.00000001');
});

test('case 74: a maker rebate of 0.005 % is paid by the house', () => {
  const floor = openFloor('ann', 'bob');
  floor.setFees('ann', '-0.00005', '0.001');
  const sell = floor.sell('ann', '1', '60000');
  floor.buy('bob', '1', '60000');
  equal(sell.fee, '-3');
  equal(floor.cash('ann', 'USDT'), '10060003');
  equal(floor.house('sys:fee', 'USDT'), '-3');
});

test('case 74: a rebate is truncated in favour of the house', () => {
  const floor = openFloor('ann', 'bob');
  floor.setFees('ann', '-0.00005', '0.001');
  const buy = floor.buy('ann', '0.000017', '60000');
  floor.sell('bob', '0.000017', '60000');
  // 1700 x 0.00005 = 0.085 units
  equal(buy.fee, '0');
  equal(floor.cash('ann', 'BTC'), '100.000017');
});

test('case 75: who buys and sells all that was received has no base left and paid both fees', () => {
  const floor = openFloor('ann');
  floor.trader('bob', { USDT: '60000' });
  floor.sell('ann', '1', '60000');
  floor.buy('bob', '1', '60000');
  equal(floor.cash('bob', 'BTC'), '0.999');
  floor.buy('ann', '1', '60000');
  floor.sell('bob', '0.999', '60000');
  equal(floor.cash('bob', 'BTC'), '0');
  // 0.999 x 60 000 = 59 940, less 59.94
  equal(floor.cash('bob', 'USDT'), '59880.06');
});

test('case 76: cash of exactly price x quantity is enough, one unit less is not', () => {
  const floor = openFloor();
  floor.trader('ann', { USDT: '60000' });
  floor.trader('bob', { USDT: '59999.99999999' });
  equal(floor.buy('ann', '1', '60000').stands, 'new 0/1');
  equal(floor.cash('ann', 'USDT'), '0');
  const refused = floor.buy('bob', '1', '60000');
  equal(refused.stands, 'refused insufficientBalance');
  equal(refused.outcome.available, 5_999_999_999_999n);
});

test('case 77: a spot sell of more than the account has is refused: spot never borrows', () => {
  const floor = openFloor();
  floor.trader('ann', { USDT: '10000000', BTC: '0.5' });
  equal(floor.sell('ann', '0.500001', '60000').stands, 'refused insufficientBalance');
  equal(floor.marketSell('ann', '0.500001').stands, 'refused insufficientBalance');
  equal(floor.sell('ann', '0.5', '60000').stands, 'new 0/0.5');
});

test('case 79: a withdrawal of more than there is is refused, of all there is it is done', () => {
  const floor = openFloor();
  floor.trader('ann', { USDT: '100' });
  equal(floor.withdraw('ann', '100.00000001', 'USDT'), 'insufficientBalance');
  equal(floor.withdraw('ann', '100', 'USDT'), 'none');
  equal(floor.cash('ann', 'USDT'), '0');
  equal(floor.house('ext', 'USDT'), '0');
});

test('case 80: money that orders hold cannot be withdrawn', () => {
  const floor = openFloor();
  floor.trader('ann', { USDT: '60000' });
  const order = floor.buy('ann', '1', '59000');
  equal(floor.withdraw('ann', '1000.00000001', 'USDT'), 'insufficientBalance');
  equal(floor.withdraw('ann', '1000', 'USDT'), 'none');
  floor.cancel('ann', order);
  equal(floor.withdraw('ann', '59000', 'USDT'), 'none');
});

test('deposits and withdrawals of nothing or less are refused', () => {
  const floor = openFloor('ann');
  for (const amount of ['0', '-1', '10000000000000000000001']) {
    equal(floor.deposit('ann', amount, 'USDT'), 'amountOutOfRange');
    equal(floor.withdraw('ann', amount, 'USDT'), 'amountOutOfRange');
  }
});

test('every change of a balance has a line; locks have none', () => {
  const floor = openFloor('ann');
  floor.trader('bob', { USDT: '60000' });
  const order = floor.buy('bob', '0.5', '60000');
  deepEqual(floor.lines('bob'), ['deposit 60000 fee 0 USDT = 60000']);
  floor.sell('ann', '0.25', '60000');
  floor.cancel('bob', order);
  floor.withdraw('bob', '45000', 'USDT');
  deepEqual(floor.lines('bob').slice(1), [
    'tradeOut -15000 fee 0 USDT = 45000',
    'tradeIn 0.25 fee 0.00025 BTC = 0.24975',
    'withdrawal -45000 fee 0 USDT = 0',
  ]);
});

test('a house account trades like any other but keeps no history', () => {
  const floor = openFloor('ann');
  floor.trader('bot', { USDT: '100000', BTC: '1' }, { house: true });
  floor.sell('bot', '1', '60000');
  const buy = floor.buy('ann', '1', '60000');
  equal(buy.stands, 'filled 1/1');
  equal(floor.cash('bot', 'USDT'), '159940');
  deepEqual([floor.fillsOf('bot').length, floor.lines('bot').length], [0, 0]);
  equal(floor.publicFills().length, 1);
});

test('fees of an account are its own and must be below 10 %', () => {
  const floor = openFloor('ann');
  const fees = (rate: bigint) =>
    floor.send({
      type: 'setFees',
      time: floor.now,
      uid: floor.uid('ann'),
      instrument: 0,
      makerRate: rate,
      takerRate: 0n,
    }).detail;
  equal(fees(100_000_000_000n), 'fee rates must be below 10 %');
  equal(fees(-100_000_000_000n), 'fee rates must be below 10 %');
  equal(fees(99_999_999_999n), undefined);
});
