/** The insurance funds of a coin pay what they have and never more (rules 5.11, 13.7, I03). */
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { larger, smaller } from '../model/units.ts';
import type { State } from '../state/state.ts';
import { lendingBudget } from './fund-budgets.ts';

/** What the fund of contracts could pay now. */
export function fundBalance({ ledger }: State, coin: number): bigint {
  return larger(0n, ledger.balanceOf(SystemAccount.insurance, coin, Bucket.cash));
}

/**
 * The part of a missing amount that the lending fund pays. Counts it against the budget of the hour; the caller posts it. In
 * the first edition the fund of contracts paid, without budgets.
 */
export function drawLendingFund(state: State, coin: number, lacking: bigint): bigint {
  if (!state.rules.fundReach) return smaller(lacking, fundBalance(state, coin));
  state.tracer?.onLendingFund(coin);
  const paid = smaller(lacking, lendingBudget(state, coin));
  state.fundHours.add('lending', coin, 'paid', paid);
  return paid;
}
