/** What a rate takes of an amount (rules 4.3, 13.10). */
import { type Amount, numberOf } from './amount.ts';
import { ceilQuotient, floorRatio } from './safe-integers.ts';
import { divCeil, divTrunc, RATE_ONE } from './units.ts';

const RATE_ONE_NUMBER = Number(RATE_ONE);
/** Fees below 10^-6 of the coin, in units of 10^-8: cut off, many of them would be nothing. */
const SMALL_FEE_UNITS = 100n;
const SMALL_FEE = SMALL_FEE_UNITS * RATE_ONE;
/** Products below it are exact. */
const SMALL_FEE_NUMBER = Number(SMALL_FEE);

/** Truncated; with floors a small fee is rounded up, so that trading in small pieces is not free. */
export function feeOf(amount: Amount, rate: bigint, floors: boolean): Amount {
  const charged = numberOf(amount);
  const share = Number(rate);
  const product = charged * share;
  if (floors && product > 0 && product < SMALL_FEE_NUMBER) return ceilQuotient(product, RATE_ONE_NUMBER);
  const fee = floorRatio(Math.abs(charged), Math.abs(share), RATE_ONE_NUMBER);
  if (Number.isNaN(fee)) return largeFee(BigInt(amount), rate, floors);
  return product < 0 ? -fee : fee;
}

function largeFee(amount: bigint, rate: bigint, floors: boolean): bigint {
  const exact = amount * rate;
  const small = floors && exact > 0n && exact < SMALL_FEE;
  return small ? divCeil(exact, RATE_ONE) : divTrunc(exact, RATE_ONE);
}

/** What a rebate of this rate takes out of the fee of the other side; 0 when the rate is a fee. */
export function rebateOf(amount: Amount, rate: bigint): Amount {
  return rate < 0n ? divCeil(BigInt(amount) * -rate, RATE_ONE) : 0;
}
