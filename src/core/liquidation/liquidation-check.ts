/** Which accounts and positions are due for liquidation, and whether one is possible now (rules 5.7). */

import { FLAG_CLOSING, NIL } from '../book/order-slab.ts';
import { hasUnsafeCoin, isConvertible, isDebtPayment } from '../borrowing/conversion.ts';
import { hasForcedRelease } from '../borrowing/forced-release.ts';
import { hasForcedTransfer } from '../borrowing/forced-transfer.ts';
import { isInDebt, liquidationRatio } from '../margin/debts.ts';
import {
  hasReachedRatio,
  isolatedInQuote,
  maintenanceAt,
  markTicks,
  unrealisedOf,
} from '../margin/margin.ts';
import { accountRisk, currentMargin, isolatedSlackNumber } from '../margin/margin-cache.ts';
import type { Side } from '../model/enums.ts';
import type { Position } from '../model/position.ts';
import { RATE_ONE } from '../model/units.ts';
import { heldCoin } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** Is the position's own margin used up? iso + U <= MM + closing fee. */
export function isolatedIsDue(state: State, position: Position): boolean {
  const slack = isolatedSlackNumber(state, position);
  return Number.isNaN(slack) ? isolatedSlack(state, position) <= 0n : slack <= 0;
}

/** Margin of an isolated position above its maintenance, in the quote coin at the mark. */
export function isolatedSlack(state: State, position: Position): bigint {
  const instrument = state.instruments[position.instrument]!;
  const kept = maintenanceAt(instrument, markTicks(state, instrument), position.lots);
  return isolatedInQuote(state, position) + unrealisedOf(state, position) - kept;
}

/** Has the margin ratio of the account reached its liquidation level? */
export function crossedIsDue(state: State, account: Account): boolean {
  const margin = currentMargin(state, account);
  const ratio = liquidationRatio(state, account);
  // The comparison is false for NaN: then the exact values decide.
  if (ratio === RATE_ONE && margin.effective > margin.maintenance) return false;
  return hasReachedRatio(accountRisk(state, account), ratio);
}

/**
 * Can a liquidation of the whole account do anything: close positions, cancel orders, sell coins for debts, take from the
 * funding wallet or from pledges?
 */
export function isActionable(state: State, account: Account): boolean {
  if (hasLiveCrossed(state, account)) return true;
  if (!isInDebt(state, account) || hasUnsafeCoin(state, account)) return false;
  return (
    hasOrderToCancel(state, account) ||
    isConvertible(state, account) ||
    hasForcedTransfer(state, account) ||
    hasForcedRelease(state, account)
  );
}

/**
 * Does an open order use margin, or hold a coin that could pay debts? An order that sells a coin without collateral
 * value does neither and stays: its proceeds are the only way to pay the debt with that coin.
 */
function hasOrderToCancel(state: State, account: Account): boolean {
  const { slab } = state;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    const instrument = state.instrumentOf(slot);
    if (instrument.futures !== undefined) {
      if ((slab.flags[slot]! & FLAG_CLOSING) === 0) return true;
    } else if (
      (slab.marginHolds.get(slot)?.borrowed ?? 0n) > 0n ||
      isDebtPayment(state, heldCoin(instrument, slab.side[slot] as Side))
    )
      return true;
  }
  return false;
}

/** Is the index of the position stale or thin? No position is liquidated at such a price. */
export function hasUnsafeIndex(state: State, position: Position): boolean {
  return state.market(state.instruments[position.instrument]!).futures?.index.isUnsafe === true;
}

/** Does the account have a crossed position whose index is neither stale nor thin? */
function hasLiveCrossed(state: State, account: Account): boolean {
  for (const position of account.positions.values())
    if (!position.isolated && !hasUnsafeIndex(state, position)) return true;
  return false;
}

/** Is there anything to liquidate? */
export function isDue(state: State, account: Account): boolean {
  for (const position of currentMargin(state, account).isolated) {
    if (!hasUnsafeIndex(state, position) && isolatedIsDue(state, position)) return true;
  }
  return crossedIsDue(state, account) && isActionable(state, account);
}
