/** Questions about debts: what is owed, what could pay it, what it costs, what is still lent (rules 6.5, 6.8). */

import { debtOf } from '../borrowing/conversion.ts';
import { HOURS_A_YEAR, INTEREST_MS, interestOf } from '../borrowing/interest.ts';
import { coinUsd, hasStalePrice, isIndexed } from '../margin/collateral.ts';
import { lendingLimit } from '../margin/custody.ts';
import { coinsOf } from '../margin/margin.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { divFloor, divHalf, larger, MONEY_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** An amount of a coin with its dollar value, both in 10^-8. */
export interface CoinAmount {
  readonly coin: number;
  readonly size: bigint;
  readonly usd: bigint;
}

/** All coins that are owed, unrealised losses included. */
export function repayableCoins(state: State, account: Account): CoinAmount[] {
  return coinsOf(state, account)
    .map((coin) => ({ coin, size: debtOf(state, account, coin) }))
    .filter(({ size }) => size > 0n)
    .map(({ coin, size }) => ({ coin, size, usd: divFloor(size * coinUsd(state, coin), MONEY_ONE) }));
}

/** Coins that a repayment could take now. */
export function paymentCoins(state: State, account: Account): CoinAmount[] {
  return state.ledger
    .coinsOf(account.index)
    .map((coin) => ({ coin, size: larger(0n, state.ledger.balanceOf(account.index, coin, Bucket.cash)) }))
    .filter(({ coin, size }) => size > 0n && isIndexed(state, coin) && !hasStalePrice(state, coin))
    .map(({ coin, size }) => ({ coin, size, usd: divFloor(size * coinUsd(state, coin), MONEY_ONE) }));
}

export interface DebtCost {
  readonly coin: number;
  readonly debt: bigint;
  readonly free: bigint;
  /** 10^-12. */
  readonly hourRate: bigint;
}

export interface LoanData {
  /** Dollars. */
  readonly total: bigint;
  readonly nextPaymentTime: number;
  readonly debts: readonly DebtCost[];
}

export function loanData(state: State, account: Account): LoanData {
  const owed = repayableCoins(state, account);
  return {
    total: owed.reduce((sum, { usd }) => sum + usd, 0n),
    nextPaymentTime: (Math.floor(state.now / INTEREST_MS) + 1) * INTEREST_MS,
    debts: owed.map(({ coin, size }) => ({
      coin,
      debt: size,
      free: interestOf(state, account, coin).free,
      hourRate: divHalf(state.lending[coin]!.terms.yearRate, HOURS_A_YEAR),
    })),
  };
}

/** What pool and custody can still lend of a coin. */
export function poolLeft(state: State, coin: number): bigint {
  const { reserved } = state.lending[coin]!;
  return larger(0n, lendingLimit(state, coin) - state.ledger.totalDebt(coin) - reserved);
}
