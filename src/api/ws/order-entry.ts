/**
 * Orders over the socket (wire 5.5). A topic calls an HTTP route with the same schema, permission, quota and handler;
 * only the envelope differs. Requests of a connection are sequenced in the order they arrive; responses carry the id
 * of their request and are sent when they are durable.
 */

import { BATCH_ITEMS_MAX } from '../../core/model/limits.ts';
import { parseOrderId } from '../../core/model/order-id.ts';
import { openOrder } from '../../core/reads/reads.ts';
import { type RequestTimer, timed } from '../../inspector/request-timer.ts';
import type { Clock } from '../../sequencer/clock.ts';
import type { TSchema } from '../../validation/schema.ts';
import { SchemaCheck } from '../../validation/schema-check.ts';
import { checkPermission } from '../auth/permissions.ts';
import { internalError, runRoute, sequencerFailure } from '../http/run-route.ts';
import { orderLimit } from '../limits/order-quota.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import type { Caller, Route, Services } from '../route.ts';
import { CancelBody } from '../routes/trade/order-ref.ts';
import { batchOf } from '../routes/trade/order-result.ts';
import { receiveWindowPassed } from '../routes/trade/place-order.ts';
import { tradeActionRoutes } from '../routes/trade/trade-actions.ts';
import { normaliseFields } from '../wire/fields.ts';
import { validationError } from '../wire/validation.ts';
import { WireError, wireError } from '../wire/wire-error.ts';
import { tradeErrorText } from './frames.ts';
import { isExpired } from './receive-window.ts';
import type { TradeCall } from './schemas.ts';

interface TradeTopic {
  readonly route: Route;
  readonly batch: boolean;
  /** A expired order is placed and cancelled; any other expired request is rejected. */
  readonly places: boolean;
  /** Schema of one order, or of a list of orders. */
  readonly schema: TSchema;
  /** Checks the arguments; undefined when they are valid. */
  readonly check: (body: unknown) => WireError | undefined;
}

function topicOf(path: string, batch: boolean, ownSchema?: TSchema): TradeTopic {
  const route = tradeActionRoutes.find((row) => row.path === path)!;
  const schema = ownSchema ?? route.body!;
  const shape = new SchemaCheck(schema);
  const check = (body: unknown) => (shape.passes(body) ? undefined : validationError(shape.faults));
  return { route, batch, places: path.startsWith('/api/v3/trade/place-'), schema, check };
}

const batchPlace = topicOf('/api/v3/trade/place-batch', true);
const batchModify = topicOf('/api/v3/trade/batch-modify-order', true);
/** Over the socket an order to cancel is given by its id alone. */
const batchCancel = topicOf('/api/v3/trade/cancel-batch', true, batchOf(CancelBody));

/** The second names are those of another client (wire 5.5). */
export const TRADE_TOPICS: Readonly<Record<string, TradeTopic>> = {
  'place-order': topicOf('/api/v3/trade/place-order', false),
  'batch-place': batchPlace,
  'batch-place-order': batchPlace,
  'modify-order': topicOf('/api/v3/trade/modify-order', false),
  'batch-modify': batchModify,
  'batch-modify-order': batchModify,
  'cancel-order': topicOf('/api/v3/trade/cancel-order', false),
  'batch-cancel': batchCancel,
  'batch-cancel-order': batchCancel,
};

/** Path of the HTTP route with the same meaning; the topic itself where there is none. */
export function tradePath(topic: string): string {
  return Object.hasOwn(TRADE_TOPICS, topic) ? TRADE_TOPICS[topic]!.route.path : topic;
}

/** Fields of socket orders that HTTP has under another name. */
const FIELD_ALIASES: Readonly<Record<string, string>> = {
  clientId: 'clientOid',
  takeprofit: 'takeProfit',
  stoploss: 'stopLoss',
};

type Item = Record<string, unknown>;

interface OrderAnswer {
  readonly orderId: string;
  readonly clientOid: string;
  readonly code?: string;
  readonly msg?: string;
}

/** Remaining requests of the caller in this second. */
interface Quota {
  limit: number;
  remaining: number | undefined;
}

export class WsOrderEntry {
  private readonly services: Services;
  private readonly wallClock: Clock;
  private readonly limitClock: Clock;
  private readonly limiter: RateLimiter;
  private readonly onInternalError: (error: unknown) => void;

  constructor(
    services: Services & { readonly wallClock: Clock; readonly limitClock?: Clock },
    limiter: RateLimiter,
    onInternalError: (error: unknown) => void,
  ) {
    this.services = services;
    this.wallClock = services.wallClock;
    this.limitClock = services.limitClock ?? services.wallClock;
    this.limiter = limiter;
    this.onInternalError = onInternalError;
  }

  /** The text of the response. The command is sequenced before the first wait, so requests keep their order. */
  async answer(call: TradeCall, caller: Caller, connId: string, timer?: RequestTimer): Promise<string> {
    const id = String(call.id);
    const receivedMs = this.services.clock.now();
    const quota: Quota = { limit: 0, remaining: undefined };
    const result = await this.execute(call, caller, quota, timer).catch((error: unknown) => {
      const failure = sequencerFailure(error);
      if (failure === undefined) this.onInternalError(error);
      return failure ?? internalError(error);
    });
    if (result instanceof WireError) {
      const code = result.codeIn(this.services.errorDialect);
      // The code must be text: one client rejects a number (wire rule 5).
      return tradeErrorText(id, code, result.msg, connId);
    }
    const nowMs = this.services.clock.now();
    return JSON.stringify({
      event: 'trade',
      id,
      category: call.category ?? '',
      topic: call.topic,
      args: result,
      code: '0',
      msg: 'success',
      ts: String(nowMs),
      connId,
      receiveTime: String(receivedMs * 1000),
      pushTime: String(nowMs * 1000),
      rateLimit: [{ limit: String(quota.limit), remaining: String(quota.remaining) }],
    });
  }

  private async execute(
    call: TradeCall,
    caller: Caller,
    quota: Quota,
    timer: RequestTimer | undefined,
  ): Promise<object[] | WireError> {
    const topic = Object.hasOwn(TRADE_TOPICS, call.topic) ? TRADE_TOPICS[call.topic]! : undefined;
    if (topic === undefined)
      return wireError('40020', `topic must be one of ${Object.keys(TRADE_TOPICS).join(', ')}`);
    const { route, batch } = topic;
    const denied = route.access === 'public' ? undefined : checkPermission(caller, route.access);
    if (denied !== undefined) return wireError('40014', denied.msg);
    const { path, perSecond } = this.limitOf(call, route, caller);
    const limit = this.limiter.takeForUid(path, perSecond, caller.user.uid, this.limitClock.now());
    quota.limit = perSecond;
    if (!limit.allowed) {
      const msg = `Too many requests for ${call.topic}: try again in ${limit.retryAfterMs} ms`;
      return new WireError('429', msg, limit.retryAfterMs);
    }
    quota.remaining = limit.remaining;
    if (!batch && call.args.length !== 1) return wireError('40017', 'args must hold exactly one order');
    if (call.args.length > BATCH_ITEMS_MAX)
      return wireError('40306', `a batch holds at most ${BATCH_ITEMS_MAX} orders`);
    const items = call.args.map((item) => itemOf(item, call));
    const expired = this.expiredItems(items);
    if (expired instanceof WireError) return expired;
    if (expired.size > 0 && !topic.places) return receiveWindowPassed();
    const body = batch ? items : items[0]!;
    const wrong = topic.check(body);
    if (wrong !== undefined) return wrong;
    const symbols = items.map((item) => this.symbolOf(item, caller));
    const answering = timed(this.services.sequencer, timer, () =>
      runRoute(route, {
        ...this.services,
        query: undefined as never,
        body: body as never,
        caller,
        expired,
      }),
    );
    // The command is sequenced by now: this is the time of the order itself, whenever it becomes durable.
    const sequencedMs = this.services.sequencer.state.now;
    const answer = await answering;
    if (answer instanceof WireError) return answer;
    if (batch) return (answer as OrderAnswer[]).map((each, n) => batchItem(each, symbols[n]!));
    const { orderId, clientOid } = answer as OrderAnswer;
    return [{ symbol: symbols[0]!, orderId, clientOid, cTime: String(sequencedMs) }];
  }

  private expiredItems(items: readonly Item[]): ReadonlySet<Item> | WireError {
    const expired = new Set<Item>();
    const nowMs = this.wallClock.now();
    for (const item of items) {
      const found = isExpired(item, nowMs);
      if (found instanceof WireError) return found;
      if (found) expired.add(item);
    }
    return expired;
  }

  private limitOf(call: TradeCall, route: Route, { user: { uid, quotas } }: Caller) {
    if (quotas === undefined) return route;
    const first = call.args.slice(0, 1).map((item) => itemOf(item, call));
    return orderLimit(route, uid, quotas, this.services.sequencer.state, first);
  }

  /** Requests that change an order need not name its symbol; the response does. */
  private symbolOf(item: Item, caller: Caller): string {
    if (typeof item.symbol === 'string') return item.symbol;
    const { state } = this.services.sequencer;
    const orderId = typeof item.orderId === 'string' ? (parseOrderId(item.orderId) ?? 0) : 0;
    const clientOid = typeof item.clientOid === 'string' ? item.clientOid : '';
    if (orderId === 0 && clientOid === '') return '';
    const order = openOrder(state, caller.user.uid, orderId, clientOid);
    return order === undefined ? '' : state.instruments[order.instrument]!.symbol;
  }
}

/** An argument as the body of the HTTP route: over the socket the category stands beside the arguments. */
function itemOf(item: Item, call: TradeCall): Item {
  const body: Item = {};
  for (const [name, value] of Object.entries(item)) {
    body[Object.hasOwn(FIELD_ALIASES, name) ? FIELD_ALIASES[name]! : name] = value;
  }
  // An absent category must stay absent.
  if (call.category !== undefined) body.category ??= call.category;
  if (call.requestTime !== undefined) body.requestTime ??= call.requestTime;
  return normaliseFields(body) as Item;
}

function batchItem({ orderId, clientOid, code, msg }: OrderAnswer, symbol: string) {
  const failed = code !== undefined;
  return { code: failed ? code : '0', msg: failed ? (msg ?? '') : 'Success', symbol, orderId, clientOid };
}
