/** Position tiers: how much leverage a notional allows and what it must keep (rules 5.5). */
import { assert, divCeil, MONEY_SCALE, parseUnits, RATE_ONE, RATE_SCALE } from './units.ts';

export interface TierSpec {
  /** Upper end of the notional, included; the lower end is the tier before it, excluded. */
  readonly upTo: string;
  readonly maxLeverage: string;
  readonly mmr: string;
}

export interface MarginTier {
  readonly from: bigint;
  readonly upTo: bigint;
  readonly maxLeverage: number;
  /** Maintenance rate in 10^-12. */
  readonly rate: bigint;
  /** What makes maintenance continuous over the tiers, in 10^-20 of the quote coin: exact, never rounded. */
  readonly deduction: bigint;
}

/** Undefined when the table is not one: empty, not ascending, or rates that fall. */
export function readTiers(specs: readonly TierSpec[]): MarginTier[] | undefined {
  const tiers: MarginTier[] = [];
  let from = 0n;
  let deduction = 0n;
  let lastRate = 0n;
  for (const spec of specs) {
    const upTo = parseUnits(spec.upTo, MONEY_SCALE);
    const rate = parseUnits(spec.mmr, RATE_SCALE);
    const maxLeverage = Number(spec.maxLeverage);
    if (upTo === undefined || rate === undefined || upTo <= from || rate <= lastRate || rate >= RATE_ONE)
      return undefined;
    if (!Number.isInteger(maxLeverage) || maxLeverage < 1) return undefined;
    if (tiers.length > 0) deduction += from * (rate - lastRate);
    tiers.push({ from, upTo, maxLeverage, rate, deduction });
    from = upTo;
    lastRate = rate;
  }
  return tiers.length === 0 ? undefined : tiers;
}

/** Number of the tier a notional is in; the last one when it is above all. */
export function tierIndex(tiers: readonly MarginTier[], notional: bigint): number {
  let index = 0;
  while (index < tiers.length - 1 && notional > tiers[index]!.upTo) index++;
  return index;
}

/** Maintenance margin of a notional, `ceil` at 10^-8: N x m - D. */
export function maintenanceOf(tiers: readonly MarginTier[], notional: bigint): bigint {
  const { rate, deduction } = tiers[tierIndex(tiers, notional)]!;
  const exact = notional * rate - deduction;
  assert(exact >= 0n, 'maintenance is not negative');
  return divCeil(exact, RATE_ONE);
}
