/** What the pledges of loans bring, and at which prices (rules 7, 13.6, 17.1). */

import type { Loan } from '../model/loan.ts';
import { levelsOf } from '../model/loan-terms.ts';
import { freePledge, type PairPrices, proceedsOf, soldFor } from '../model/ltv.ts';
import { divTrunc, larger, parseUnits, RATE_ONE, RATE_SCALE, smaller } from '../model/units.ts';
import type { State } from '../state/state.ts';
import { hasStalePrice, hasUnsafePrice, isIndexed } from './collateral.ts';
import { conversionRate } from './conversion-price.ts';

/** As of other conversions (rules 0.5, 13.6). */
const CONVERSION_FEE_PERMILLE = 1n;
/** Share of the debt repaid by force (rules 0.5). */
const LIQUIDATION_FEE_RATE = parseUnits('0.02', RATE_SCALE)!;

/** Dollar prices as of the last second; undefined while no index tells one of them. */
export function pairPrices(state: State, loanCoin: number, pledgeCoin: number): PairPrices | undefined {
  if (!isIndexed(state, loanCoin) || !isIndexed(state, pledgeCoin)) return undefined;
  const loan = state.coinPrices[loanCoin] ?? 0n;
  const pledge = state.coinPrices[pledgeCoin] ?? 0n;
  return loan > 0n && pledge > 0n ? { loan, pledge } : undefined;
}

/**
 * The same, undefined also while one of them is stale (rules 5.14). Loans are made, collateral is sold and returned only
 * at these prices: at a stale price a user who knows the market would profit.
 */
export function freshPrices(state: State, loanCoin: number, pledgeCoin: number): PairPrices | undefined {
  if (hasStalePrice(state, loanCoin) || hasStalePrice(state, pledgeCoin)) return undefined;
  return pairPrices(state, loanCoin, pledgeCoin);
}

/** Prices for a forced close of a loan; undefined while an index of the pair is stale or thin (rules 13.6). */
export function forcePrices(state: State, loanCoin: number, pledgeCoin: number): PairPrices | undefined {
  if (hasUnsafePrice(state, loanCoin) || hasUnsafePrice(state, pledgeCoin)) return undefined;
  return pairPrices(state, loanCoin, pledgeCoin);
}

/** What the house pays for collateral: in a forced close as for any debt, at the owner's request less the conversion fee. */
export function sellingPrices(state: State, { loanCoin, pledgeCoin }: Loan, forced: boolean): PairPrices {
  const { debt, pay } = conversionRate(state, loanCoin, pledgeCoin, forced);
  if (forced || !state.rules.livePrices) return { loan: debt, pledge: pay };
  return { loan: debt * 1000n, pledge: pay * (1000n - CONVERSION_FEE_PERMILLE) };
}

/** What a forced close sells of a pledge, at which prices, and what it brings for the debt and the fee (rules 7.5). */
export interface ForcedSale {
  readonly selling: PairPrices;
  readonly sold: bigint;
  readonly proceeds: bigint;
}

export function forcedSale(state: State, loan: Loan): ForcedSale {
  const debt = loan.debt();
  const needed = debt + divTrunc(debt * LIQUIDATION_FEE_RATE, RATE_ONE);
  const selling = sellingPrices(state, loan, true);
  const sold = smaller(loan.pledge, soldFor(needed, selling));
  return { selling, sold, proceeds: smaller(needed, proceedsOf(sold, selling)) };
}

/** What a forced close of the loan would give back; nothing while it cannot be closed. */
export function releasedByForce(state: State, loan: Loan): bigint {
  if (forcePrices(state, loan.loanCoin, loan.pledgeCoin) === undefined) return 0n;
  return loan.pledge - forcedSale(state, loan).sold;
}

/** What may be taken of the pledge without bringing its owner a notice to top it up. */
export function sparePledge(state: State, loan: Loan): bigint {
  const prices = forcePrices(state, loan.loanCoin, loan.pledgeCoin);
  if (prices === undefined) return 0n;
  const { supplement } = levelsOf(state.coins[loan.pledgeCoin]!.pledge!);
  // At the level itself the notice is due: one unit more stays.
  return larger(0n, freePledge(loan.debt(), loan.pledge, supplement, prices) - 1n);
}
