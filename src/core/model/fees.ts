/** What a rate takes of an amount (rules 4.3, 13.10). */
import { divCeil, divTrunc, RATE_ONE } from './units.ts';

/** Fees below 10^-6 of the coin, in units of 10^-8: cut off, many of them would be nothing. */
const SMALL_FEE_UNITS = 100n;
const SMALL_FEE = SMALL_FEE_UNITS * RATE_ONE;

/** Truncated; with floors a small fee is rounded up, so that trading in small pieces is not free. */
export function feeOf(amount: bigint, rate: bigint, floors: boolean): bigint {
  const exact = amount * rate;
  const small = floors && exact > 0n && exact < SMALL_FEE;
  return small ? divCeil(exact, RATE_ONE) : divTrunc(exact, RATE_ONE);
}

/** What a rebate of this rate takes out of the fee of the other side; 0 when the rate is a fee. */
export function rebateOf(amount: bigint, rate: bigint): bigint {
  return rate < 0n ? divCeil(amount * -rate, RATE_ONE) : 0n;
}
