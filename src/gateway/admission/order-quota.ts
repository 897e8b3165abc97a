/**
 * Quotas of order requests (wire.md 2.3, 4.4). An account without one counts every call about orders by itself, spot and
 * futures together. One that was given a quota has a count for either: its quota is the limit of placing an order, and
 * every other call about orders has the same share of its own limit. HTTP and sockets share them.
 */
import { isFutures } from '../../core/instrument.ts';
import { parseOrderId } from '../../core/orders/order-id.ts';
import { openOrder } from '../../core/reads.ts';
import type { State } from '../../core/state.ts';
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

/** Whose category a request does not name is that of its order; what names neither is counted as spot. */
function quotaCategory(state: State, uid: number, body: unknown): QuotaCategory {
  const item: unknown = Array.isArray(body) ? body[0] : body;
  if (typeof item !== 'object' || item === null) return 'spot';
  const { category, orderId, clientOid } = item as Readonly<Record<string, unknown>>;
  if (typeof category === 'string') return category.toUpperCase().endsWith('-FUTURES') ? 'futures' : 'spot';
  const id = typeof orderId === 'string' ? (parseOrderId(orderId) ?? -1) : 0;
  const oid = typeof clientOid === 'string' ? clientOid : '';
  const account = state.accountByUid.get(uid);
  const order =
    openOrder(state, uid, id, oid) ?? account?.strategies.get(id) ?? account?.strategyOids.get(oid);
  const instrument = order === undefined ? undefined : state.instruments[order.instrument];
  return instrument !== undefined && isFutures(instrument.category) ? 'futures' : 'spot';
}
