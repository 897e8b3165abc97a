/** Orders that only close a position: how much they may close, and which are cancelled when they exceed the position. */

import { FLAG_CLOSING, NIL } from '../book/order-slab.ts';
import type { PlaceOrder, Undated } from '../model/command.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { CancelReason, OrderType, type PosSide, Side } from '../model/enums.ts';
import { type Position, positionKey } from '../model/position.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { cancelSlot } from '../orders/cancel.ts';
import { emitOrderUpdate, posSideOf } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** One-way: the new order is cut to the position; the oldest ones that then exceed it are cancelled (1.10). */
export function reduceOnlyPlan(
  state: State,
  position: Position,
  older: readonly number[],
  frozen: number,
  wanted: number,
): { lots: number; cancels: number[] } {
  const lots = Math.min(wanted, position.lots);
  const cancels: number[] = [];
  let left = frozen;
  for (const slot of older) {
    if (lots + left <= position.lots) break;
    cancels.push(slot);
    left -= state.slab.remaining[slot]!;
  }
  return { lots, cancels };
}

/** Hedge: closing orders freeze lots of the position; the oldest are cancelled only when no lots are free (1.11). */
export function hedgeClosePlan(
  state: State,
  position: Position,
  older: readonly number[],
  frozen: number,
  command: Undated<PlaceOrder>,
): { lots: number; cancels: number[] } | CommandResult {
  const available = position.lots - frozen;
  if (command.sizeLots <= available) return { lots: command.sizeLots, cancels: [] };
  if (available > 0) {
    if (command.orderType === OrderType.market) return { lots: available, cancels: [] };
    return rejected(RejectReason.closeAboveAvailable, available);
  }
  const wanted = Math.min(command.sizeLots, position.lots);
  const cancels: number[] = [];
  let free = 0;
  for (const slot of older) {
    if (free >= wanted) break;
    cancels.push(slot);
    free += state.slab.remaining[slot]!;
  }
  return { lots: Math.min(wanted, free), cancels };
}

/** Open closing orders of a position, oldest first. */
export function closingOrders(
  state: State,
  account: Account,
  instrument: number,
  posSide: PosSide,
): number[] {
  const { slab } = state;
  const slots: number[] = [];
  if (account.openClosing === 0) return slots;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    if (slab.instrument[slot] !== instrument || (slab.flags[slot]! & FLAG_CLOSING) === 0) continue;
    if (posSideOf(slab.flags[slot]!) === posSide) slots.push(slot);
  }
  return slots;
}

/**
 * After positions have changed: closing orders that exceed their position are trimmed, the least likely to execute
 * first (rules 1.10); those of a closed or reversed position are cancelled.
 */
export function trimClosingOrders(state: State, account: Account): void {
  if (account.openClosing === 0) return;
  const { slab } = state;
  // Hundreds of orders may close as many positions: one walk finds those of all.
  const byPosition = new Map<number, number[]>();
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    if ((slab.flags[slot]! & FLAG_CLOSING) === 0) continue;
    const key = positionKey(slab.instrument[slot]!, posSideOf(slab.flags[slot]!));
    const orders = byPosition.get(key);
    if (orders === undefined) byPosition.set(key, [slot]);
    else orders.push(slot);
  }
  for (const [key, orders] of byPosition) trimOrders(state, account.positions.get(key), orders);
}

/** Closing orders of one position, which may be gone or turned. */
function trimOrders(state: State, position: Position | undefined, orders: readonly number[]): void {
  const { slab } = state;
  const fits: number[] = [];
  for (const slot of orders)
    if (position?.long === (slab.side[slot] === Side.sell)) fits.push(slot);
    else cancelSlot(state, slot, CancelReason.delegatedRiskOrder);
  if (position === undefined) return;
  const market = state.market(state.instruments[position.instrument]!);
  let excess = fits.reduce((sum, slot) => sum + slab.remaining[slot]!, 0) - position.lots;
  const selling = position.long;
  fits.sort(
    (a, b) =>
      (selling ? slab.price[b]! - slab.price[a]! : slab.price[a]! - slab.price[b]!) ||
      slab.id[b]! - slab.id[a]!,
  );
  for (const slot of fits) {
    if (excess <= 0) return;
    const remaining = slab.remaining[slot]!;
    if (remaining <= excess) {
      cancelSlot(state, slot, CancelReason.delegatedRiskOrder);
    } else {
      if (market.book.reduce(slot, excess)) market.changes++;
      slab.size[slot]! -= excess;
      emitOrderUpdate(state, slot);
    }
    excess -= remaining;
  }
}
