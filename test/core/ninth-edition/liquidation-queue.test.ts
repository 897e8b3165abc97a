/** The liquidation queue (rules 19.1): a command liquidates as many as a portion holds, and nobody gains by waiting. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishWork, nextPortion, setPortion } from '../fourth-edition/in-portions.ts';
import { BTC_PERPETUAL, FuturesFloor } from '../futures/futures-floor.ts';
import { protect } from '../strategy/strategy-tickets.ts';

const RATE = '0.0001';
const FUNDED = {
  ...BTC_PERPETUAL,
  futures: { ...BTC_PERPETUAL.futures!, minFundingRate: RATE, maxFundingRate: RATE },
};
const LONGS = ['ann', 'bob', 'cat', 'dan', 'fay'];

/** Each of the longs holds 1 BTC from 60 000 with 7 000 USDT and is due below 53 281; eve is the other side, zoe a stranger. */
function longFloor(longs = LONGS, listed = BTC_PERPETUAL): FuturesFloor {
  const floor = new FuturesFloor(listed);
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  for (const name of ['eve', 'zoe']) floor.trader(name, { USDT: '1000000' });
  for (const name of longs) {
    floor.trader(name, { USDT: '7000' });
    floor.leverage(name, 10);
    floor.deal(name, 'eve', '1', '60000');
  }
  return floor;
}

const holders = (floor: FuturesFloor, longs = LONGS) =>
  longs.filter((name) => floor.position(name) !== 'none');

function queue(floor: FuturesFloor): (string | undefined)[] {
  const { accounts, dueAccounts } = floor.state;
  return [...dueAccounts].map((index) => LONGS.find((name) => floor.uid(name) === accounts[index]!.uid));
}

/** Funding makes all of them due, one is liquidated with it, and the others are in the queue. */
function queuedFloor(): FuturesFloor {
  const floor = longFloor(LONGS, FUNDED);
  floor.wait(60_000);
  // At 53 281 they are due, and funding takes 5.
  floor.mark('53283');
  floor.buy('zoe', '5', '53200');
  setPortion(floor, 20);
  floor.forceFunding();
  assert.equal(floor.state.dueAccounts.size, 4);
  return floor;
}

test('19.1: the example: a command liquidates one account, the others wait; who acts is liquidated before', () => {
  const floor = queuedFloor();
  assert.deepEqual(queue(floor), ['bob', 'cat', 'dan', 'fay']);
  floor.withdraw('dan', '1', 'USDT');
  assert.deepEqual(holders(floor), ['bob', 'cat', 'fay']);
  for (const rest of [['cat', 'fay'], ['fay'], []]) {
    nextPortion(floor);
    assert.deepEqual(holders(floor), rest);
  }
  assert.equal(floor.exchange.hasOpenWork, false);
});

test('a liquidation that trades with many leaves fewer for its command', () => {
  const closed = (orders: number) => {
    const floor = longFloor(LONGS, FUNDED);
    for (let n = 0; n < orders; n++) floor.buy('zoe', String(1 / orders), '53210');
    floor.buy('zoe', '5', '53200');
    floor.wait(60_000);
    floor.mark('53283');
    setPortion(floor, 60);
    floor.forceFunding();
    return LONGS.length - holders(floor).length;
  };
  // 20 for a liquidation, and 1 for each fill.
  assert.deepEqual([1, 20, 40].map(closed), [3, 2, 1]);
});

test('a ranking counts for the command that makes it', () => {
  const closed = (pairs: number) => {
    const floor = longFloor(LONGS, FUNDED);
    for (let n = 0; n < pairs; n++) {
      for (const side of ['long', 'short']) floor.trader(`${side} ${n}`, { USDT: '1000' });
      floor.deal(`long ${n}`, `short ${n}`, '0.001', '60000');
    }
    floor.wait(60_000);
    floor.mark('53283');
    setPortion(floor, 60);
    floor.forceFunding();
    return LONGS.length - holders(floor).length;
  };
  // 320 positions count 20.
  assert.deepEqual([0, 160].map(closed), [3, 2]);
});

test('whoever waits is liquidated in turn, and a newly due account behind them', () => {
  const floor = longFloor(LONGS, FUNDED);
  floor.deposit('ann', '100', 'USDT');
  floor.wait(60_000);
  floor.mark('53283');
  floor.buy('zoe', '5', '53200');
  setPortion(floor, 20);
  floor.forceFunding();
  assert.deepEqual(queue(floor), ['cat', 'dan', 'fay'], 'one with a command, in ascending uid');
  // Ann has the smallest uid, and is due at the prices of the next second.
  floor.index('53170');
  assert.deepEqual(queue(floor), ['dan', 'fay', 'ann']);
  for (const rest of [['fay', 'ann'], ['ann'], []]) {
    nextPortion(floor);
    assert.deepEqual(queue(floor), rest);
  }
  assert.deepEqual(holders(floor), []);
});

test('the checks of a second pass by who is in the queue: they do not count for them', () => {
  const floor = queuedFloor();
  floor.index('53250');
  assert.ok(floor.state.dueAccounts.size > 0);
  assert.equal(floor.state.priceCheckRound, undefined, 'the round has come to its end');
});

test('who waits is liquidated before a stop of his fires', () => {
  const longs = LONGS.slice(0, 4);
  const floor = longFloor(longs, FUNDED);
  floor.wait(60_000);
  floor.mark('53283');
  const stop = protect(floor, 'cat', { stopLoss: '53260' });
  floor.buy('zoe', '4', '53100');
  setPortion(floor, 20);
  assert.equal(floor.forceFunding(), 'none');
  // Ann was liquidated, and that trade reached the stop of cat.
  assert.deepEqual(holders(floor, longs), ['bob', 'dan']);
  assert.match(stop.stands, /^cancelled/);
  assert.match(floor.executions('cat').at(-1)!, /^liquidation close 1 /);
});

test('whom better prices save before the turn comes is spared; a deposit comes after the liquidation', () => {
  const floor = queuedFloor();
  floor.deposit('cat', '1000', 'USDT');
  assert.deepEqual(holders(floor), ['bob', 'dan', 'fay']);
  floor.index('60000');
  finishWork(floor);
  assert.equal(floor.position('fay'), 'long 1 @ 60000');
});

test('a contract that ends, or whose index falls silent, leaves nobody in the queue', () => {
  const ended = queuedFloor();
  ended.setStatus('offline', 'BTCUSDT', 'USDT-FUTURES');
  finishWork(ended);
  assert.deepEqual(holders(ended), []);

  const silent = queuedFloor();
  silent.wait(20 * 60_000);
  finishWork(silent);
  const left = holders(silent);
  assert.equal(silent.state.dueAccounts.size, 0);
  silent.mark('53190');
  finishWork(silent);
  assert.ok(left.length > 0);
  assert.deepEqual(holders(silent), []);
});

test('19.1 (d): who is deleveraged while funding is open gets his funding first, the others later', () => {
  const shorts = ['bob', 'cat', 'dan'];
  const rate = '0.001';
  const futures = { ...BTC_PERPETUAL.futures!, minFundingRate: rate, maxFundingRate: rate };
  const floor = new FuturesFloor({ ...BTC_PERPETUAL, futures });
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  for (const name of ['zoe', ...shorts]) floor.trader(name, { USDT: '100000' });
  floor.trader('ann', { USDT: '7100' });
  floor.leverage('ann', 10);
  floor.deal('ann', 'bob', '1', '60000');
  for (const name of ['cat', 'dan']) floor.deal('zoe', name, '0.1', '60000');
  floor.wait(60_000);
  setPortion(floor, 1);
  floor.forceFunding();
  floor.index('53000');
  while (floor.position('ann') !== 'none') nextPortion(floor);
  finishWork(floor);
  for (const name of shorts) {
    const lines = floor.eventsOf('ledgerLine').filter(({ uid }) => uid === floor.uid(name));
    const funding = lines.filter(({ kind }) => kind === 'fundingIn').map(({ amount }) => amount);
    const lots = name === 'bob' ? 1 : 0.1;
    assert.equal(funding.length, 1, name);
    assert.ok(Number(funding[0]) > 52_000 * 1e5 * lots && Number(funding[0]) <= 60_000 * 1e5 * lots, name);
  }
  assert.equal(floor.position('bob'), 'none');
});

test('I40: a restart at any tick of the queue goes on in the same way', () => {
  const play = (restartAt: number) => {
    const floor = queuedFloor();
    for (let n = 0; floor.exchange.hasOpenWork; n++) {
      if (n === restartAt) {
        floor.restart();
        setPortion(floor, 20);
      }
      nextPortion(floor);
    }
    return floor.image();
  };
  const expected = play(-1);
  for (let n = 0; n < 4; n++) assert.deepEqual(play(n), expected, `a restart before tick ${n}`);
});
