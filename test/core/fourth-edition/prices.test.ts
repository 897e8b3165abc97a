/**
 * Prices while an hour is open (rules 14.3 (d)): they go on, and every check goes by them. While they stood still, whoever knew
 * the next one took out what his account had at the last, and left its loss to the house.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarginFloor, TERMS, USDT_TERMS } from '../borrowing/margin-floor.ts';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { refusalName } from '../dsl/words.ts';
import { BTC_PERPETUAL, FuturesFloor } from '../futures/futures-floor.ts';
import { finishWork, inPortions } from './in-portions.ts';

const HOUR = 3_600_000;
const EIGHT = OPENING_BELL + 8 * HOUR;
const ONE_STEP = Number.POSITIVE_INFINITY;

/** Lets time pass by a command that does no portion. */
function pass(floor: FuturesFloor, time: number): void {
  const instrument = floor.instrument().index;
  floor.send({ type: 'setInstrumentStatus', time, instrument, status: 'online' });
}

const perpetual = (rate: string) => ({
  ...BTC_PERPETUAL,
  futures: { ...BTC_PERPETUAL.futures!, minFundingRate: rate, maxFundingRate: rate },
});

/** Ann is long 10 BTC against bob with 100,000 each; pip is her friend. The others only make the hour long. */
function heldFloor(portion: number, rate = '0.001'): FuturesFloor {
  const floor = inPortions(new FuturesFloor(perpetual(rate)), portion);
  for (const name of ['cat', 'dan', 'ann', 'bob', 'pip']) floor.trader(name, { USDT: '100000' });
  floor.deal('cat', 'dan', '0.1', '60000');
  floor.deal('ann', 'bob', '10', '60000');
  floor.at(EIGHT - 1500);
  floor.tell('1', 'USDTUSD', 'operator');
  floor.tell('60000', 'BTCUSDT', 'operator');
  floor.at(EIGHT - 1);
  return floor;
}

/** The hour begins; in its first second BTC falls by 15 %, and everybody outside knows. */
function fallen(portion: number): FuturesFloor {
  const floor = heldFloor(portion);
  floor.at(EIGHT);
  floor.tell('51000', 'BTCUSDT', 'operator');
  floor.tell('1', 'USDTUSD', 'operator');
  pass(floor, EIGHT + 1000);
  return floor;
}

test('a withdrawal against the mark of before the fall is refused while the hour is open', () => {
  const floor = fallen(1);
  assert.ok(floor.exchange.hasOpenWork);
  assert.equal(floor.fields('ann').markPrice, '51000');
  // At 60,000 she could take 39,000 and more; at 51,000 she has 9,000 left, and the position needs them.
  const { rejectReason } = floor.requestWithdrawal('ann', '30000', 'USDT');
  assert.equal(refusalName(rejectReason), 'insufficientBalance');
  finishWork(floor);
  assert.equal(floor.house('sys:bad-debt', 'USDT'), '0');
  assert.equal(floor.cash('ann', 'USDT'), '99040');
});

/** Ways to take value out of an account. */
const TAKINGS: Readonly<Record<string, (floor: FuturesFloor) => unknown>> = {
  withdraws: (floor) => floor.requestWithdrawal('ann', '30000', 'USDT'),
  'brings money to her other wallet': (floor) => floor.transfer('ann uta', 'ann spot', '30000', 'USDT'),
  'withdraws a little': (floor) => floor.requestWithdrawal('ann', '100', 'USDT'),
  'opens more with a friend at the old price': (floor) => {
    floor.sell('pip', '5', '60000');
    return floor.buy('ann', '5', '60000').stands;
  },
  'has her resting order met by a friend at the old price': (floor) => {
    floor.buy('ann', '3', '60000');
    return floor.sell('pip', '3', '60000').stands;
  },
  'closes to a friend below the price': (floor) => {
    floor.buy('pip', '10', '42000');
    return floor.sell('ann', '10', '42000').stands;
  },
};

for (const [name, take] of Object.entries(TAKINGS)) {
  test(`who ${name} when the price has fallen gets the answer of an hour that is over`, () => {
    const answers = [1, ONE_STEP].map((portion) => {
      const floor = fallen(portion);
      assert.equal(floor.exchange.hasOpenWork, portion === 1);
      const answer = take(floor);
      finishWork(floor);
      return [answer, floor.cash('ann', 'USDT'), floor.position('ann'), floor.cash('pip', 'USDT')];
    });
    assert.deepEqual(answers[0], answers[1]);
  });
}

test('funding goes by the mark of the hour, wherever prices are when it is paid', () => {
  const floor = fallen(1);
  floor.tell('66000', 'BTCUSDT', 'operator');
  pass(floor, EIGHT + 2000);
  assert.equal(floor.fields('ann').markPrice, '66000');
  finishWork(floor);
  const lines = ['cat', 'dan', 'ann', 'bob'].map((who) =>
    floor
      .lines(who)
      .filter((line) => line.startsWith('funding'))
      .map((line) => line.split(' ').slice(0, 2).join(' ')),
  );
  assert.deepEqual(lines, [['fundingOut -6'], ['fundingIn 6'], ['fundingOut -600'], ['fundingIn 600']]);
});

test('interest on an unrealised loss goes by the marks of the hour, before the turn and by an act', () => {
  const terms = { ...TERMS, USDT: { ...USDT_TERMS, yearRate: '87.6', freeLimit: '0' } };
  const outcomes = [false, true].flatMap((acts) =>
    [1, ONE_STEP].map((portion) => {
      const floor = inPortions(new MarginFloor(terms).stocked(), portion);
      for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '100', BTC: '1' });
      floor.trader('cat', { USDT: '100000' });
      // A loss of 1,000 and 93 of cash: 907 are owed, and 1 % of them is due with the hour.
      for (const name of ['ann', 'bob'])
        floor.deal(name, 'cat', '0.2', '60000', { category: 'USDT-FUTURES' });
      floor.at(OPENING_BELL + HOUR - 1500);
      floor.tell('55000', 'BTCUSDT', 'operator');
      floor.at(OPENING_BELL + HOUR);
      floor.tell('58000', 'BTCUSDT', 'operator');
      pass(floor, OPENING_BELL + HOUR + 1000);
      assert.equal(floor.exchange.hasOpenWork, portion === 1);
      if (acts) floor.deposit('bob', '1', 'USDT');
      finishWork(floor);
      return ['ann', 'bob'].map((who) => floor.lines(who).filter((line) => line.startsWith('interest')));
    }),
  );
  assert.match(outcomes[0]![1]![0]!, /^interest -9\./);
  for (const outcome of outcomes) assert.deepEqual(strip(outcome), strip(outcomes[1]!));
});

/** Kind and amount of lines. */
function strip(lists: readonly (readonly string[])[]): string[][] {
  return lists.map((lines) => lines.map((line) => line.split(' ').slice(0, 2).join(' ')));
}

test('a payer that the fall has cost its margin pays the hour, then is liquidated in the same second', () => {
  const floor = heldFloor(1);
  floor.insure('50000');
  floor.at(EIGHT);
  floor.tell('50200', 'BTCUSDT', 'operator');
  floor.tell('1', 'USDTUSD', 'operator');
  floor.buy('pip', '10', '50200');
  pass(floor, EIGHT + 1000);
  assert.ok(floor.exchange.hasOpenWork);
  assert.equal(floor.position('ann'), 'none');
  assert.ok(floor.lines('ann').some((line) => line.startsWith('fundingOut -600')));
});

test('a receiver that a price has cost its margin is liquidated as soon as it has its funding, in five seconds', () => {
  const floor = heldFloor(1);
  floor.insure('50000');
  floor.at(EIGHT);
  floor.tell('69750', 'BTCUSDT', 'operator');
  floor.tell('1', 'USDTUSD', 'operator');
  floor.sell('pip', '10', '69750');
  pass(floor, EIGHT + 1000);
  assert.equal(floor.position('bob'), 'short 10 @ 60000');
  // What it has not got is neither to spend nor to trade with.
  assert.notEqual(floor.transfer('bob uta', 'bob spot', '1', 'USDT'), 'none');
  pass(floor, EIGHT + 4999);
  assert.equal(floor.position('bob'), 'short 10 @ 60000');
  pass(floor, EIGHT + 5000);
  assert.ok(floor.lines('bob').some((line) => line.startsWith('fundingIn 600')));
  assert.equal(floor.position('bob'), 'none');
});
