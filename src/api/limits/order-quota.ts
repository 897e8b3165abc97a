/**
 * Quotas of order requests (wire 2.3, 4.4). An account without one counts every call about orders by itself, spot and
 * futures together. One that was given a quota has a count for either: its quota is the limit of placing an order, and
 * every other call about orders has the same share of its own limit. HTTP and sockets share them.
 */
import { isFutures } from '../../core/model/instrument.ts';
import { BATCH_ITEMS_MAX } from '../../core/model/limits.ts';
import { parseOrderId } from '../../core/model/order-id.ts';
import { openOrder } from '../../core/reads/reads.ts';
import type { State } from '../../core/state/state.ts';
import { type QuotaCategory, STANDARD_QUOTA, type User } from '../../identity/identity.ts';
import type { Route } from '../route.ts';

/** What a request is counted under, and how often it may come in a second. */
type Limit = Pick<Route, 'path' | 'perSecond'>;

/** The limit of a call for an account that has quotas. */
export function orderLimit(
  route: Route,
  uid: number,
  quotas: NonNullable<User['quotas']>,
  state: State,
  body: unknown,
): Limit {
  if (!route.orders) return route;
  const category = quotaCategory(state, uid, body);
  const perSecond = Math.max(1, Math.floor((route.perSecond * quotas[category]) / STANDARD_QUOTA));
  return { path: `${route.path} ${category}`, perSecond };
}

/** A batch is of one category, so its first item that tells one speaks for all; what tells none is counted as spot. */
function quotaCategory(state: State, uid: number, body: unknown): QuotaCategory {
  const items: readonly unknown[] = Array.isArray(body) ? body.slice(0, BATCH_ITEMS_MAX) : [body];
  for (const item of items) {
    const category = categoryOf(state, uid, item);
    if (category !== undefined) return category;
  }
  return 'spot';
}

/** As the request names it, else that of its order. */
function categoryOf(state: State, uid: number, item: unknown): QuotaCategory | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { category, orderId, clientOid } = item as Readonly<Record<string, unknown>>;
  if (typeof category === 'string') return category.toUpperCase().endsWith('-FUTURES') ? 'futures' : 'spot';
  const id = typeof orderId === 'string' ? (parseOrderId(orderId) ?? -1) : 0;
  const oid = typeof clientOid === 'string' ? clientOid : '';
  const account = state.accountByUid.get(uid);
  const order =
    openOrder(state, uid, id, oid) ?? account?.strategies.get(id) ?? account?.strategyOids.get(oid);
  if (order === undefined) return undefined;
  return isFutures(state.instruments[order.instrument]!.category) ? 'futures' : 'spot';
}
