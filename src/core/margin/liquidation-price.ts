/**
 * Price at which a position would be liquidated (rules 5.7). Exact for isolated positions; an estimate for crossed ones,
 * whose account is liquidated as a whole. Margin + profit = maintenance + closing fee is solved for the notional N of the
 * (larger) side, tier by tier, because the maintenance rate depends on N.
 */

import { PosSide } from '../model/enums.ts';
import { baseUnits, type Instrument } from '../model/instrument.ts';
import type { MarginTier } from '../model/margin-tiers.ts';
import type { Position } from '../model/position.ts';
import { divCeil, divFloor, MONEY_ONE, RATE_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { coinUsd } from './collateral.ts';
import { maintenanceAt, markTicks, positionOf, unrealisedOf } from './margin.ts';
import { accountRisk } from './margin-cache.ts';

/** A position, or a hedged pair by its larger side, with its margin. */
export interface Stake {
  readonly instrument: Instrument;
  readonly long: boolean;
  /** Lots of the larger side, and those less the smaller side. */
  readonly lots: number;
  readonly netLots: number;
  /** Signed sum of both sides, in the quote coin. */
  readonly basis: bigint;
  /** In the settlement coin. */
  readonly margin: bigint;
}

/** 0 when no price liquidates the position. */
export function liquidationTicks(state: State, account: Account, position: Position): number {
  const instrument = state.instruments[position.instrument]!;
  const { long, lots, basis, iso, fundingOwed } = position;
  const alone = { instrument, long, lots, netLots: lots, basis };
  return stakeLiquidationTicks(
    position.isolated ? { ...alone, margin: iso - fundingOwed } : crossedStake(state, account, position),
  );
}

/** Rounded up to the tick for a long, down for a short (rules 0.4); 0 when there is none. */
export function stakeLiquidationTicks(stake: Stake): number {
  const { instrument, long, lots } = stake;
  const notional = liquidationNotional(stake);
  if (notional === undefined) return 0;
  const step = BigInt(instrument.tickStep);
  const perStep = notional.divisor * BigInt(lots) * instrument.valuePerTickLot * step;
  return Number((long ? divCeil : divFloor)(notional.dividend, perStep) * step);
}

interface Fraction {
  readonly dividend: bigint;
  readonly divisor: bigint;
}

function liquidationNotional(stake: Stake): Fraction | undefined {
  const { tiers } = stake.instrument.futures!;
  for (const [n, tier] of tiers.entries()) {
    const { dividend, divisor } = notionalInTier(stake, tier);
    if (divisor <= 0n) continue;
    if (dividend <= 0n) return undefined;
    if (dividend <= tier.from * divisor) continue;
    if (n === tiers.length - 1 || dividend <= tier.upTo * divisor) return { dividend, divisor };
  }
  return undefined;
}

/** In the equation the margin of a linear contract is an amount of money, that of a coin-margined one adds to the size. */
function notionalInTier(stake: Stake, tier: MarginTier): Fraction {
  const { instrument, long, margin } = stake;
  const { coinMargined } = instrument.futures!;
  const sign = long ? 1n : -1n;
  const units = baseUnits(instrument, stake.lots);
  const netUnits = baseUnits(instrument, stake.netLots);
  const money = (stake.basis - (coinMargined ? 0n : margin)) * RATE_ONE - tier.deduction;
  const size = coinMargined ? netUnits + sign * margin : netUnits;
  return {
    dividend: sign * money * units,
    divisor: size * RATE_ONE - sign * units * (tier.rate + instrument.takerRate),
  };
}

/** Free margin of the account without the profit of this symbol and after the maintenance of its other symbols. */
function crossedStake(state: State, account: Account, position: Position): Stake {
  const instrument = state.instruments[position.instrument]!;
  const other = otherSide(account, position);
  const larger = other !== undefined && isLarger(other, position) ? other : position;
  const smaller = larger === position ? other : position;
  const { effective, maintenance } = accountRisk(state, account);
  const profit = unrealisedOf(state, larger) + (smaller === undefined ? 0n : unrealisedOf(state, smaller));
  const kept = maintenanceAt(instrument, markTicks(state, instrument), larger.lots);
  const free = effective - maintenance - inDollars(state, instrument, profit - kept);
  const coinPrice = coinUsd(state, instrument.futures!.settle);
  return {
    instrument,
    long: larger.long,
    lots: larger.lots,
    netLots: larger.lots - (smaller?.lots ?? 0),
    basis: larger.basis + (smaller?.basis ?? 0n),
    margin: coinPrice === 0n ? 0n : divFloor(free * MONEY_ONE, coinPrice),
  };
}

function otherSide(account: Account, position: Position): Position | undefined {
  if (position.posSide === PosSide.none) return undefined;
  const posSide = position.posSide === PosSide.long ? PosSide.short : PosSide.long;
  return positionOf(account, position.instrument, posSide);
}

/** Of two equal sides the long one counts as larger. */
function isLarger(one: Position, other: Position): boolean {
  return one.lots === other.lots ? one.long : one.lots > other.lots;
}

function inDollars(state: State, instrument: Instrument, quoteAmount: bigint): bigint {
  return divFloor(quoteAmount * coinUsd(state, instrument.quote), MONEY_ONE);
}
