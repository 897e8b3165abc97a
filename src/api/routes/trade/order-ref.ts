/** References to orders in requests, by id or client id. */

import { ANY, type CancelOrder } from '../../../core/model/command.ts';
import { parseOrderId } from '../../../core/model/order-id.ts';
import { instrumentOfOrder, openOrderId } from '../../../core/reads/reads.ts';
import { openStrategy } from '../../../core/reads/strategy-reads.ts';
import type { State } from '../../../core/state/state.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import * as fields from '../../wire/fields.ts';
import { categoryCode, findInstrument } from '../../wire/instrument-lookup.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';

export const NamedOrder = {
  orderId: Type.Optional(fields.OrderId),
  clientOid: Type.Optional(fields.ClientOid),
};

export const CancelBody = Type.Object({
  ...NamedOrder,
  category: Type.Optional(fields.Category),
  symbol: Type.Optional(fields.SymbolName),
});

export const CancelItem = Type.Object({
  ...NamedOrder,
  category: fields.Category,
  symbol: fields.SymbolName,
});

/** The id takes precedence over the client id; -1 is an id that no order has. */
export function readOrderRef({ orderId, clientOid }: { orderId?: string; clientOid?: string }) {
  if (orderId !== undefined) return { orderId: parseOrderId(orderId) ?? -1, clientOid: '' };
  return clientOid === undefined ? undefined : { orderId: 0, clientOid };
}

export const NO_ORDER_REF = wireError('40019', 'orderId or clientOid must be given');

export function resolveOrder(
  state: State,
  uid: number,
  body: Static<typeof CancelBody>,
): Omit<CancelOrder, 'type' | 'time' | 'uid'> | WireError {
  const ids = readOrderRef(body);
  if (ids === undefined) return NO_ORDER_REF;
  const { orderId, clientOid } = ids;
  let instrument: number = ANY;
  if (body.symbol !== undefined) {
    // A symbol may exist in several categories: the order decides which one is meant.
    const category = body.category ?? instrumentOfOrder(state, uid, orderId, clientOid)?.spec.category;
    const found = category === undefined ? undefined : findInstrument(state, category, body.symbol);
    if (found instanceof WireError) return found;
    instrument = found?.index ?? ANY;
  }
  const category = body.category === undefined ? ANY : categoryCode(body.category);
  return { orderId, clientOid, category, instrument };
}

/** Is there a waiting strategy order of that id and no open order? */
export function namesStrategy(
  state: State,
  uid: number,
  body: { orderId?: string; clientOid?: string },
): boolean {
  const { orderId, clientOid } = readOrderRef(body) ?? { orderId: 0, clientOid: '' };
  if (openOrderId(state, uid, orderId, clientOid) !== 0) return false;
  return openStrategy(state, uid, orderId, clientOid) !== undefined;
}
