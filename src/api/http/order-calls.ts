/**
 * Calls about orders as the nodes of a cluster tell them to each other, so that each node counts those of all against the
 * limits of the account. A call is announced with the commands that it made; one that made none counts where it came in.
 */
import type { Identity } from '../../identity/identity.ts';
import type { OrderCall } from '../../sequencer/sequencer.ts';
import { quotaCategory, quotaLimit } from '../limits/order-quota.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import type { Call, Route } from '../route.ts';
import { ROUTES } from './routes.ts';

/** A path keeps its place: packs name it by that. */
export const ORDER_CALLS = [
  '/api/v3/trade/place-order',
  '/api/v3/trade/place-batch',
  '/api/v3/trade/modify-order',
  '/api/v3/trade/batch-modify-order',
  '/api/v3/trade/cancel-order',
  '/api/v3/trade/cancel-batch',
  '/api/v3/trade/cancel-symbol-order',
  '/api/v3/trade/place-strategy-order',
  '/api/v3/trade/modify-strategy-order',
  '/api/v3/trade/cancel-strategy-order',
  '/api/v3/trade/close-positions',
];

/** Added to the place; counts only for accounts with a quota. */
const FUTURES = 128;

const CODES = new Map(ORDER_CALLS.map((path, code) => [path, code]));
const ROUTE_OF = ORDER_CALLS.map((path) => ROUTES.find((route) => route.path === path)!);

/** Runs the handler of a call about orders, so that other nodes learn of it. */
export function announceToNodes(route: Route, call: Call<never, never>): unknown {
  const { sequencer, caller, body } = call;
  const code = CODES.get(route.path);
  if (sequencer.runAsOrderCall === undefined || code === undefined) return route.handle(call);
  const { uid, quotas } = caller.user;
  const isFutures = quotas !== undefined && quotaCategory(sequencer.state, uid, body) === 'futures';
  return sequencer.runAsOrderCall({ uid, code: isFutures ? code + FUTURES : code }, () => route.handle(call));
}

/** Counts a call that another node has admitted. One that a newer program knows alone is counted there. */
export function countCall(limiter: RateLimiter, identity: Identity, call: OrderCall, nowMs: number): void {
  const route = ROUTE_OF[call.code % FUTURES];
  const user = identity.findUser(call.uid);
  if (route === undefined || user === undefined) return;
  const { uid, quotas } = user;
  const category = call.code < FUTURES ? 'spot' : 'futures';
  const { path, perSecond } = quotas === undefined ? route : quotaLimit(route, quotas, category);
  limiter.chargeForUid(path, perSecond, uid, nowMs);
}
