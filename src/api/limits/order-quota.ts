/**
 * Quotas of order requests (wire 2.3, 4.4). For an account without a quota every order endpoint has its own limit,
 * spot and futures together. An account with a quota is counted separately for spot and futures: the quota is the
 * limit of placing an order, and every other order endpoint is scaled by the same factor. HTTP and WebSocket share
 * the counters.
 */
import { isFutures } from '../../core/model/instrument.ts';
import { BATCH_ITEMS_MAX } from '../../core/model/limits.ts';
import { parseOrderId } from '../../core/model/order-id.ts';
import { openOrder } from '../../core/reads/reads.ts';
import type { State } from '../../core/state/state.ts';
import { type QuotaCategory, STANDARD_QUOTA, type User } from '../../identity/identity.ts';
import type { Route } from '../route.ts';

/** Counter and limit per second of a request. */
type Limit = Pick<Route, 'path' | 'perSecond'>;

/** Limit of a call for an account that has quotas. */
export function orderLimit(
  route: Route,
  uid: number,
  quotas: NonNullable<User['quotas']>,
  state: State,
  body: unknown,
): Limit {
  return route.orders ? quotaLimit(route, quotas, quotaCategory(state, uid, body)) : route;
}

/** Of a call about orders of a category. */
export function quotaLimit(
  route: Limit,
  quotas: NonNullable<User['quotas']>,
  category: QuotaCategory,
): Limit {
  const perSecond = Math.max(1, Math.floor((route.perSecond * quotas[category]) / STANDARD_QUOTA));
  return { path: `${route.path} ${category}`, perSecond };
}

/** A batch has one category, so its first item that names one decides; a request without any counts as spot. */
export function quotaCategory(state: State, uid: number, body: unknown): QuotaCategory {
  const items: readonly unknown[] = Array.isArray(body) ? body.slice(0, BATCH_ITEMS_MAX) : [body];
  for (const item of items) {
    const category = categoryOf(state, uid, item);
    if (category !== undefined) return category;
  }
  return 'spot';
}

/** The category that the request names, else that of its order. */
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
