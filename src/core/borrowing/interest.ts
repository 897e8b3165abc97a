/**
 * Interest on what accounts owe, at every full hour (rules 6.8): on the debt of that instant, less the free part of
 * an unrealised loss; in the second edition at least on the largest cash debt of the hour (rules 13.10), so that nobody
 * repays for a moment. A debt that funding makes at a full hour bears interest from the next one on (rules 10.2, case 96).
 */

import { balanceOf } from '../margin/debts.ts';
import { coinsOf, profitIn } from '../margin/margin.ts';
import { surelyOwesNothing } from '../margin/possible-debts.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { COINS_MAX } from '../model/limits.ts';
import { divCeil, larger, RATE_ONE, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { post } from '../state/ledger-postings.ts';
import type { InstantPrices } from '../state/open-work.ts';
import { partyOf } from '../state/party.ts';
import { eachHolder } from '../state/position-holders.ts';
import type { State } from '../state/state.ts';

export const INTEREST_MS = 3_600_000;
export const HOURS_A_YEAR = 8760n;

/** Can there be any debt? False saves the computation. */
export function mayBearInterest(state: State): boolean {
  return (
    state.ledger.hasDebts() ||
    (state.rules.feeFloors && state.ledger.hasPeaks()) ||
    state.markets.some(({ futures }) => futures !== undefined && futures.openInterest > 0)
  );
}

/** Debts by account and coin. */
type Debts = ReadonlyMap<Account, ReadonlyMap<number, bigint>>;

/** The present debts of all accounts. */
export function debtsOf(state: State): Debts {
  return new Map(
    debtors(state).map((account) => [
      account,
      new Map(coinsOf(state, account).map((coin) => [coin, debtOf(state, account, coin)])),
    ]),
  );
}

/** Ascending uid, then coin. With `before`, the debts before the instant, a debt beyond them bears no interest yet. */
export function chargeInterest(state: State, before?: Debts): void {
  const accounts = debtors(state);
  // What was free for one is not for the next of its party.
  const frees = new Map(accounts.map((account) => [account, new Map<number, bigint>()]));
  for (const account of accounts) {
    for (const coin of coinsOf(state, account)) {
      const counted = before && (before.get(account)?.get(coin) ?? 0n);
      const taken = takenFree(state, account, (other) => frees.get(other)?.get(coin) ?? 0n);
      const { free, interest } = interestOf(state, account, coin, counted, taken);
      frees.get(account)!.set(coin, free);
      charge(state, account, coin, interest);
    }
  }
}

/**
 * Charges one account for the hour that ends (rules 14.3): by its debts before the funding of the instant, at the prices of
 * the instant. `taken` is what others of its party have taken of a free limit, by `freeKey`. Returns the number of coins that
 * were looked at closely.
 */
export function chargeAccount(
  state: State,
  account: Account,
  prices: InstantPrices,
  taken: Map<number, bigint>,
): number {
  const { ledger, rules } = state;
  const { index } = account;
  const mayHaveOwed = rules.feeFloors && ledger.hasPeak(index);
  if (!ledger.hasNegativeCash(index) && !mayHaveOwed && surelyOwesNothing(state, account, prices)) return 0;
  const coins = coinsOf(state, account);
  for (const coin of coins) {
    const key = freeKey(state, account, coin);
    const before = rules.feeFloors ? (taken.get(key) ?? 0n) : 0n;
    const { free, interest } = interestOf(state, account, coin, undefined, before, prices);
    if (free > 0n) taken.set(key, before + free);
    charge(state, account, coin, interest);
  }
  return coins.length;
}

/** A free limit is shared by the party (rules 13.10 (f)). */
function freeKey(state: State, account: Account, coin: number): number {
  const alone = account.house || state.accounts[account.party]!.broker;
  return (alone ? account.index : account.party) * COINS_MAX + coin;
}

/** What those before an account, by uid, have taken of the free limit of its party (rules 13.10). */
function takenFree(
  state: State,
  account: Account,
  freeOf: (other: Account, taken: bigint) => bigint,
): bigint {
  if (!state.rules.feeFloors) return 0n;
  const main = state.accounts[account.party]!;
  const before = main.subAccounts.length === 0 ? [] : partyOf(state, account);
  return before
    .filter(({ uid }) => uid < account.uid)
    .sort((a, b) => a.uid - b.uid)
    .reduce((taken, other) => taken + freeOf(other, taken), 0n);
}

/** All accounts that may have a debt now, or have had one since the last full hour, in ascending uid. */
function debtors(state: State): Account[] {
  const { ledger } = state;
  const indebted = new Set(ledger.accountsInDebt());
  if (state.rules.feeFloors) for (const { account } of ledger.savePeaks()) indebted.add(account);
  const accounts = [...indebted].map((index) => state.accounts[index]!);
  eachHolder(state, (account) => {
    if (!indebted.has(account.index) && !surelyOwesNothing(state, account)) accounts.push(account);
  });
  return accounts.sort((a, b) => a.uid - b.uid);
}

function debtOf(
  state: State,
  account: Account,
  coin: number,
  profit = profitIn(state, account, coin),
): bigint {
  return larger(0n, -(balanceOf(state, account, coin) + profit));
}

/** Interest of one hour on the present debt, at most on `bearing` of it: the debt, its free part, and the interest. */
export function interestOf(
  state: State,
  account: Account,
  coin: number,
  counted?: bigint,
  taken = takenFree(
    state,
    account,
    (other, before) => interestOf(state, other, coin, undefined, before).free,
  ),
  prices?: InstantPrices,
): { debt: bigint; free: bigint; interest: bigint } {
  const { freeLimit, yearRate } = state.lending[coin]!.terms;
  const profit = profitIn(state, account, coin, prices);
  const owed = debtOf(state, account, coin, profit);
  const debt = counted === undefined ? owed : smaller(owed, counted);
  const free = smaller(debt, smaller(larger(0n, -profit), larger(0n, freeLimit - taken)));
  const peak = state.rules.feeFloors ? state.ledger.peakOf(account.index, coin) : 0n;
  const bearing = larger(peak, debt - free);
  return { debt, free, interest: divCeil(bearing * yearRate, RATE_ONE * HOURS_A_YEAR) };
}

function charge(state: State, account: Account, coin: number, interest: bigint): void {
  if (interest === 0n) return;
  const { ledger } = state;
  post(state, {
    from: ledger.cell(account.index, coin, Bucket.cash),
    to: ledger.cell(SystemAccount.interest, coin, Bucket.cash),
    amount: interest,
    fromLine: 'interest',
  });
  state.markDirty(account);
}
