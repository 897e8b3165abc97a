/**
 * Is everything there that is owed (rules 13.5 (c))? Positions count at the mark: a profit that was paid out has its loss
 * with somebody who still holds, so without them every realised profit would look like missing money. The house's side of
 * coin-margined contracts (13.2) is in it: the sum of their profits at the mark is what clearing holds and what it lacks.
 */

import { inCoinAt } from '../futures/split-fill.ts';
import { wholeEquity } from '../margin/bad-debt.ts';
import { custodyOf } from '../margin/custody.ts';
import { markTicks, unrealisedOf } from '../margin/margin.ts';
import { BUCKETS, Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { larger } from '../model/units.ts';
import type { Account } from '../state/account.ts';
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
  /** By all others: nobody will pay it. */
  readonly badDebt: bigint;
  /** What the operator has written off. */
  readonly writtenOff: bigint;
  readonly solvency: Solvency;
}

/** By coin. */
export function solvencyOf(state: State): CoinSolvency[] {
  const sums = state.coins.map(() => ({ owed: 0n, lent: 0n, badDebt: 0n }));
  for (const account of state.accountByUid.values()) {
    const claims = claimsOf(state, account);
    const debts = [...claims].filter(([, amount]) => amount < 0n);
    for (const [coin, amount] of claims) sums[coin]!.owed += larger(0n, amount);
    if (debts.length === 0) continue;
    const pays = wholeEquity(state, account) > 0n ? 'lent' : 'badDebt';
    for (const [coin, amount] of debts) sums[coin]![pays] -= amount;
  }
  return sums.map((sum, coin) => {
    const held = custodyOf(state, coin);
    const writtenOff = -state.ledger.peek(SystemAccount.badDebt, coin, Bucket.cash);
    return { ...sum, held, writtenOff, solvency: judged(held, sum) };
  });
}

/** The worst of all coins. */
export function worstSolvency(coins: readonly { readonly solvency: Solvency }[]): Solvency {
  const worst = Math.max(0, ...coins.map(({ solvency }) => SOLVENCY_NAMES.indexOf(solvency)));
  return SOLVENCY_NAMES[worst]!;
}

function judged(held: bigint, { owed, lent }: { owed: bigint; lent: bigint }): Solvency {
  if (held + lent < owed) return 'insolvent';
  return held < owed ? 'illiquid' : 'solvent';
}

/** By coin: all wallets, orders, margins and pledges, positions at the mark, less what is owed. */
function claimsOf(state: State, account: Account): Map<number, bigint> {
  const { ledger } = state;
  const claims = new Map<number, bigint>();
  const add = (coin: number, amount: bigint) => claims.set(coin, (claims.get(coin) ?? 0n) + amount);
  for (const coin of ledger.coinsOf(account.index))
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      add(coin, ledger.peek(account.index, coin, bucket as Bucket));
  for (const position of account.positions.values()) {
    const instrument = state.instruments[position.instrument]!;
    const ticks = markTicks(state, instrument);
    if (ticks === 0) continue;
    const profit = inCoinAt(instrument, unrealisedOf(state, position), ticks);
    add(instrument.futures!.settle, position.isolated ? larger(profit, -position.iso) : profit);
  }
  for (const loan of state.loans.of(account.index)) add(loan.loanCoin, -loan.debt());
  return claims;
}
