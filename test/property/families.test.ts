/**
 * Nobody can rob the venue (rules 13): families of colluding accounts end with no more than they brought, what their exposure
 * gave them and what others chose to give. `families-judge.ts` says how that is counted.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command, CommandType } from '../../src/core/model/command.ts';
import {
  type EditionRule,
  NINTH_EDITION_RULES,
  SECOND_EDITION_RULES,
  SEVENTH_EDITION_RULES,
  type SecondEditionRule,
  type SIXTH_EDITION_RULES,
} from '../../src/core/model/edition.ts';
import { StrategyKind } from '../../src/core/model/enums.ts';
import { solvencyOf } from '../../src/core/reads/solvency-reads.ts';
import type { Finding } from './families-finding.ts';
import { Ground } from './families-ground.ts';
import { bring, strip } from './families-hands.ts';
import { type RunWords, replay, run, Stage } from './families-run.ts';
import {
  SCHEMES_UNTIL_SIXTH_EDITION as EARLIER,
  SCHEMES_OF_RULES_16,
  SCHEMES_OF_RULES_16_1,
  SCHEMES_OF_RULES_17,
  SCHEMES_OF_RULES_17_1,
} from './families-schemes.ts';
import { report, shrink } from './families-shrink.ts';
import type { Step } from './families-steps.ts';
import { BOOK, COIN } from './families-venue.ts';
import { Seeds } from './seeds.ts';

test('whatever a family does, it takes nothing from the venue and from strangers', (t) => {
  const seeds = new Seeds({ all: 400, few: 2 });
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
  const seeds = new Seeds({ all: 100, few: 3, first: 1000 });
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
type HoledRule =
  | SecondEditionRule
  | 'silentIndex'
  | (typeof SIXTH_EDITION_RULES)[number]
  | 'pledgeMargin'
  | 'orderMargin';
const OLD_HOLES: Readonly<Record<HoledRule, readonly string[]>> = {
  restingRisk: ['restThenJump', 'restBorrowedThenJump'],
  clearingShortfall: ['rollCoins'],
  stablecoinPrices: ['depegAndRepay'],
  backedBooks: ['lonelyMark'],
  custodyLimits: ['borrowSellWithdraw'],
  livePrices: ['repayInSilence', 'loanInSilence', 'borrowInSilence'],
  fundReach: ['liquidatedIntoOwn'],
  fundingLimits: ['fundingSqueeze'],
  partyLimits: ['smallTiers'],
  feeFloors: ['wash'],
  silentIndex: ['pickInSilence'],
  otherWallets: ['emptyInSilence', 'emptyBesideIsolated'],
  forcedMargin: ['loseBesideWallet'],
  forcedTransfer: ['loseBesideWallet'],
  pledgeMargin: ['loseBesidePledge'],
  orderMargin: ['loseBesideOrder'],
};

const RULES: readonly (readonly [name: string, rule: HoledRule])[] = [
  ...SECOND_EDITION_RULES.map((rule, n) => [`ten of ten, R${n + 1}`, rule] as const),
  ['third edition, R2 (f)', 'silentIndex'],
  ['sixth edition, 16.1', 'otherWallets'],
  ['sixth edition, 16.2 (a)', 'forcedMargin'],
  ['sixth edition, 16.2 (b)', 'forcedTransfer'],
  ['seventh edition, 17.1 (a)', 'pledgeMargin'],
  ['seventh edition, 17.1 (b)', 'orderMargin'],
];

for (const [name, rule] of RULES) {
  test(`${name}: without ${rule} the old hole is found, with it the same seed takes nothing`, (t) => {
    const words = { only: OLD_HOLES[rule], steps: 400 };
    let finding: Finding | undefined;
    let seed = 0;
    while (finding === undefined && seed < 30) ({ finding } = run(++seed, { ...words, without: [rule] }));
    assert.ok(finding !== undefined, 'no seed finds it');
    t.diagnostic(`seed ${seed}: ${finding.text}`);
    const now = run(seed, words);
    if (now.finding !== undefined) assert.fail(report(now));
  });
}

/** Before rules 16.2 and 17, under which these runs would go other ways. */
const BEFORE = {
  only: EARLIER,
  without: ['forcedMargin', 'forcedTransfer', ...SEVENTH_EDITION_RULES],
} as const;

/** The run that found a hole: without the rule that closes it, and with it. The rules of the ninth edition would lead it elsewhere. */
function found(seed: number, portion: number, rule: EditionRule, kind: string, words: RunWords): string {
  const without = [...(words.without ?? []), ...NINTH_EDITION_RULES];
  const { finding } = run(seed, { ...words, portion, without: [...without, rule] });
  assert.equal(finding?.kind, kind);
  const now = run(seed, { ...words, portion, without });
  if (now.finding !== undefined) assert.fail(report(now));
  return finding.text;
}

test('fifth edition, 15.1: the run that found it takes money of the house without adlBearing, and nothing with it', (t) => {
  t.diagnostic(found(1_021_107_398, 3, 'adlBearing', 'edge by tick', BEFORE));
});

test('sixth edition, 16.1: the run that found it empties a funding wallet without otherWallets, and not with it', (t) => {
  t.diagnostic(found(1_122_095_571, 1, 'otherWallets', 'edge by requestWithdrawal', BEFORE));
});

test('sixth edition, 16.2 (a): the run that found it spares two funding wallets without forcedMargin, and not with it', (t) => {
  const words = { only: SCHEMES_OF_RULES_16_1, without: SEVENTH_EDITION_RULES };
  t.diagnostic(found(1_123_096_026, 1, 'forcedMargin', 'edge by tick', words));
});

test('seventh edition, 17.1 (a): the run that found it spares a pledge without pledgeMargin, and not with it', (t) => {
  t.diagnostic(found(1_125_096_852, 1, 'pledgeMargin', 'edge by tick', { only: SCHEMES_OF_RULES_16 }));
});

test('seventh edition, 17.4: while a contract ends in portions a gain that waits is spared without awaitedMargin, and not with it', (t) => {
  t.diagnostic(found(34, 1, 'awaitedMargin', 'edge by tick', { only: ['loseBesideGain'], steps: 400 }));
});

test('a run that ends between the portions of a contract that ends is judged when everybody has his gain', () => {
  const tried = run(1_129_097_219, { only: SCHEMES_OF_RULES_17_1, portion: 3 });
  assert.ok(tried.endsWithin && tried.ends > 0, 'no work is open at the end');
  if (tried.finding !== undefined) assert.fail(report(tried));
});

test('work that is overdue is finished before the prices of a second, and its forced closes are judged by those before', () => {
  const words = { only: SCHEMES_OF_RULES_17, without: NINTH_EDITION_RULES };
  const tried = run(1_133_096_815, { ...words, portion: 2 });
  if (tried.finding !== undefined) assert.fail(report(tried));
  assert.ok(tried.overdue > 1000, 'no overdue work closes by an earlier price');
});

test('a debt that was written off is owed in its coin: what a rise of the coin costs is exposure of the house', () => {
  const stage = new Stage(2);
  const ground = new Ground(stage.exchange, stage.world, stage.terms, stage.dice);
  ground.now += 1000;
  const play = (steps: Iterable<Step>) => {
    for (const step of steps) assert.ok(!stage.take(step), stage.judge.finding?.text);
  };
  play(ground.move([[COIN.btc, 0.7]]));
  play(strip(ground, 22, COIN.usdt, 30_000));
  play(bring(ground, 33, COIN.usdt, 150_000));
  play([ground.do({ type: 'setCoinLeverage', uid: 22, coin: COIN.btc, leverage: 5 })]);
  play([
    ground.order(33, BOOK.btcSpot, true, 2.5, ground.price(BOOK.btcSpot)),
    ground.order(22, BOOK.btcMargin, false, 2.5, ground.price(BOOK.btcSpot)),
  ]);
  play(ground.move([[COIN.btc, 1.6]]));
  play([ground.do({ type: 'writeOffDebt', uid: 22 })]);
  assert.ok(solvencyOf(stage.exchange.state)[COIN.btc]!.writtenOff > 10n ** 7n, 'nothing is written off');
  play(ground.move([[COIN.btc, 1.4]]));
  play(ground.speak());
  stage.end();
  assert.equal(stage.judge.finding, undefined);
});

/** Who sends a command: the family, by a random act or a scheme, or else somebody it cannot command, and why. */
const SENDERS: Readonly<Record<CommandType, 'family' | `not the family: ${string}`>> = {
  placeOrder: 'family',
  cancelOrder: 'family',
  cancelAll: 'family',
  amendOrders: 'family',
  countdownCancel: 'family',
  cancelEverything: 'family',
  placeStrategy: 'family',
  modifyStrategy: 'family',
  cancelStrategy: 'family',
  setLeverage: 'family',
  setCoinLeverage: 'family',
  setHoldMode: 'family',
  setMarginMode: 'family',
  adjustMargin: 'family',
  setAutoMargin: 'family',
  repay: 'family',
  loanBorrow: 'family',
  loanRepay: 'family',
  loanRevise: 'family',
  movePositions: 'family',
  transfer: 'family',
  requestWithdrawal: 'family',
  endWithdrawal: 'family',
  internalWithdrawal: 'family',
  setFeeDeduction: 'family',
  setDepositWallet: 'family',
  // The operator's, on which a family may work: it asks for them.
  deposit: 'family',
  withdraw: 'family',
  setFees: 'family',
  writeOffDebt: 'family',
  tick: 'not the family: the clock, which the schemes let pass',
  componentPrice: 'not the family: feeds, which tell what the schemes make of the outside world',
  openAccount: 'not the family: the venue, before the run',
  listCoin: 'not the family: the venue, before the run',
  listInstrument: 'not the family: the venue, before the run',
  setBroker: 'not the family: the venue, before the run',
  setCommission: 'not the family: the venue, before the run',
  fundLoanPool: 'not the family: the venue, before the run; money of the operator',
  fundInsurance: 'not the family: the venue, before the run; money of the operator',
  setEdition: 'not the family: the venue, before the run',
  setMarketMaker: 'not the family: the operator answers for the account (rules 13.0)',
  setCoinLimits: 'not the family: limits of the house, drawn with the venue',
  setLoanRate: 'not the family: terms of the operator, which a judge at constant prices does not see',
  setInstrumentStatus: 'not the family: the operator closes a market',
  setHalt: 'not the family: the operator closes all markets',
  forceClose: 'not the family: a lever of demos that closes positions of others at will',
  forceFunding: 'not the family: a lever of demos that settles between the times that holders know',
  skipCommand: 'not the family: the repair of a journal; the core does nothing',
  identityMark: 'not the family: the store of users; the core does nothing',
  checkpoint: 'not the family: the sequencer; the core does nothing',
};

test('every command that a family can send is sent and carried out; the others have a reason', () => {
  const senders = Object.entries(SENDERS) as [CommandType, string][];
  const wanted = new Set(senders.flatMap(([type, sender]) => (sender === 'family' ? [type] : [])));
  const kinds = new Set<string>();
  for (const seed of new Set([...MEETING_ALL, ...Array.from({ length: 40 }, (_, n) => n + 1)])) {
    if (wanted.size === 0 && kinds.size === FORMS) break;
    // A debt that can be written off is what the second leaves.
    const words = seed % 2 === 1 ? { only: ['anything'] } : { only: ['straddle'], steps: 300 };
    const { done, steps } = run(seed, words);
    for (const type of done.keys()) wanted.delete(type);
    for (const step of steps)
      if ('command' in step) for (const form of formsOf(step.command)) kinds.add(form);
  }
  assert.deepEqual([...wanted], [], 'never carried out');
  assert.deepEqual([...kinds].sort(), [
    'market buy by amount',
    'trailing',
    'trailing on spot',
    'trigger by amount',
  ]);
});

const FORMS = 4;
/** Seeds that met all of them last, tried first: other changes of the program may move it. */
const MEETING_ALL = [1, 3, 7, 40];

/** Forms of orders that a family once did not use. */
function formsOf(command: Command): string[] {
  if (command.type === 'placeOrder') return command.quoteAmount > 0n ? ['market buy by amount'] : [];
  if (command.type !== 'placeStrategy') return [];
  const trailing = command.kind === StrategyKind.trailing && command.callbackPpm > 0;
  const forms = trailing ? [command.instrument < BOOK.btcPerp ? 'trailing on spot' : 'trailing'] : [];
  return command.quoteAmount > 0n ? [...forms, 'trigger by amount'] : forms;
}

test('a finding is cut down to a script that a person can read, and comes to the same', () => {
  const without: readonly EditionRule[] = ['partyLimits'];
  const found = run(1, { only: ['smallTiers', 'anything'], without });
  const steps = shrink(found, without);
  assert.ok(steps.length <= 8 && steps.length < found.steps.length, `${steps.length}`);
  assert.equal(replay(found.seed, steps, without)?.kind, 'tier');
  assert.match(report(found, without), /buy .* USDT-FUTURES/);
});
