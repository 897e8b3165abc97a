/**
 * Nobody can rob the venue (rules 13): families of colluding accounts end with no more than they brought, what their exposure
 * gave them and what others chose to give. `families-judge.ts` says how that is counted.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND_EDITION_RULES, type SecondEditionRule } from '../../src/core/model/edition.ts';
import { replay, run } from './families-run.ts';
import { report, shrink } from './families-shrink.ts';
import { Seeds } from './seeds.ts';

test('whatever a family does, it takes nothing from the venue and from strangers', (t) => {
  const seeds = new Seeds({ all: 400, few: 5 });
  let commands = 0;
  let fills = 0;
  for (const seed of seeds) {
    const tried = run(seed);
    commands += tried.commands;
    fills += tried.fills;
    if (tried.finding !== undefined) assert.fail(report(tried));
  }
  t.diagnostic(`${commands} commands, ${fills} fills`);
  seeds.met('fills', fills, 40_000);
});

test('whatever a family does between the portions of hours, it takes nothing (rules 14)', (t) => {
  const seeds = new Seeds({ all: 100, few: 6, first: 1000 });
  let hours = 0;
  for (const seed of seeds) {
    const tried = run(seed, { portion: 1 + (seed % 3), steps: 700 });
    hours += tried.hours;
    if (tried.finding !== undefined) assert.fail(report(tried));
  }
  t.diagnostic(`${hours} hours in portions`);
  seeds.met('hours in portions', hours, 60);
});

/** What the rule was made against. */
const OLD_HOLES: Readonly<Record<SecondEditionRule, readonly string[]>> = {
  restingRisk: ['restThenJump', 'restBorrowedThenJump'],
  clearingShortfall: ['rollCoins'],
  dollarCoins: ['depegAndRepay'],
  backedBooks: ['lonelyMark'],
  custodyLimits: ['borrowSellWithdraw'],
  livePrices: ['repayInSilence', 'loanInSilence', 'borrowInSilence'],
  fundReach: ['liquidatedIntoOwn'],
  fundingLimits: ['fundingSqueeze'],
  partyLimits: ['smallTiers'],
  feeFloors: ['wash'],
};

for (const [n, rule] of SECOND_EDITION_RULES.entries()) {
  test(`ten of ten, R${n + 1}: without ${rule} the old hole is found, with it the same seed takes nothing`, (t) => {
    const words = { only: OLD_HOLES[rule], steps: 400 };
    const seeds = Array.from({ length: 30 }, (_, at) => at + 1);
    const seed = seeds.find((each) => run(each, { ...words, without: [rule] }).finding !== undefined);
    assert.ok(seed !== undefined, 'no seed finds it');
    t.diagnostic(`seed ${seed}: ${run(seed, { ...words, without: [rule] }).finding!.text}`);
    const now = run(seed, words);
    if (now.finding !== undefined) assert.fail(report(now));
  });
}

test('a finding is cut down to a script that a person can read, and comes to the same', () => {
  const without: readonly SecondEditionRule[] = ['partyLimits'];
  const found = run(1, { only: ['smallTiers', 'anything'], without });
  const steps = shrink(found, without);
  assert.ok(steps.length <= 8 && steps.length < found.steps.length, `${steps.length}`);
  assert.equal(replay(found.seed, steps, without)?.kind, 'tier');
  assert.match(report(found, without), /buy .* USDT-FUTURES/);
});
