/**
 * A full hour in portions (rules 14.3): funding and interest go by what was held and owed at the instant, whoever does what
 * between the portions. Each attack is tried before its author's turn and after it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARGIN, MarginFloor, TERMS, USDT_TERMS } from '../borrowing/margin-floor.ts';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { refusalName } from '../dsl/words.ts';
import { BTC_PERPETUAL, FuturesFloor } from '../futures/futures-floor.ts';
import { finishWork, inPortions, nextPortion, setPortion } from './in-portions.ts';

const HOUR = 3_600_000;
const EIGHT = OPENING_BELL + 8 * HOUR;
const PEOPLE = ['ann', 'bob', 'cat', 'dan', 'eve'];

/** Funding of 0.1 %: ann and cat are long 1 BTC each and pay 60, bob and dan receive. Eve has a fortune and nothing else. */
function fundedFloor(portion = 1, rate = '0.001', until = EIGHT): FuturesFloor {
  const floor = inPortions(
    new FuturesFloor({
      ...BTC_PERPETUAL,
      futures: { ...BTC_PERPETUAL.futures!, minFundingRate: rate, maxFundingRate: rate },
    }),
    portion,
  );
  for (const name of PEOPLE) floor.trader(name, { USDT: '100000' });
  floor.deal('ann', 'bob', '1', '60000');
  floor.deal('cat', 'dan', '1', '60000');
  floor.wait(60_000);
  floor.at(until - 1500);
  floor.tell('1', 'USDTUSD', 'operator');
  floor.tell('60000', 'BTCUSDT', 'operator');
  floor.at(until - 1);
  return floor;
}

const funding = (floor: FuturesFloor, name: string) =>
  floor
    .lines(name)
    .filter((line) => line.startsWith('funding'))
    .map((line) => line.split(' ').slice(0, 2).join(' '));
const fundings = (floor: FuturesFloor) => PEOPLE.map((name) => funding(floor, name));

const SETTLED = [['fundingOut -60'], ['fundingIn 60'], ['fundingOut -60'], ['fundingIn 60'], []];

test('I52: payers pay account by account into what is being settled; receivers are paid when the last has paid', () => {
  const floor = fundedFloor();
  floor.at(EIGHT);
  assert.deepEqual(funding(floor, 'ann'), SETTLED[0]);
  assert.deepEqual(funding(floor, 'cat'), []);
  assert.equal(floor.house('sys:settling', 'USDT'), '60');
  assert.equal(floor.insurance(), '0');
  const ticks = finishWork(floor);
  assert.ok(ticks >= 3, `${ticks} portions`);
  assert.deepEqual(fundings(floor), SETTLED);
  assert.equal(floor.house('sys:settling', 'USDT'), '0');
  const [settled] = floor.eventsOf('fundingSettled').filter(({ rate }) => rate !== 0n);
  assert.equal(settled!.time, EIGHT, 'the word of it bears the time of the hour');
});

test('portions of any size come to the balances of one step', () => {
  const outcomes = [1, 2, 3, 1000].map((portion) => {
    const floor = fundedFloor(portion);
    floor.at(EIGHT);
    finishWork(floor);
    return PEOPLE.map((name) => [floor.cash(name, 'USDT'), floor.view(name)?.funding]);
  });
  for (const outcome of outcomes) assert.deepEqual(outcome, outcomes[3]);
});

/** What somebody may try between the portions; none changes what the hour costs or brings anybody. */
const ATTACKS: Readonly<Record<string, (floor: FuturesFloor) => unknown>> = {
  'a payer sells its position': (floor) => floor.deal('eve', 'cat', '1', '60000'),
  'a payer sells and turns': (floor) => floor.deal('eve', 'cat', '2', '60000'),
  'a payer hands its position to a friend': (floor) => floor.deal('eve', 'ann', '1', '60000'),
  'a payer takes all its cash away': (floor) => floor.transfer('cat uta', 'cat spot', '93000', 'USDT'),
  'a payer withdraws': (floor) => floor.requestWithdrawal('cat', '90000', 'USDT'),
  'somebody opens on the receiving side': (floor) => floor.deal('dan', 'eve', '1', '60000'),
  'somebody opens against a payer that waits in the book': (floor) => {
    floor.buy('cat', '1', '60000');
    floor.sell('eve', '1', '60000');
  },
  'a receiver doubles its position': (floor) => floor.deal('eve', 'dan', '1', '60000'),
  'a receiver closes': (floor) => floor.deal('dan', 'eve', '1', '60000'),
  'a payer cancels what it has': (floor) => floor.cancelAll('cat', { category: 'USDT-FUTURES' }),
  'the index falls': (floor) => {
    floor.tell('57000', 'BTCUSDT', 'operator');
    floor.wait(1000);
  },
};

/** At its hour, and by command of the operator between two (rules 5.10). */
const BEGINNINGS: readonly (() => FuturesFloor)[] = [
  () => {
    const floor = fundedFloor();
    floor.at(EIGHT);
    return floor;
  },
  () => {
    const floor = fundedFloor(1, '0.001', EIGHT - HOUR / 2);
    floor.forceFunding();
    return floor;
  },
];

for (const [name, attack] of Object.entries(ATTACKS)) {
  test(`${name} between the portions: funding costs and brings what was held at its instant`, () => {
    for (let portions = 0; portions < 14; portions++) {
      const floor = BEGINNINGS[portions % 2]!();
      for (let n = 0; n < portions >> 1; n++) nextPortion(floor);
      attack(floor);
      finishWork(floor);
      assert.deepEqual(fundings(floor), SETTLED, `after ${portions} portions`);
    }
  });
}

test('a receiver cannot spend what it has not got, and is not liquidated for lack of it', () => {
  const floor = fundedFloor(1, '0.003');
  // 180 are due to dan, who keeps a little less than the position needs and can only live with it.
  const free = Number(floor.risk('dan').available);
  floor.transfer('dan uta', 'dan spot', String(free), 'USDT');
  floor.at(EIGHT);
  assert.notEqual(floor.transfer('dan uta', 'dan spot', '100', 'USDT'), 'none');
  finishWork(floor);
  assert.equal(floor.transfer('dan uta', 'dan spot', '100', 'USDT'), 'none');
});

test('isolated payers that cannot pay: receivers share what came in, whoever acts before', () => {
  for (const early of [false, true]) {
    const floor = inPortions(
      new FuturesFloor({
        ...BTC_PERPETUAL,
        futures: { ...BTC_PERPETUAL.futures!, minFundingRate: '0.003', maxFundingRate: '0.003' },
      }),
      1,
    );
    for (const name of ['ann', 'bob', 'cat']) floor.trader(name, { USDT: '100000' });
    floor.isolate('ann');
    floor.leverage('ann', 125);
    floor.deal('ann', 'bob', '1', '60000');
    floor.deal('cat', 'bob', '1', '60000');
    floor.transfer('ann uta', 'ann spot', floor.cash('ann', 'USDT'), 'USDT');
    for (let hour = 1; hour <= 4; hour++) {
      floor.tell('62000', 'BTCUSDT', 'operator');
      floor.at(OPENING_BELL + 8 * hour * HOUR);
      if (early) floor.cancelAll('bob', { category: 'USDT-FUTURES' });
      if (early) floor.transfer('ann spot', 'ann uta', '500', 'USDT');
      finishWork(floor);
    }
    const paid = [...funding(floor, 'ann'), ...funding(floor, 'cat')];
    const sum = (lines: readonly string[]) =>
      lines.reduce((all, line) => all + Number(line.split(' ')[1]), 0);
    assert.ok(
      Math.abs(sum(paid) + sum(funding(floor, 'bob'))) < 0.0001,
      'nobody is paid more than was collected',
    );
  }
});

test('who repays between the hour and its portion pays for the hour all the same; who borrows does not', () => {
  for (const early of [false, true]) {
    const floor = inPortions(
      new MarginFloor({ ...TERMS, USDT: { ...USDT_TERMS, yearRate: '87.6' } }).stocked(),
      1,
    );
    for (const name of ['ann', 'bob', 'cat']) floor.trader(name, { USDT: '100' });
    for (const name of ['ann', 'bob']) floor.buy(name, '0.0025', '60000', MARGIN);
    floor.at(OPENING_BELL + HOUR - 1);
    floor.at(OPENING_BELL + HOUR);
    if (early) {
      floor.deposit('bob', '50', 'USDT');
      floor.buy('cat', '0.0025', '60000', MARGIN);
    }
    finishWork(floor);
    assert.equal(floor.cash('ann', 'USDT'), '-50.5');
    assert.equal(floor.cash('bob', 'USDT'), early ? '-0.5' : '-50.5');
    assert.deepEqual(
      floor.lines('cat').filter((line) => line.startsWith('interest')),
      [],
    );
    floor.at(OPENING_BELL + 2 * HOUR);
    finishWork(floor);
    // Bob owed 50.5 when the hour began, cat 50 a moment after it.
    if (early) assert.equal(floor.cash('bob', 'USDT'), '-1.005');
    if (early) assert.equal(floor.cash('cat', 'USDT'), '-50.5');
  }
});

test('a debt that is made and repaid between the portions costs its hour', () => {
  const floor = inPortions(
    new MarginFloor({ ...TERMS, USDT: { ...USDT_TERMS, yearRate: '87.6' } }).stocked(),
    1,
  );
  for (const name of ['ann', 'bob', 'cat']) floor.trader(name, { USDT: '100' });
  floor.buy('ann', '0.0025', '60000', MARGIN);
  floor.buy('bob', '0.0025', '60000', MARGIN);
  floor.at(OPENING_BELL + HOUR);
  floor.buy('cat', '0.0025', '60000', MARGIN);
  floor.deposit('cat', '60', 'USDT');
  finishWork(floor);
  assert.equal(floor.cash('cat', 'USDT'), '10');
  floor.at(OPENING_BELL + 2 * HOUR);
  finishWork(floor);
  assert.equal(floor.cash('cat', 'USDT'), '9.5');
  floor.at(OPENING_BELL + 3 * HOUR);
  finishWork(floor);
  assert.equal(floor.cash('cat', 'USDT'), '9.5', 'and only that hour');
});

test('funding by command comes after the hour that is open, and leaves the largest debts of the hour', () => {
  const floor = fundedFloor();
  floor.at(EIGHT);
  assert.equal(floor.forceFunding(), 'none');
  floor.restart();
  setPortion(floor, 1);
  assert.equal(floor.exchange.state.works.length, 2, 'both are in the snapshot');
  finishWork(floor);
  assert.deepEqual(
    fundings(floor),
    SETTLED.map((lines) => [...lines, ...lines]),
  );
  const indebted = inPortions(
    new MarginFloor({ ...TERMS, USDT: { ...USDT_TERMS, yearRate: '87.6' } }).stocked(),
    1,
  );
  indebted.trader('ann', { USDT: '100' });
  indebted.buy('ann', '0.0025', '60000', MARGIN);
  indebted.deposit('ann', '60', 'USDT');
  assert.equal(indebted.forceFunding(), 'none');
  indebted.restart();
  finishWork(indebted);
  indebted.at(OPENING_BELL + HOUR);
  finishWork(indebted);
  assert.equal(indebted.cash('ann', 'USDT'), '9.5', 'she owed 50 within the hour');
});

test('an hour is open for five seconds at most: then the rest is done in one step', () => {
  const floor = fundedFloor();
  floor.at(EIGHT);
  const instrument = floor.instrument().index;
  const status = { type: 'setInstrumentStatus', instrument, status: 'online' } as const;
  floor.send({ ...status, time: EIGHT + 4999 });
  assert.ok(floor.exchange.hasOpenWork);
  floor.send({ ...status, time: EIGHT + 5000 });
  assert.ok(!floor.exchange.hasOpenWork);
  assert.deepEqual(fundings(floor), SETTLED);
});

test('nobody is let off a debt that funding on its way may pay', () => {
  const floor = fundedFloor();
  floor.at(EIGHT);
  const { rejectReason } = floor.send({ type: 'writeOffDebt', time: floor.now, uid: floor.uid('dan') });
  assert.equal(refusalName(rejectReason), 'positionsOrOrdersOpen');
});
