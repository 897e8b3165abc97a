/** Auto-deleveraging: the rest of a forced close is taken from the other side (domain.md 5.11). */
import { cancelSlot } from '../orders/cancel.ts';
import type { State } from '../state.ts';
import { CancelReason, OrderKind } from '../terms.ts';
import { assert } from '../units.ts';
import { queueLots } from './adl-ranking.ts';
import { endForcedOrder, forcedOrder } from './forced-orders.ts';
import { closingOrders } from './futures-entry.ts';
import type { FuturesSettlement } from './futures-settlement.ts';
import type { Position } from './position.ts';

/** Closes what is left of a forced order against the other side's queue, at the bankruptcy price and without fees. */
export function deleverage(
  state: State,
  settlement: FuturesSettlement,
  slot: number,
  position: Position,
  priceTicks: number,
): void {
  const { slab } = state;
  const wantsLong = !position.long;
  for (let wanted = slab.remaining[slot]!; wanted > 0; wanted = slab.remaining[slot]!) {
    const ranked = settlement.ranking.first(state, position.instrument, wantsLong);
    assert(
      ranked !== undefined,
      'the other side is at least as large as what is deleveraged (I06, edge case 90)',
    );
    const { account, position: other } = ranked;
    for (const order of closingOrders(state, account, other.instrument, other.posSide)) {
      cancelSlot(state, order, CancelReason.adl);
    }
    const taken = Math.min(wanted, queueLots(account, other));
    const counter = forcedOrder(state, account, other, taken, OrderKind.adl);
    settlement.tradeDirectly(slot, counter, priceTicks, taken);
    endForcedOrder(state, counter);
  }
}
