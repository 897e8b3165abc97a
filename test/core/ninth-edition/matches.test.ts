/** Fewer matches with one command (rules 19.2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishWork, nextPortion, setPortion } from '../fourth-edition/in-portions.ts';
import { futuresFloor } from '../futures/futures-floor.ts';
import { when } from '../strategy/strategy-tickets.ts';
import { TradingFloor } from '../trading-floor.ts';

/** Bob offers 0.001 BTC so many times, each order at the same price. */
function offers(edition: number, count: number): TradingFloor {
  const floor = new TradingFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition });
  floor.trader('ann', { USDT: '1000000' });
  floor.trader('zoe', { USDT: '1000000' });
  for (let seller = 0; seller * 400 < count; seller++) {
    const name = `bob ${seller}`;
    floor.trader(name, { BTC: '10' });
    for (let n = seller * 400; n < Math.min(count, (seller + 1) * 400); n++)
      floor.sell(name, '0.001', '60000');
  }
  return floor;
}

test('19.2: an order trades with 400 others, before it was 1000; the rest is cancelled', () => {
  const floor = offers(9, 405);
  assert.equal(floor.buy('ann', '0.405', '60000').stands, 'cancelled 0.4/0.405 trade_too_many_times_cancel');
  const before = offers(8, 405);
  assert.equal(before.buy('ann', '0.405', '60000').stands, 'filled 0.405/0.405');
});

test('exactly 400 are filled, and a fill-or-kill that needs one more is not', () => {
  assert.equal(offers(9, 400).buy('ann', '0.4', '60000').stands, 'filled 0.4/0.4');
  const floor = offers(9, 401);
  const killed = floor.buy('ann', '0.401', '60000', { tif: 'fok' });
  assert.equal(killed.stands, 'cancelled 0/0.401 fok_not_full_cancel');
});

test('the amendments of one command have 400 fills together', () => {
  const floor = offers(9, 500);
  const orders = ['0.3', '0.15', '0.001'].map((qty) => floor.buy('ann', qty, '50000'));
  floor.amendBatch(
    'ann',
    orders.map((order) => [order, { price: '60000' }]),
  );
  assert.deepEqual(
    orders.map((order) => order.stands),
    [
      'filled 0.3/0.3',
      'cancelled 0.1/0.15 trade_too_many_times_cancel',
      'cancelled 0/0.001 trade_too_many_times_cancel',
    ],
  );
});

/** Ann's sub-accounts offer 0.001 BTC so many times, and a stranger once behind them. */
function ownOffers(edition: number, count: number): TradingFloor {
  const floor = new TradingFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition });
  floor.trader('ann', { USDT: '1000000' });
  floor.trader('zoe', { BTC: '10' });
  for (let n = 0; n < count; n++) {
    const name = `sub ${Math.floor(n / 400)}`;
    if (n % 400 === 0) floor.trader(name, { BTC: '10' }, { master: 'ann' });
    floor.sell(name, '0.001', '60000');
  }
  floor.sell('zoe', '1', '60000');
  return floor;
}

test('19.2: own orders that self-trade prevention cancels are removals: 400, before the ninth edition all', () => {
  const buys = (edition: number, count: number, tif?: 'fok') =>
    ownOffers(edition, count).buy('ann', '1', '60000', { stp: 'cancel_maker', ...(tif && { tif }) }).stands;
  assert.equal(buys(9, 400), 'cancelled 0/1 trade_too_many_times_cancel');
  assert.equal(buys(9, 399), 'filled 1/1');
  assert.equal(buys(8, 400), 'filled 1/1');
  assert.equal(buys(9, 400, 'fok'), 'cancelled 0/1 fok_not_full_cancel');
  assert.equal(buys(9, 399, 'fok'), 'filled 1/1');
  assert.equal(buys(8, 400, 'fok'), 'filled 1/1');
});

test('the amendments of one command have 400 removals together', () => {
  const left = ([8, 9] as const).map((edition) => {
    const floor = ownOffers(edition, 500);
    const orders = ['50000', '50001'].map((price) => floor.buy('ann', '0.5', price, { stp: 'cancel_maker' }));
    floor.sell('sub 0', '0.001', '60001');
    floor.amendBatch('ann', [
      [orders[0]!, { price: '60000', qty: '0.3' }],
      [orders[1]!, { price: '60001' }],
    ]);
    return [...orders.map((order) => order.stands), floor.openOrders('sub 1').length];
  });
  assert.deepEqual(left, [
    ['filled 0.3/0.3', 'filled 0.5/0.5', 0],
    ['cancelled 0/0.3 trade_too_many_times_cancel', 'cancelled 0/0.5 trade_too_many_times_cancel', 100],
  ]);
});

test('what strategy orders trade counts too: two fire with a command that could fire three', () => {
  const stands = ([8, 9] as const).map((edition) => {
    const floor = futuresFloor('1000000', 'ann', 'bob', 'eve', 'mel');
    floor.send({ type: 'setEdition', time: floor.now, edition });
    floor.deal('eve', 'mel', '0.1', '60000');
    const orders = ['ann', 'bob', 'ann', 'bob'].map((name) => when(floor, name, 'buy', '0.05', '60500'));
    for (let n = 0; n < 20; n++) floor.sell('mel', '0.01', '60600');
    setPortion(floor, 12);
    floor.deal('eve', 'mel', '0.1', '60500');
    const first = orders.map((order) => order.stands);
    finishWork(floor);
    for (const order of orders) assert.equal(order.child.stands, 'filled 0.05/0.05');
    return first;
  });
  assert.deepEqual(stands, [
    ['success', 'success', 'success', 'pending'],
    ['success', 'success', 'pending', 'pending'],
  ]);
});

test('what a tick closes by force keeps no strategy order waiting', () => {
  const floor = futuresFloor('1000000', 'bob', 'eve', 'mel');
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  for (const name of ['ann', 'amy']) {
    floor.trader(name, { USDT: '7000' });
    floor.leverage(name, 10);
    floor.deal(name, 'mel', '1', '60000');
  }
  floor.buy('eve', '1', '53100');
  for (let n = 0; n < 50; n++) floor.buy('eve', '0.02', '53090');
  setPortion(floor, 20);
  floor.mark('53200');
  assert.deepEqual([floor.position('ann'), floor.position('amy')], ['none', 'long 1 @ 60000']);
  const stop = when(floor, 'bob', 'sell', '0.1', '53095', { limit: '53050' });
  nextPortion(floor);
  assert.deepEqual([floor.position('amy'), stop.stands], ['none', 'success']);
});
