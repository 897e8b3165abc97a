/** Bankruptcy price of a position: its loss and the closing fee use up its margin exactly (rules 5.8). */

import { baseUnits, type Instrument } from '../model/instrument.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { PRICE_TICKS_MAX } from '../model/limits.ts';
import type { Position } from '../model/position.ts';
import { divCeil, divFloor, larger, MONEY_ONE, RATE_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { coinUsd } from './collateral.ts';
import { inSettleCoin, markTicks, unrealisedOf } from './margin.ts';
import { accountRisk } from './margin-cache.ts';
import { bearingEquity, forcedEquity } from './other-wallets.ts';

/** Fee rate of a forced close: the taker rate, never negative, so that a liquidation earns no rebate. */
export function forcedFeeRate({ takerRate }: Instrument): bigint {
  return larger(0n, takerRate);
}

/** Of a close that the owner does not choose. */
function bankruptcyPrice(state: State, account: Account, position: Position): number {
  const instrument = state.instruments[position.instrument]!;
  const { long, lots } = position;
  const basis = long ? position.basis : -position.basis;
  return bankruptcyTicks(instrument, long, lots, basis, forcedMargin(state, account, position));
}

/** How far its owner may close a position: to bankruptcy, and not so far that funding is owed that cash cannot pay. */
export function ownCloseLimit(state: State, account: Account, position: Position): number {
  const { settle } = state.instruments[position.instrument]!.futures!;
  const cash = state.ledger.balanceOf(account.index, settle, Bucket.cash);
  return closeLimitAt(state, position, marginBehind(state, account, position), cash);
}

/** The same with this margin behind the position and this cash beside it (rules 13.8). */
export function closeLimitAt(state: State, position: Position, margin: bigint, cash: bigint): number {
  const { long, lots, fundingOwed } = position;
  const basis = long ? position.basis : -position.basis;
  const unpaid = larger(0n, fundingOwed - larger(0n, cash));
  return bankruptcyTicks(state.instruments[position.instrument]!, long, lots, basis, margin - unpaid);
}

/**
 * How far a position can be deleveraged without making its owner bankrupt. What a crossed account lacks elsewhere its profit
 * here pays first (rules 15.1), as far as the mark: nobody gets a better price because he is in debt.
 */
export function bearablePrice(state: State, account: Account, position: Position): number {
  if (position.isolated || !state.rules.adlBearing) return bankruptcyPrice(state, account, position);
  const instrument = state.instruments[position.instrument]!;
  const { long, lots } = position;
  const basis = long ? position.basis : -position.basis;
  const priceWith = (margin: bigint) => bankruptcyTicks(instrument, long, lots, basis, margin);
  const margin = wholeMarginBehind(state, position, bearingEquity(state, account));
  const whole = priceWith(margin);
  if (margin >= 0n) return whole;
  const mark = markTicks(state, instrument);
  return long
    ? Math.max(priceWith(0n), Math.min(whole, mark))
    : Math.min(priceWith(0n), Math.max(whole, mark));
}

/** The margin behind a position that is closed by force: wallet and pledges stand behind a crossed one too (rules 16.2, 17.1). */
export function forcedMargin(state: State, account: Account, position: Position): bigint {
  if (position.isolated) return position.iso;
  return marginBehindAt(state, position, forcedEquity(state, account));
}

/** The margin of an isolated position; for a crossed one the account's effective margin without the position's profit. */
function marginBehind(state: State, account: Account, position: Position): bigint {
  if (position.isolated) return position.iso;
  return marginBehindAt(state, position, accountRisk(state, account).effective);
}

/** The same of a crossed position in an account of this effective equity. */
export function marginBehindAt(state: State, position: Position, effective: bigint): bigint {
  const whole = wholeMarginBehind(state, position, effective);
  // What else the account lacks is not taken from those who stand against this position (rules 13.7).
  return state.rules.fundReach ? larger(0n, whole) : whole;
}

/** The same, below zero by what else the account lacks. */
function wholeMarginBehind(state: State, position: Position, effective: bigint): bigint {
  const instrument = state.instruments[position.instrument]!;
  const usd = coinUsd(state, instrument.quote);
  const own = usd === 0n ? 0n : divFloor(unrealisedOf(state, position) * usd, MONEY_ONE);
  const inQuote = usd === 0n ? 0n : divFloor((effective - own) * MONEY_ONE, usd);
  return inSettleCoin(state, instrument, inQuote);
}

/** Equity zero after the closing fee: a long's rounded up to the tick, a short's down (rules 0.4). */
export function bankruptcyTicks(
  instrument: Instrument,
  long: boolean,
  size: number,
  basis: bigint,
  margin: bigint,
): number {
  const perTick = BigInt(size) * instrument.valuePerTickLot;
  const feeRate = forcedFeeRate(instrument);
  const step = BigInt(instrument.tickStep);
  let numerator: bigint;
  let denominator: bigint;
  if (!instrument.futures!.coinMargined) {
    numerator = (long ? basis - margin : basis + margin) * RATE_ONE;
    denominator = perTick * (long ? RATE_ONE - feeRate : RATE_ONE + feeRate);
  } else {
    // q E / (iso + q (1 - t)): both margin and size in coin, so ticks come out of value per tick.
    const units = baseUnits(instrument, size);
    numerator = basis * units * RATE_ONE;
    denominator = long
      ? perTick * (margin * RATE_ONE + units * (RATE_ONE - feeRate))
      : perTick * (units * (RATE_ONE + feeRate) - margin * RATE_ONE);
  }
  if (denominator <= 0n) return PRICE_TICKS_MAX;
  if (numerator <= 0n) return instrument.tickStep;
  const ticks = long
    ? divCeil(numerator, denominator * step) * step
    : divFloor(numerator, denominator * step) * step;
  const bounded = Number(ticks > BigInt(PRICE_TICKS_MAX) ? BigInt(PRICE_TICKS_MAX) : ticks);
  return Math.max(bounded, instrument.tickStep);
}
