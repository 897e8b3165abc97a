/** Auto-deleveraging: the rest of a forced close is filled by positions of the other side (rules 5.11). */

import { endForcedOrder, forcedOrder } from '../futures/forced-orders.ts';
import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { closingOrders } from '../futures/reduce-only-orders.ts';
import { AdlSearch, queueLots, type Ranked } from '../margin/adl-ranking.ts';
import { bearablePrice } from '../margin/bankruptcy.ts';
import { CancelReason, OrderKind } from '../model/enums.ts';
import type { Position } from '../model/position.ts';
import { assert } from '../model/units.ts';
import { cancelSlot } from '../orders/cancel.ts';
import type { State } from '../state/state.ts';

/**
 * Closes the rest of a forced order against the deleveraging queue, at the bankruptcy price and without fees for the
 * other side. Deleveraging makes nobody bankrupt: a position that could not bear the price comes last and closes at its
 * own bankruptcy price; the fund covers the difference that the liquidated side then lacks (rules 5.11, 15.1).
 */
export function deleverage(
  state: State,
  settlement: FuturesSettlement,
  slot: number,
  position: Position,
  priceTicks: number,
): void {
  const { slab } = state;
  const fills = settlement.contextOf(state.instruments[position.instrument]!);
  const wantsLong = !position.long;
  const priceFor = ({ account, position: other }: Ranked): number => {
    const limit = bearablePrice(state, account, other);
    return wantsLong ? Math.max(priceTicks, limit) : Math.min(priceTicks, limit);
  };
  const search = new AdlSearch((ranked) => {
    // What he is to get from open work is his own before he is taken; the others need not be settled (rules 19.1 (d)).
    if (state.rules.settledWhenAsked) state.settleOpenWork(ranked.account);
    return ranked.position.size !== 0 && priceFor(ranked) === priceTicks;
  });
  for (let wanted = slab.remaining[slot]!; wanted > 0; wanted = slab.remaining[slot]!) {
    const ranked = settlement.ranking.first(state, position.instrument, wantsLong, search);
    assert(ranked !== undefined, 'the other side is at least as large as what is deleveraged (I06, case 90)');
    const { account, position: other } = ranked;
    const price = priceFor(ranked);
    for (const order of closingOrders(state, account, other.instrument, other.posSide)) {
      cancelSlot(state, order, CancelReason.adl);
    }
    const taken = Math.min(wanted, queueLots(account, other));
    const counter = forcedOrder(state, account, other, taken, OrderKind.adl);
    settlement.tradeDirectly(fills, slot, counter, price, taken);
    endForcedOrder(state, counter);
  }
}
