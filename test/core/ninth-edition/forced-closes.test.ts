/** Forced closes and rankings in portions (rules 19.1, 19.2): who waits gains nothing by it, and neither does anybody else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderKind } from '../../../src/core/model/enums.ts';
import { finishWork, nextPortion, setPortion } from '../fourth-edition/in-portions.ts';
import { BTC_PERPETUAL, FuturesFloor } from '../futures/futures-floor.ts';
import { protect } from '../strategy/strategy-tickets.ts';

const SHORTS = ['bob', 'cat', 'dan', 'eve'];

/**
 * Ann is long 4 BTC from 60 000 with 28 000 USDT, each of four others short 1, with the less money the later their name: at
 * 53 000 she is below zero. Zoe has money. A portion of one ranks two holders.
 */
function longFloor(portion: number | undefined, edition = 9): FuturesFloor {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition });
  floor.trader('ann', { USDT: '28000' });
  floor.leverage('ann', 10);
  floor.trader('zoe', { USDT: '1000000' });
  for (let n = 0; n < 16; n++) floor.trader(`idle ${n}`, {});
  for (const [n, name] of SHORTS.entries()) {
    floor.trader(name, { USDT: String(100_000 - 10_000 * n) });
    floor.deal('ann', name, '1', '60000');
  }
  if (portion !== undefined) setPortion(floor, portion);
  return floor;
}

const held = (floor: FuturesFloor) => SHORTS.filter((name) => floor.position(name) !== 'none');

/**
 * What is left is closed by what the account has then: the bankruptcy price is rounded to its own tick, 0.1, and what the parts
 * before have left above it is behind the rest.
 */
function assertSameTrades(floor: FuturesFloor, expected: FuturesFloor, left = 0): void {
  const most = left + 4 * 0.1;
  for (const name of ['ann', 'zoe', ...SHORTS]) {
    assert.equal(floor.position(name), expected.position(name), name);
    const [cash, other] = [floor, expected].map((each) => Number(each.cash(name, 'USDT')));
    assert.ok(Math.abs(cash! - other!) < most, `${name} has ${cash}, not ${other}`);
  }
  assert.ok(Math.abs(Number(floor.insurance()) - Number(expected.insurance())) < most);
}

test('19.1: the example: a close meets as many orders as a portion holds, and goes on with the next ticks', () => {
  const floor = longFloor(2);
  for (const price of ['53080', '53075', '53070', '53070', '53070']) floor.buy('zoe', '0.8', price);
  floor.mark('53100');
  assert.equal(floor.position('ann'), 'long 2.4 @ 60000');
  assert.equal(floor.position('zoe'), 'long 1.6 @ 53077.5');
  nextPortion(floor);
  assert.equal(floor.position('ann'), 'long 0.8 @ 60000');
  nextPortion(floor);
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.exchange.hasOpenWork, false);
  assert.equal(floor.state.inLiquidation.size, 0);
});

test('portions of any size come to the same trades as one step', () => {
  for (const bids of [[], ['53080'], ['53080', '53075', '53070', '53070', '53070', '53070', '53070']]) {
    const closed = (portion: number | undefined, edition: number) => {
      const floor = longFloor(portion, edition);
      for (const price of bids) floor.buy('zoe', '0.5', price);
      floor.mark('53000');
      finishWork(floor);
      assert.equal(floor.position('ann'), 'none');
      return floor;
    };
    const expected = closed(undefined, 8);
    for (const portion of [1, 2, 3, 7, 20, undefined]) {
      const floor = closed(portion, 9);
      assertSameTrades(floor, expected, 10 * bids.length);
    }
  }
});

test('while a close waits the owner may do nothing with the account, and others may help it', () => {
  const waiting = () => {
    const floor = longFloor(1);
    floor.buy('zoe', '0.1', '53180');
    floor.mark('53200');
    assert.equal(floor.position('ann'), 'long 3.9 @ 60000');
    return floor;
  };
  const floor = waiting();
  assert.equal(floor.withdraw('ann', '1', 'USDT'), 'accountLiquidating');
  assert.equal(floor.transfer('ann uta', 'zoe uta', '1', 'USDT'), 'accountLiquidating');
  assert.equal(floor.buy('ann', '1', '50000').rejectReason, 'accountLiquidating');
  assert.equal(floor.leverage('ann', 20), 'accountLiquidating');
  assert.equal(floor.isolate('ann'), 'accountLiquidating');
  assert.equal(floor.force('ann'), 'accountLiquidating');
  assert.equal(floor.position('ann'), 'long 3.9 @ 60000', 'nor does it bring the close further');
  finishWork(floor);
  assert.equal(floor.position('ann'), 'none');

  const saved = waiting();
  assert.equal(saved.deposit('ann', '50000', 'USDT'), 'none');
  finishWork(saved);
  assert.equal(saved.position('ann'), 'long 3.9 @ 60000');
  assert.equal(saved.withdraw('ann', '1', 'USDT'), 'none');
});

test('whose prices return before the close goes on keeps what is left', () => {
  const floor = longFloor(1);
  floor.buy('zoe', '0.1', '53180');
  floor.mark('53200');
  floor.mark('60000');
  finishWork(floor);
  assert.equal(floor.position('ann'), 'long 3.9 @ 60000');
  assert.equal(floor.buy('ann', '0.01', '50000').rejectReason, 'none');
});

test('19.2: the example: the other side is ranked in portions, then deleveraged from its front', () => {
  const floor = longFloor(1);
  const expected = longFloor(undefined, 8);
  for (const each of [floor, expected]) each.mark('53000');
  assert.deepEqual(held(expected), []);
  assert.deepEqual(held(floor), SHORTS);
  const left = [];
  for (; floor.exchange.hasOpenWork; nextPortion(floor)) left.push(held(floor).length);
  assert.deepEqual(
    left,
    [4, 4, 4, 3, 2, 1],
    'a counterparty counts two, and who is looked at as one that is ranked',
  );
  assertSameTrades(floor, expected);
  const closes = floor.eventsOf('order').filter(({ order }) => order.futures?.kind === OrderKind.liquidation);
  assert.ok(
    closes.slice(1).every(({ order }) => order.filledLots > 0),
    'while the ranking grows nothing is tried',
  );
});

test('the order of a ranking is that of its second; who has closed since is passed over', () => {
  const floor = longFloor(1);
  floor.mark('53000');
  const order = ['eve', 'dan', 'cat', 'bob'];
  floor.sell('zoe', '1', '53000');
  floor.buy('eve', '1', '53000', { reduceOnly: true });
  assert.equal(floor.position('eve'), 'none');
  assert.equal(floor.position('zoe'), 'short 1 @ 53000');
  const gone: string[] = [];
  while (floor.exchange.hasOpenWork) {
    nextPortion(floor);
    for (const name of order)
      if (floor.executions(name).at(-1)?.startsWith('adl') && !gone.includes(name)) gone.push(name);
  }
  assert.deepEqual(gone, ['dan', 'cat', 'bob']);
  assert.equal(floor.position('ann'), 'none');
  assert.match(
    floor.executions('zoe').at(-1)!,
    /^adl close 1 /,
    'a new ranking finds whom the first did not know',
  );
});

test('the fund pays a close that goes on no more than one that is done at once', () => {
  const [expected, floor] = ([8, 9] as const).map((edition) => {
    const floor = longFloor(edition === 8 ? undefined : 1, edition);
    floor.insure('1000');
    floor.wait(3_600_000);
    floor.index('60000');
    // Below bankruptcy, about 53 032, and within reach.
    for (let n = 0; n < 12; n++) floor.buy('zoe', '0.2', '52950');
    floor.mark('53190');
    finishWork(floor);
    return floor;
  });
  assertSameTrades(floor!, expected!);
});

test('isolated positions wait one by one, and the rest of the account is free', () => {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  for (const name of ['bob', 'zoe']) floor.trader(name, { USDT: '1000000' });
  floor.trader('ann', { USDT: '12000' });
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.deal('ann', 'bob', '1', '60000');
  setPortion(floor, 1);
  for (const price of ['54045', '54044', '54043', '54042']) floor.buy('zoe', '0.25', price);
  floor.mark('54200');
  assert.match(floor.position('ann'), /^long 0.75 @ 60000 /);
  const taken = floor.withdraw('ann', '1000', 'USDT');
  assert.equal(taken, 'accountLiquidating', 'her cash pays what nobody else does (5.9, step 7)');
  finishWork(floor);
  assert.equal(floor.withdraw('ann', '1000', 'USDT'), 'none');
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.isolatedMargin('ann'), '0');
  assert.equal(floor.position('zoe'), 'long 1 @ 54043.5');
});

test('a command begins as many liquidations as a portion holds; who waits is closed before a command of his own', () => {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  const longs = ['ann', 'bob', 'cat', 'dan'];
  for (const name of ['eve', 'zoe']) floor.trader(name, { USDT: '1000000' });
  for (const name of longs) {
    floor.trader(name, { USDT: '7000' });
    floor.leverage(name, 10);
    floor.deal(name, 'eve', '1', '60000');
  }
  floor.buy('zoe', '4', '53100');
  setPortion(floor, 20);
  const holders = () => longs.filter((name) => floor.position(name) !== 'none');
  floor.mark('53200');
  assert.deepEqual(holders(), ['bob', 'cat', 'dan']);
  floor.withdraw('dan', '1', 'USDT');
  assert.deepEqual(holders(), ['bob', 'cat']);
  finishWork(floor);
  assert.deepEqual(holders(), []);
});

test('funding that makes many due at once closes them one by one; who waits is closed before he acts or a stop of his fires', () => {
  const rate = '0.0001';
  const futures = { ...BTC_PERPETUAL.futures!, minFundingRate: rate, maxFundingRate: rate };
  const floor = new FuturesFloor({ ...BTC_PERPETUAL, futures });
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  const longs = ['ann', 'bob', 'cat', 'dan'];
  for (const name of ['eve', 'zoe']) floor.trader(name, { USDT: '1000000' });
  for (const name of longs) {
    floor.trader(name, { USDT: '7000' });
    floor.leverage(name, 10);
    floor.deal(name, 'eve', '1', '60000');
  }
  const holders = () => longs.filter((name) => floor.position(name) !== 'none');
  floor.wait(60_000);
  // At 53 281 they are due, and funding takes 5.
  floor.mark('53283');
  const stop = protect(floor, 'cat', { stopLoss: '53260' });
  floor.buy('zoe', '4', '53100');
  setPortion(floor, 20);
  assert.equal(floor.forceFunding(), 'none');
  // Ann was closed, and that trade reached the stop of cat.
  assert.deepEqual(holders(), ['bob', 'dan']);
  assert.match(stop.stands, /^cancelled/);
  assert.match(floor.executions('cat').at(-1)!, /^liquidation close 1 /);
  floor.withdraw('dan', '1', 'USDT');
  assert.deepEqual(holders(), ['bob']);
  finishWork(floor);
  assert.deepEqual(holders(), []);
});

test('the operator closes an account, or gives a position up, in portions', () => {
  const whole = longFloor(1);
  assert.equal(whole.force('ann'), 'none');
  assert.equal(whole.force('ann'), 'accountLiquidating');
  finishWork(whole);
  assert.equal(whole.position('ann'), 'none');
  assert.deepEqual(held(whole), []);

  const given = longFloor(1);
  given.mark('59000');
  assert.equal(given.force('ann', 'BTCUSDT'), 'none');
  assert.ok(given.position('ann') !== 'none');
  assert.equal(given.buy('ann', '0.01', '50000').rejectReason, 'none', 'a healthy account goes on');
  finishWork(given);
  assert.equal(given.position('ann'), 'none');
  assert.deepEqual(held(given), []);
  for (const name of SHORTS)
    assert.equal(given.executions(name).at(-1), 'adl close 1 @ 59000 fee 0 pnl 1000');
});

test('I40: a restart at any tick of it goes on in the same way', () => {
  const play = (restartAt: number) => {
    const floor = longFloor(1);
    floor.buy('zoe', '0.1', '53020');
    floor.mark('53000');
    for (let n = 0; floor.exchange.hasOpenWork; n++) {
      if (n === restartAt) {
        floor.restart();
        setPortion(floor, 1);
      }
      if (n === 3) floor.sell('zoe', '0.05', '52990');
      nextPortion(floor);
    }
    return floor.image();
  };
  const expected = play(-1);
  for (let n = 0; n < 8; n++) assert.deepEqual(play(n), expected, `a restart before tick ${n}`);
});

test('a contract that ends while a close waits is settled, and the account is free', () => {
  const floor = longFloor(1);
  floor.mark('53000');
  assert.ok(floor.position('ann') !== 'none');
  floor.setStatus('offline', 'BTCUSDT', 'USDT-FUTURES');
  finishWork(floor);
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.state.openCloses.length, 0);
  assert.equal(floor.state.inLiquidation.size, 0);
});

test('an index that falls silent while a close waits ends the liquidation; it begins anew with the next price', () => {
  const floor = longFloor(1);
  floor.buy('zoe', '0.1', '53180');
  floor.mark('53200');
  floor.wait(20 * 60_000);
  finishWork(floor);
  assert.equal(floor.state.inLiquidation.size, 0);
  assert.notEqual(floor.position('ann'), 'none');
  floor.mark('53190');
  finishWork(floor);
  assert.equal(floor.position('ann'), 'none');
});
