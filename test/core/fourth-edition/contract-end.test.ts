/**
 * The end of a contract in portions (rules 14.5): every position closes at the price of the instant, losers' shortages are
 * shared by the winners, and nobody gains by what he does before he is settled or while his gain waits.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CancelReason } from '../../../src/core/model/enums.ts';
import { refusalName } from '../dsl/words.ts';
import { FuturesFloor } from '../futures/futures-floor.ts';
import { finishWork, inPortions, nextPortion, setPortion } from './in-portions.ts';

const PEOPLE = ['ann', 'bob', 'cat', 'dan', 'eve'];
const ONE_STEP = 0;

/**
 * Ann has lost all she has and more, cat more than the margin of her isolated position; bob and dan have won 10 000 each. The
 * fund has 2 000. A portion of 0 is the one step of the third edition.
 */
function lostFloor(portion: number): FuturesFloor {
  const floor = inPortions(new FuturesFloor(), 1000);
  const money: Readonly<Record<string, string>> = { ann: '7000', cat: '20000' };
  for (const name of PEOPLE) floor.trader(name, { USDT: money[name] ?? '100000' });
  floor.leverage('ann', 10);
  floor.isolate('cat');
  floor.leverage('cat', 100);
  floor.deal('ann', 'bob', '1', '60000');
  floor.deal('cat', 'dan', '1', '60000');
  floor.insure('2000');
  floor.buy('eve', '1', '40000');
  floor.buy('dan', '1', '40000');
  floor.arrange(({ state }) => {
    const { mark } = state.market(floor.instrument()).futures!;
    mark.price = 50_000n * 10n ** 8n;
    mark.inputs.fill(mark.price);
    state.priceVersion++;
    if (portion === ONE_STEP) state.rules.portions = false;
    else state.portion = portion;
  });
  return floor;
}

function delist(floor: FuturesFloor, status: 'offline' | 'online' = 'offline'): string {
  const command = {
    type: 'setInstrumentStatus',
    time: floor.now,
    instrument: floor.instrument().index,
    status,
  };
  return refusalName(floor.send(command as Parameters<FuturesFloor['send']>[0]).rejectReason);
}

/** Both wallets of everybody, and the fund. */
function worth(floor: FuturesFloor): string[] {
  const both = (name: string) => [floor.cash(name, 'USDT'), floor.funding(name, 'USDT')];
  return [
    ...PEOPLE.map((name) => both(name).join(' + ')),
    floor.insurance(),
    floor.house('sys:settling', 'USDT'),
  ];
}

test('portions of any size come to the balances of the one step', () => {
  const outcomes = [ONE_STEP, 1, 2, 9, 1000].map((portion) => {
    const floor = lostFloor(portion);
    delist(floor);
    finishWork(floor);
    return worth(floor);
  });
  const [whole] = outcomes;
  assert.equal(whole![0], '0 + 0', 'the debt of ann is covered');
  for (const outcome of outcomes) assert.deepEqual(outcome, whole);
});

test('I52: gains wait until it is known what losers lack', () => {
  const floor = lostFloor(1);
  delist(floor);
  const before = floor.cash('bob', 'USDT');
  nextPortion(floor);
  assert.equal(floor.cash('bob', 'USDT'), before, 'he has lost nothing and gained nothing yet');
  assert.equal(floor.house('sys:settling', 'USDT'), '10000');
  assert.ok(finishWork(floor) > 4);
  assert.equal(floor.house('sys:settling', 'USDT'), '0');
  assert.equal(floor.house('sys:clearing', 'USDT'), '0');
});

/** What somebody may try between the portions. What is moved is moved within his own wallets. */
const ATTACKS: Readonly<Record<string, (floor: FuturesFloor) => unknown>> = {
  'a winner takes his gain out': (floor) => floor.transfer('bob uta', 'bob spot', '98000', 'USDT'),
  'a winner takes all out': (floor) => floor.transfer('dan uta', 'dan spot', '105000', 'USDT'),
  'a loser takes the rest out': (floor) => floor.transfer('cat uta', 'cat spot', '19000', 'USDT'),
  'a loser takes a little out': (floor) => floor.transfer('cat uta', 'cat spot', '100', 'USDT'),
  'who owes cancels what she has': (floor) => floor.cancelAll('ann', { category: 'USDT-FUTURES' }),
  'somebody trades': (floor) => floor.buy('eve', '1', '50000'),
  'a winner closes': (floor) => floor.buy('bob', '1', '50000'),
  'the price moves on': (floor) => {
    floor.tell('70000', 'BTCUSDT', 'operator');
    floor.wait(1000);
  },
};

for (const [name, attack] of Object.entries(ATTACKS)) {
  test(`${name} between the portions: everybody comes to what the instant gave him`, () => {
    const baseline = lostFloor(ONE_STEP);
    delist(baseline);
    const sums = (floor: FuturesFloor) =>
      worth(floor).map((each) =>
        each
          .split(' + ')
          .reduce((sum, part) => sum + Number(part), 0)
          .toFixed(6),
      );
    for (let portions = 0; portions < 14; portions++) {
      const floor = lostFloor(1);
      delist(floor);
      for (let n = 0; n < portions; n++) nextPortion(floor);
      attack(floor);
      finishWork(floor);
      assert.deepEqual(sums(floor), sums(baseline), `after ${portions} portions`);
    }
  });
}

test('who lacks margin cannot take out what may be asked of her, and gets back what is covered', () => {
  const floor = lostFloor(1);
  delist(floor);
  // She lacks 9 400 of 10 000 and had 19 400 beside.
  assert.notEqual(floor.transfer('cat uta', 'cat spot', '15000', 'USDT'), 'none');
  finishWork(floor);
  assert.equal(floor.transfer('cat uta', 'cat spot', '15000', 'USDT'), 'none');
});

test('from the instant on nobody trades, and the contract stays offline until its last position is closed', () => {
  const floor = lostFloor(1);
  delist(floor);
  assert.equal(floor.buy('eve', '1', '50000').rejectReason, 'instrumentOffline');
  assert.equal(delist(floor, 'online'), 'instrumentOffline');
  finishWork(floor);
  const cancelled = floor.eventsOf('order').filter(({ order }) => order.cancelReason !== CancelReason.none);
  assert.deepEqual(
    cancelled.map(({ order }) => order.cancelReason),
    [CancelReason.delegatedRiskOrder, CancelReason.delegatedRiskOrder],
  );
  assert.equal(delist(floor, 'online'), 'none');
});

test('a waiting winner is not liquidated for lack of his gain; a debt that may be covered is not written off', () => {
  const floor = lostFloor(1);
  delist(floor);
  const uid = floor.uid('ann');
  const { rejectReason } = floor.send({ type: 'writeOffDebt', time: floor.now, uid });
  assert.equal(refusalName(rejectReason), 'positionsOrOrdersOpen');
  finishWork(floor);
  assert.deepEqual(
    floor.executions('bob').filter((line) => line.startsWith('liquidation')),
    [],
  );
});

test('after five seconds what is left of it is done in one step', () => {
  const floor = lostFloor(1);
  delist(floor);
  floor.at(floor.now + 4999);
  assert.ok(floor.exchange.hasOpenWork);
  floor.at(floor.now + 1);
  assert.ok(!floor.exchange.hasOpenWork);
});

test('an open end is in the snapshot and in the hash: a restart goes on where it was', () => {
  const outcomes = [false, true].map((restarts) => {
    const floor = lostFloor(1);
    delist(floor);
    const images: unknown[] = [];
    while (floor.exchange.hasOpenWork) {
      nextPortion(floor);
      if (restarts) floor.restart();
      setPortion(floor, 1);
      images.push(floor.image());
    }
    return images;
  });
  assert.ok(outcomes[0]!.length > 8);
  assert.deepEqual(outcomes[1], outcomes[0]);
});
