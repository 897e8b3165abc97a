/**
 * Random margin trading, futures and loans under falling prices: what `solvencyOf` finds by looking at some accounts is what
 * a count over all of them finds, and the figures of the house's exposure are what its accounts hold. A read that is taken in
 * slices between commands finds what it would have found at its beginning.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { SYSTEM_ACCOUNT_NAMES } from '../../src/core/model/ledger-accounts.ts';
import { exposureOf } from '../../src/core/reads/exposure-reads.ts';
import { LoanDebtRead } from '../../src/core/reads/loan-debt-read.ts';
import { type CoinSolvency, SolvencyRead, solvencyOf } from '../../src/core/reads/solvency-reads.ts';
import type { State } from '../../src/core/state/state.ts';
import { AuditedRun } from './audited-run.ts';
import { FLOWS as ALL_FLOWS } from './flows.ts';
import { LOAN_SET_UP, LoanFlow } from './loan-flow.ts';
import { MARGIN_SET_UP, MarginFlow } from './margin-flow.ts';
import { naiveSolvency } from './naive-solvency.ts';
import { OperatorFlow } from './operator-flow.ts';
import { Seeds } from './seeds.ts';

const SEEDS = new Seeds({ all: 4, fewFrom: 2 });
const COMMANDS = 500;

/** Balances of the house by name of account, and what loans owe as principal. */
function houseOf(state: State, coin: number) {
  const house = new Map<string, bigint>();
  state.ledger.eachRow((account, of, [cash]) => {
    if (of === coin && account < SYSTEM_ACCOUNT_NAMES.length)
      house.set(SYSTEM_ACCOUNT_NAMES[account]!, cash!);
  });
  const balance = (name: string) => house.get(name) ?? 0n;
  let loans = 0n;
  for (const { loanCoin, principal } of state.loans.loans.values()) if (loanCoin === coin) loans += principal;
  return {
    clearing: balance('sys:clearing'),
    conversion: balance('sys:convert'),
    insurance: balance('sys:insurance'),
    'insurance-lending': balance('sys:insurance-lending'),
    'written-off': -balance('sys:bad-debt'),
    fees: balance('sys:fee'),
    interest: balance('sys:interest'),
    loans,
  };
}

const FLOWS = {
  margin: { setUp: MARGIN_SET_UP, Flow: MarginFlow },
  loans: { setUp: LOAN_SET_UP, Flow: LoanFlow },
};
const seen = { lent: 0, badDebt: 0, loans: 0, lostLoans: 0, conversion: 0 };

function compare(state: State): void {
  const found = solvencyOf(state);
  const sums = found.map(({ owed, lent, badDebt }) => ({ owed, lent, badDebt }));
  assert.deepEqual(sums, naiveSolvency(state));
  for (const [coin, figures] of exposureOf(state, found).entries()) {
    assert.partialDeepStrictEqual(figures, houseOf(state, coin));
    assert.equal(figures['bad-debt'], sums[coin]!.badDebt);
    if (figures.loans > 0n) seen.loans++;
    if (figures['loans-lost'] > 0n) seen.lostLoans++;
    if (figures.conversion !== 0n) seen.conversion++;
  }
  for (const { lent, badDebt } of sums) {
    if (lent > 0n) seen.lent++;
    if (badDebt > 0n) seen.badDebt++;
  }
}

test('R5 (c): solvency equals a count over all accounts, exposure the balances of the house', () => {
  for (const { setUp, Flow } of Object.values(FLOWS)) {
    const secondEdition = { type: 'setEdition', time: setUp.at(-1)!.time, edition: 2 } as const;
    for (const beginning of [setUp, [...setUp, secondEdition]]) {
      for (const seed of SEEDS) {
        const run = new AuditedRun(
          beginning,
          ({ state }) =>
            () =>
              compare(state),
        );
        run.follow(new Flow(seed, run.exchange.state), { seed, commands: COMMANDS, refusalEvery: 1000 });
      }
    }
  }
  for (const [what, times] of Object.entries(seen)) SEEDS.met(what, times, 10);
});

/** All that solvency counts of an account. */
function holdingsOf(state: State, account: number): string {
  const { ledger, loans, accounts } = state;
  const money = ledger
    .coinsOf(account)
    .map((coin) => [coin, ledger.bucketsOf(ledger.find(account, coin))] as const)
    .filter(([, buckets]) => buckets.some((amount) => amount !== 0n));
  const positions = [...accounts[account]!.positions].map(([key, { size, basis, iso }]) => [
    key,
    size,
    basis,
    iso,
  ]);
  return [money, positions, loans.of(account).map((loan) => [loan.id, loan.debt()])].flat(4).join();
}

/** Sees that it is told of every account before it changes. */
class WatchfulRead extends SolvencyRead {
  readonly expected: readonly CoinSolvency[];
  private readonly watched: State;
  private readonly before: Map<number, string>;

  constructor(state: State) {
    super(state);
    this.expected = solvencyOf(state);
    this.watched = state;
    this.before = new Map(
      [...state.accountByUid.values()].map(({ index }) => [index, holdingsOf(state, index)]),
    );
  }

  override keep(account: number): void {
    const before = this.before.get(account);
    if (before !== undefined) assert.equal(holdingsOf(this.watched, account), before, 'told too late');
    this.before.delete(account);
    super.keep(account);
  }

  /** At the end of a command. */
  checkTold(): void {
    for (const [account, before] of this.before)
      assert.equal(holdingsOf(this.watched, account), before, 'not told');
  }
}

test('R5 (c): solvency in slices is that of the instant it began at, whatever happens meanwhile', () => {
  const met = { reads: 0, moved: 0 };
  for (const [name, { setUp, flowOf }] of Object.entries(ALL_FLOWS)) {
    for (const seed of SEEDS) {
      let read: WatchfulRead | undefined;
      const run = new AuditedRun(setUp, ({ state }) => {
        let commands = 0;
        return () => {
          read?.checkTold();
          read ??= new WatchfulRead(state);
          // Slices of a few accounts, and often none between two commands.
          if (++commands % 3 !== 0 || !read.advance(1)) return;
          read.close();
          assert.deepEqual(read.result(), read.expected, `${name}, seed ${seed}, ${commands} commands`);
          met.reads++;
          if (!isDeepStrictEqual(read.expected, solvencyOf(state))) met.moved++;
          read = undefined;
        };
      });
      const { state } = run.exchange;
      const flow = new OperatorFlow(seed, state, flowOf(seed, state), 40, 4);
      for (let n = 0; n < COMMANDS; n++) run.apply(flow.next());
    }
  }
  for (const [what, times] of Object.entries(met)) SEEDS.met(what, times, 40);
});

/** Coins and debts of loans, account by account. */
class Debts {
  readonly found: string[] = [];
  private readonly read: LoanDebtRead;

  constructor(state: State) {
    this.read = new LoanDebtRead(state, (...debt) => this.found.push(debt.join()));
  }

  /** Looks at so many accounts; returns what was found when that is all. */
  advance(accounts: number): string[] | undefined {
    if (!this.read.advance(accounts)) return undefined;
    this.read.close();
    return this.found.sort();
  }
}

test('debts of loans in slices are those of the instant they were asked for, whatever happens meanwhile', () => {
  const met = { reads: 0, changed: 0 };
  for (const seed of SEEDS) {
    let expected: string[] = [];
    let debts: Debts | undefined;
    const run = new AuditedRun(LOAN_SET_UP, ({ state }) => {
      let commands = 0;
      const now = () => new Debts(state).advance(Number.POSITIVE_INFINITY)!;
      return () => {
        if (debts === undefined) {
          expected = now();
          debts = new Debts(state);
        }
        const found = ++commands % 3 === 0 ? debts.advance(1) : undefined;
        if (found === undefined) return;
        assert.deepEqual(found, expected, `seed ${seed}, ${commands} commands`);
        met.reads++;
        if (!isDeepStrictEqual(expected, now())) met.changed++;
        debts = undefined;
      };
    });
    const { state } = run.exchange;
    const flow = new OperatorFlow(seed, state, new LoanFlow(seed, state), 40, 4);
    for (let n = 0; n < COMMANDS; n++) run.apply(flow.next());
  }
  for (const [what, times] of Object.entries(met)) SEEDS.met(what, times, 10);
});
