/**
 * How much is owed for how much that is pledged (rules 7.2, 7.4). Rates are never divided to be compared: debt and
 * pledge are brought to dollars and multiplied crosswise, so exactly 83 % is exactly 83 %.
 */
import { divCeil, divFloor, divHalf, larger, MONEY_ONE, RATE_ONE } from './units.ts';

/** Dollar prices of both coins, 10^-8; above zero. */
export interface PairPrices {
  readonly loan: bigint;
  readonly pledge: bigint;
}

/** Collateral for a loan of this size, rounded up for the lender. */
export function pledgeFor(loan: bigint, initRate: bigint, prices: PairPrices): bigint {
  return divCeil(loan * prices.loan * RATE_ONE, initRate * prices.pledge);
}

/** The largest loan for this collateral. */
export function loanFor(pledge: bigint, initRate: bigint, prices: PairPrices): bigint {
  return divFloor(pledge * prices.pledge * initRate, prices.loan * RATE_ONE);
}

/** Is the debt at least this share of the pledge? */
export function reaches(debt: bigint, pledge: bigint, rate: bigint, prices: PairPrices): boolean {
  return debt * prices.loan * RATE_ONE >= rate * pledge * prices.pledge;
}

/** What of the pledge is not needed at the first rate: all beyond what a new loan of this debt would ask for. */
export function freePledge(debt: bigint, pledge: bigint, initRate: bigint, prices: PairPrices): bigint {
  return larger(0n, pledge - pledgeFor(debt, initRate, prices));
}

/** The rate as people read it: percent with two decimals, as an integer of 10^-2 percent. */
export function shownRate(debt: bigint, pledge: bigint, prices: PairPrices): bigint {
  return pledge === 0n ? 0n : divHalf(debt * prices.loan * 10_000n, pledge * prices.pledge);
}

/** Collateral that must be sold to bring in an amount of the loan coin: the seller gives the hair. */
export function soldFor(amount: bigint, prices: PairPrices): bigint {
  return divCeil(amount * prices.loan, prices.pledge);
}

export function proceedsOf(sold: bigint, prices: PairPrices): bigint {
  return divFloor(sold * prices.pledge, prices.loan);
}

/** Loan coins for one collateral coin, 10^-8. */
export function pairPrice(prices: PairPrices): bigint {
  return divHalf(prices.pledge * MONEY_ONE, prices.loan);
}
