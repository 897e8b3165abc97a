/** Responses to commands on orders, alone or in a batch, and open orders as responses show them. */

import type { CommandResult } from '../../../core/model/command-result.ts';
import type { CategoryName } from '../../../core/model/enums.ts';
import type { OrderRecord } from '../../../core/model/event.ts';
import { BATCH_ITEMS_MAX } from '../../../core/model/limits.ts';
import { formatOrderId } from '../../../core/model/order-id.ts';
import type { State } from '../../../core/state/state.ts';
import { Type } from '../../../validation/schema.ts';
import { orderView, withAliases } from '../../../views/order-view.ts';
import { type ErrorDialect, WireError, wireError } from '../../wire/wire-error.ts';

export interface OrderResult {
  orderId: string;
  clientOid: string;
  code?: string;
  msg?: string;
}

export function idsOf({ orderId, clientOid }: CommandResult): OrderResult {
  return { orderId: formatOrderId(orderId), clientOid };
}

export const batchOf = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Array(item, { minItems: 1 });

/** Items of a batch share one category; there are at most 20. */
export function checkBatch(items: readonly { category?: CategoryName }[]): WireError | undefined {
  if (items.length > BATCH_ITEMS_MAX)
    return wireError('40306', `a batch holds at most ${BATCH_ITEMS_MAX} orders`);
  const categories = new Set(items.map((item) => item.category).filter((category) => category !== undefined));
  if (categories.size > 1) return wireError('40017', 'all orders of a batch must be of one category');
  return undefined;
}

/** All are sequenced before the first result is awaited, so that they are adjacent in the journal. */
export function runBatch<Body extends Named>(
  bodies: readonly Body[],
  submit: (body: Body) => Promise<OrderResult | WireError> | WireError,
  dialect: ErrorDialect,
): Promise<OrderResult[]> {
  const submitted = bodies.map(submit);
  return Promise.all(submitted.map(async (answer, n) => itemResult(await answer, bodies[n]!, dialect)));
}

interface Named {
  readonly orderId?: string;
  readonly clientOid?: string;
}

export function itemResult(
  result: OrderResult | WireError,
  { orderId = '', clientOid = '' }: Named,
  dialect: ErrorDialect,
): OrderResult {
  if (!(result instanceof WireError)) return result;
  return { orderId, clientOid, code: result.codeIn(dialect), msg: result.msg };
}

export function openView(state: State, order: OrderRecord) {
  const instrument = state.instruments[order.instrument]!;
  return withAliases(orderView(order, instrument, (coin) => state.coins[coin]!.coin));
}
