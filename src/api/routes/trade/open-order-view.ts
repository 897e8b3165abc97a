/** An open order as answers show it. */
import type { OrderRecord } from '../../../core/model/event.ts';
import type { State } from '../../../core/state/state.ts';
import { orderView, withAliases } from '../../../views/order-view.ts';

export function openView(state: State, order: OrderRecord) {
  const instrument = state.instruments[order.instrument]!;
  return withAliases(orderView(order, instrument, (coin) => state.coins[coin]!.coin));
}
