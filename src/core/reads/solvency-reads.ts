/**
 * Is everything there that is owed (rules 13.5 (c))? Positions count at the mark: a profit that was paid out has its loss
 * with somebody who still holds, so without them every realised profit would look like missing money. The house's side of
 * coin-margined contracts (13.2) is in it: the sum of their profits at the mark is what clearing holds and what it lacks.
 */

import { inCoinAt } from '../futures/split-fill.ts';
import { wholeEquity } from '../margin/bad-debt.ts';
import { coinUsd } from '../margin/collateral.ts';
import { custodyOf } from '../margin/custody.ts';
import { markTicks, unrealisedOf } from '../margin/margin.ts';
import { surelyOwesNothing } from '../margin/possible-debts.ts';
import { BUCKETS, Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../model/ledger-accounts.ts';
import { divFloor, larger, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { Ledger } from '../state/ledger.ts';
import { eachHolder } from '../state/position-holders.ts';
import type { State } from '../state/state.ts';

export const SOLVENCY_NAMES = ['solvent', 'illiquid', 'insolvent'] as const;
export type Solvency = (typeof SOLVENCY_NAMES)[number];

/** Of one coin, in 10^-8. */
export interface CoinSolvency {
  readonly held: bigint;
  /** Claims of accounts, each less what it owes of the coin and never below zero. */
  readonly owed: bigint;
  /** Owed to the venue by accounts that own more than they owe. */
  readonly lent: bigint;
  /**
   * Paid out by conversions and as rebates in another coin than the fee, as far as the coins that the house took for them
   * are worth it: it can buy this back.
   */
  readonly converted: bigint;
  /** By all others: nobody will pay it. */
  readonly badDebt: bigint;
  /** What the operator has written off. */
  readonly writtenOff: bigint;
  readonly solvency: Solvency;
}

/**
 * By coin. Whoever has neither positions nor debts nor loans claims what its wallets hold. By double entry all wallets
 * together hold what the house and the outside world lack, and the profits of a linear contract sum to what it has cleared
 * (I08). So only those are looked at one by one who may owe something, or whose profit is not that of their position.
 */
export function solvencyOf(state: State): CoinSolvency[] {
  const { ledger } = state;
  const sums = state.coins.map((_, coin) => ({ owed: allWallets(state, coin), lent: 0n, badDebt: 0n }));
  for (const { futures } of state.markets) {
    if (futures === undefined || futures.terms.coinMargined || markTicks(state, futures.instrument) === 0)
      continue;
    sums[futures.terms.settle]!.owed += futures.cleared;
  }
  eachObliged(state, (account) => {
    const changes = changesOf(state, account, (coin, amount) => {
      sums[coin]!.owed += amount;
    });
    const debts = debtsOf(ledger, account.index, changes);
    if (debts.length === 0) return;
    const pays = wholeEquity(state, account) > 0n ? 'lent' : 'badDebt';
    for (const { coin, amount } of debts) {
      sums[coin]!.owed += amount;
      sums[coin]![pays] += amount;
    }
  });
  const cover = exchangeCover(state);
  return sums.map((sum, coin) => {
    const held = custodyOf(state, coin);
    const converted = divFloor(larger(0n, -exchangedBalance(state, coin)) * cover.took, cover.gave);
    const writtenOff = -ledger.balanceOf(SystemAccount.badDebt, coin, Bucket.cash);
    return { ...sum, held, converted, writtenOff, solvency: judged(held, sum.owed, sum.lent + converted) };
  });
}

/** The worst of all coins. */
export function worstSolvency(coins: readonly { readonly solvency: Solvency }[]): Solvency {
  const worst = Math.max(0, ...coins.map(({ solvency }) => SOLVENCY_NAMES.indexOf(solvency)));
  return SOLVENCY_NAMES[worst]!;
}

function judged(held: bigint, owed: bigint, covered: bigint): Solvency {
  if (held + covered < owed) return 'insolvent';
  return held < owed ? 'illiquid' : 'solvent';
}

/** Which part of what the house gave for other coins is covered by what it took, in dollars: at most all of it. */
function exchangeCover(state: State): { took: bigint; gave: bigint } {
  let took = 0n;
  let gave = 0n;
  for (const [coin] of state.coins.entries()) {
    const worth = exchangedBalance(state, coin) * coinUsd(state, coin);
    if (worth > 0n) took += worth;
    else gave -= worth;
  }
  return gave === 0n ? { took: 0n, gave: 1n } : { took: smaller(took, gave), gave };
}

/** Where the house takes one coin and gives another: conversions, and rebates of spot trades (rules 13.10 (b)). */
function exchangedBalance({ ledger }: State, coin: number): bigint {
  const { convert, fee } = SystemAccount;
  return ledger.balanceOf(convert, coin, Bucket.cash) + ledger.balanceOf(fee, coin, Bucket.cash);
}

/** What all accounts hold of a coin and are about to receive of each other, debts subtracted. */
function allWallets({ ledger }: State, coin: number): bigint {
  let others = 0n;
  for (let account = 0; account < FIRST_USER_ACCOUNT; account++)
    if (account !== SystemAccount.settling) others += walletsOf(ledger, account, coin);
  return -others;
}

function walletsOf(ledger: Ledger, account: number, coin: number): bigint {
  let sum = 0n;
  for (let bucket = 0; bucket < BUCKETS; bucket++) sum += ledger.balanceOf(account, coin, bucket as Bucket);
  return sum;
}

interface Debt {
  readonly coin: number;
  readonly amount: bigint;
}

/** Coins of which the account has less than nothing. */
function debtsOf(ledger: Ledger, account: number, changes: ReadonlyMap<number, bigint>): Debt[] {
  const debts: Debt[] = [];
  const owes = (coin: number, change: bigint) => {
    // No other bucket is below zero, so most often cash alone says that nothing is owed.
    if (ledger.balanceOf(account, coin, Bucket.cash) + change >= 0n) return;
    const claim = walletsOf(ledger, account, coin) + change;
    if (claim < 0n) debts.push({ coin, amount: -claim });
  };
  for (const [coin, change] of changes) owes(coin, change);
  if (ledger.hasNegativeCash(account))
    for (const coin of ledger.coinsOf(account)) if (!changes.has(coin)) owes(coin, 0n);
  return debts;
}

/** Accounts whose claims may be other than what their wallets hold and their positions have won; each once. */
function eachObliged(state: State, visit: (account: Account) => void): void {
  const obliged = new Set<Account>();
  for (const index of state.ledger.accountsInDebt()) obliged.add(state.accounts[index]!);
  for (const { account } of state.loans.loans.values()) obliged.add(state.accounts[account]!);
  for (const account of obliged) visit(account);
  eachHolder(state, (account) => {
    if (!obliged.has(account) && !surelyOwesNothing(state, account)) visit(account);
  });
}

/** By coin, what positions at the mark and loans change of an account's claims; `beyond`: what linear profits do not. */
function changesOf(
  state: State,
  account: Account,
  beyond: (coin: number, amount: bigint) => void,
): Map<number, bigint> {
  const changes = new Map<number, bigint>();
  const add = (coin: number, amount: bigint, counted: bigint) => {
    changes.set(coin, (changes.get(coin) ?? 0n) + amount);
    if (amount !== counted) beyond(coin, amount - counted);
  };
  for (const position of account.positions.values()) {
    const instrument = state.instruments[position.instrument]!;
    const { settle, coinMargined } = instrument.futures!;
    const ticks = markTicks(state, instrument);
    if (ticks === 0) continue;
    const profit = inCoinAt(instrument, unrealisedOf(state, position), ticks);
    const claim = position.isolated ? larger(profit, -position.iso) : profit;
    add(settle, claim, coinMargined ? 0n : profit);
  }
  if (state.loans.countOf(account.index) > 0)
    for (const loan of state.loans.of(account.index)) add(loan.loanCoin, -loan.debt(), 0n);
  return changes;
}
