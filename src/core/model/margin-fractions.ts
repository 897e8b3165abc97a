/**
 * A contract's fee rates and tiers as small fractions, so that margin can be computed in `number` (`safe-integers.ts`).
 * The results are those of `../margin/margin.ts` to the last unit: same formulas, same roundings.
 */

import type { MarginTier } from './margin-tiers.ts';
import { ceilShares } from './safe-integers.ts';
import { divCeil, RATE_ONE } from './units.ts';

export interface MarginScale {
  /** Taker rate, and the same with the reserve for orders, over one divisor. */
  readonly taker: number;
  readonly reserve: number;
  readonly feeDivisor: number;
  readonly tiers: readonly ScaledTier[];
  readonly tierDivisor: number;
}

/** Maintenance of a tier is what the tiers before it keep, and the rate of what is above their end. */
interface ScaledTier {
  readonly from: number;
  readonly upTo: number;
  readonly rate: number;
  readonly beforeWhole: number;
  /** In units of one by the divisor. */
  readonly beforeRest: number;
}

/** Undefined when the rates are too fine for exact numbers. */
export function marginScale(
  tiers: readonly MarginTier[],
  takerRate: bigint,
  feeReserveRate: bigint,
): MarginScale | undefined {
  const reserveRate = feeWithReserve(takerRate, feeReserveRate);
  const feePart = commonDivisor([RATE_ONE, takerRate, reserveRate]);
  const feeDivisor = RATE_ONE / feePart;
  const tierPart = commonDivisor([RATE_ONE, ...tiers.map(({ rate }) => rate)]);
  const tierDivisor = RATE_ONE / tierPart;
  const highest = tiers.at(-1)!.rate / tierPart;
  const largest = BigInt(Number.MAX_SAFE_INTEGER);
  if (takerRate < 0n || feeReserveRate < 0n) return undefined;
  if (feeDivisor * ((takerRate + reserveRate) / feePart) > largest) return undefined;
  if (tierDivisor * (highest + 1n) > largest) return undefined;
  return {
    taker: Number(takerRate / feePart),
    reserve: Number(reserveRate / feePart),
    feeDivisor: Number(feeDivisor),
    tiers: tiers.map(({ from, upTo, rate, deduction }) => {
      const before = (from * rate - deduction) / tierPart;
      return {
        from: Number(from),
        upTo: Number(upTo),
        rate: Number(rate / tierPart),
        beforeWhole: Number(before / tierDivisor),
        beforeRest: Number(before % tierDivisor),
      };
    }),
    tierDivisor: Number(tierDivisor),
  };
}

/** What orders set aside for their fee: the rate, and a share of it on top (rules 5.6). */
export function feeWithReserve(takerRate: bigint, feeReserveRate: bigint): bigint {
  return divCeil(takerRate * (RATE_ONE + feeReserveRate), RATE_ONE);
}

/** Closing fee of what is held and reserved fee of what orders may add, rounded together. */
export function feesOf(scale: MarginScale, held: number, added: number): number {
  return ceilShares(held, scale.taker, added, scale.reserve, scale.feeDivisor);
}

/** Maintenance margin and closing fee of a notional. */
export function maintenanceWithFee(scale: MarginScale, notional: number): number {
  const { tiers, tierDivisor } = scale;
  let n = 0;
  while (n < tiers.length - 1 && notional > tiers[n]!.upTo) n++;
  const { from, rate, beforeWhole, beforeRest } = tiers[n]!;
  const maintenance = beforeWhole + ceilShares(notional - from, rate, beforeRest, 1, tierDivisor);
  return maintenance + feesOf(scale, notional, 0);
}

function commonDivisor(values: readonly bigint[]): bigint {
  let divisor = 0n;
  for (const value of values) {
    let rest = value < 0n ? -value : value;
    while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  }
  return divisor;
}
