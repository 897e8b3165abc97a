/** Finds a strategy order by its ids, and the position that it protects. */

import { HoldMode, PosSide } from '../model/enums.ts';
import { formatOrderId, parseOrderId } from '../model/order-id.ts';
import type { Position } from '../model/position.ts';
import { positionKey } from '../model/position.ts';
import type { Account } from '../state/account.ts';
import type { StrategyOrder } from '../state/strategy-order.ts';

/** By id, else by client id; without a client id, by its printed id. */
export function strategyNamed(
  account: Account,
  orderId: number,
  clientOid: string,
): StrategyOrder | undefined {
  if (orderId !== 0) return account.strategies.get(orderId);
  const named = account.strategyOids.get(clientOid);
  if (named !== undefined) return named;
  const printed = account.strategies.get(parseOrderId(clientOid) ?? 0);
  return printed?.clientOid === '' ? printed : undefined;
}

export function clientOidOf(order: StrategyOrder): string {
  return order.clientOid === '' ? formatOrderId(order.id) : order.clientOid;
}

/** The position of that direction, in both hold modes. */
export function protectedPosition(
  account: Account,
  instrument: number,
  posSide: PosSide,
): Position | undefined {
  const key = account.holdMode === HoldMode.hedge ? posSide : PosSide.none;
  const position = account.positions.get(positionKey(instrument, key));
  return position?.long === (posSide === PosSide.long) ? position : undefined;
}
