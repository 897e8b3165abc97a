/** Pledge loans that cross a level together, in portions (rules 18.2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishWork, nextPortion, setPortion } from '../fourth-edition/in-portions.ts';
import { LoanFloor } from '../loan/loan-floor.ts';

const NAMES = ['ann', 'bob', 'cat'];

/** Each has borrowed 10 000 USDT for BTC; ann's pledge was made larger, so she owes the least of what she has pledged. */
function lentFloor(portion: number): { floor: LoanFloor; loans: Map<string, number> } {
  const floor = new LoanFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition: 8 });
  const loans = new Map<string, number>();
  for (const name of NAMES) {
    floor.trader(name, { BTC: '1' });
    loans.set(name, floor.borrow(name, { loan: '10000 USDT', pledge: 'BTC' }));
  }
  floor.revise('ann', loans.get('ann')!, 'IN', '0.001');
  setPortion(floor, portion);
  return { floor, loans };
}

test('18.2: a portion closes one loan, the one that owes most of its pledge first', () => {
  const { floor, loans } = lentFloor(1);
  const open = () => NAMES.filter((name) => floor.standing(name, loans.get(name)!) !== 'closed');
  // The second and two ticks let three loans cross the supplement level.
  floor.index('46000');
  for (let n = 0; n < 2; n++) nextPortion(floor);
  assert.equal(floor.state.loanChecksPending, true);
  assert.deepEqual(open(), NAMES);
  nextPortion(floor);
  assert.deepEqual(open(), ['ann', 'cat']);
  nextPortion(floor);
  assert.deepEqual(open(), ['ann']);
  finishWork(floor);
  assert.deepEqual(open(), []);
  assert.deepEqual(floor.endings(), ['FORCE', 'FORCE', 'FORCE']);
  assert.equal(floor.state.loanChecksPending, false);
});

test('portions of any size come to the same', () => {
  const outcomes = [1, 10, 1000].map((portion) => {
    const { floor } = lentFloor(portion);
    floor.index('51000');
    finishWork(floor);
    floor.index('46000');
    finishWork(floor);
    return [
      floor.eventsOf('loanNotice').length,
      ...NAMES.map((name) => [floor.cash(name, 'BTC'), floor.cash(name, 'USDT'), floor.pledged(name, 'BTC')]),
    ];
  });
  assert.equal(outcomes[0]![0], 3);
  for (const outcome of outcomes) assert.deepEqual(outcome, outcomes[0]);
});

test('whose loan waits and is spared by a better price has been asked for more', () => {
  const { floor, loans } = lentFloor(10);
  floor.index('46000');
  floor.index('51000');
  finishWork(floor);
  const left = NAMES.filter((name) => floor.standing(name, loans.get(name)!) !== 'closed');
  assert.equal(left.length, 2);
  for (const name of left) assert.equal(floor.loan(name, loans.get(name)!)!.loan.warned, true);
  assert.equal(floor.eventsOf('loanNotice').length, 2);
});

test('whose loan waits may not take of its pledge', () => {
  const { floor, loans } = lentFloor(1);
  floor.index('46000');
  const cat = loans.get('cat')!;
  const pledged = floor.pledged('cat', 'BTC');
  floor.revise('cat', cat, 'OUT', '0.001');
  assert.equal(floor.pledged('cat', 'BTC'), pledged);
  finishWork(floor);
  assert.equal(floor.standing('cat', cat), 'closed');
});
