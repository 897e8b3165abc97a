/**
 * How far the insurance funds go (rules 13.7): a close takes a share of the fund as it is, all closes of an hour shares
 * of its base, so that no single event empties a fund.
 */
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { divFloor, larger, smaller } from '../model/units.ts';
import type { FundName } from '../state/fund-hours.ts';
import type { State } from '../state/state.ts';

/** Percent of the fund for one close, of the base for a symbol and for a coin in an hour. */
export const CLOSE_PERCENT = 20n;
export const SYMBOL_HOUR_PERCENT = 30n;
export const COIN_HOUR_PERCENT = 60n;

export const FUND_ACCOUNTS = {
  futures: SystemAccount.insurance,
  lending: SystemAccount.insuranceLending,
} as const satisfies Record<FundName, number>;

export function percentOf(amount: bigint, percent: bigint): bigint {
  return larger(0n, divFloor(amount * percent, 100n));
}

export function fundOf({ ledger }: State, fund: FundName, coin: number): bigint {
  return ledger.balanceOf(FUND_ACCOUNTS[fund], coin, Bucket.cash);
}

/** A fund at the last full hour. */
export function fundAtHour(state: State, fund: FundName, coin: number): bigint {
  const balances = fund === 'futures' ? state.insuranceAtHour : state.fundHours.lendingAtHour;
  return balances[coin] ?? 0n;
}

/** What the hourly budgets are shares of. */
export function budgetBase(state: State, fund: FundName, coin: number): bigint {
  const { funded, drained } = state.fundHours.of(fund, coin);
  return fundAtHour(state, fund, coin) + funded - drained;
}

/** What is left of the budget of the hour. */
export function hourLeft(state: State, fund: FundName, coin: number): bigint {
  const { paid } = state.fundHours.of(fund, coin);
  return larger(0n, percentOf(budgetBase(state, fund, coin), COIN_HOUR_PERCENT) - paid);
}

/** The same for one contract. */
export function symbolHourLeft(state: State, coin: number, instrument: number): bigint {
  const budget = percentOf(budgetBase(state, 'futures', coin), SYMBOL_HOUR_PERCENT);
  return larger(0n, budget - state.fundHours.paidFor(instrument));
}

/** What the fund may lose by a forced close that begins now. */
export function closeBudget(state: State, coin: number, instrument: number): bigint {
  const share = percentOf(fundOf(state, 'futures', coin), CLOSE_PERCENT);
  return [hourLeft(state, 'futures', coin), symbolHourLeft(state, coin, instrument)].reduce(smaller, share);
}

/** What the lending fund may pay now for a debt or a loan. */
export function lendingBudget(state: State, coin: number): bigint {
  return smaller(percentOf(fundOf(state, 'lending', coin), CLOSE_PERCENT), hourLeft(state, 'lending', coin));
}
