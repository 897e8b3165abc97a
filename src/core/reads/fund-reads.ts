/** The insurance funds as their operator reads them (rules 13.7). */
import { budgetBase, fundOf, hourLeft } from '../margin/fund-budgets.ts';
import { MONEY_SCALE, parseUnits } from '../model/units.ts';
import { FUND_NAMES, type FundName } from '../state/fund-hours.ts';
import type { State } from '../state/state.ts';

export { FUND_NAMES, type FundName };

export function fundBalance(state: State, fund: FundName, coin: number): bigint {
  return fundOf(state, fund, coin);
}

export interface FundReading {
  readonly balance: bigint;
  /** What drains leave. */
  readonly floor: bigint;
  /** What the budgets of the hour are shares of; net outflow of the hour, and what is left of it. */
  readonly base: bigint;
  readonly paid: bigint;
  readonly left: bigint;
}

export function readFund(state: State, fund: FundName, coin: number): FundReading {
  return {
    balance: fundOf(state, fund, coin),
    floor: parseUnits(state.coins[coin]!.insuranceFloor ?? '0', MONEY_SCALE) ?? 0n,
    base: budgetBase(state, fund, coin),
    paid: state.fundHours.of(fund, coin).paid,
    left: hourLeft(state, fund, coin),
  };
}
