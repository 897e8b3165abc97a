/** Placing, modifying and cancelling (interface 4.3, wire.md 4.1). */
import Type, { type Static } from 'typebox';
import {
  type AmendItem,
  ANY,
  type CancelOrder,
  type PlaceOrder,
  type PlaceStrategy,
} from '../../core/command.ts';
import type { Instrument } from '../../core/instrument.ts';
import { BATCH_ITEMS_MAX } from '../../core/limits.ts';
import { formatOrderId, parseOrderId } from '../../core/orders/order-id.ts';
import type { Outcome } from '../../core/outcome.ts';
import { openOrderId } from '../../core/reads.ts';
import { Refusal } from '../../core/refusal.ts';
import type { State } from '../../core/state.ts';
import { openStrategy } from '../../core/strategy/strategy-reads.ts';
import { isEmpty } from '../../core/strategy/trigger-leg.ts';
import {
  type CategoryName,
  ORDER_TYPE_NAMES,
  type OrderType,
  POS_SIDE_NAMES,
  type PosSide,
  SIDE_NAMES,
  type Side,
  Source,
  STP_MODE_NAMES,
  TIME_IN_FORCE_NAMES,
} from '../../core/terms.ts';
import type { Venue } from '../../venue/venue.ts';
import * as answers from '../answers.ts';
import * as fields from '../fields.ts';
import { categoryCode, findInstrument } from '../instrument-lookup.ts';
import { adoptMarginMode } from '../margin-mode.ts';
import { priceTicks, quoteAmount, sizeLots } from '../order-input.ts';
import { refusalError } from '../refusal-message.ts';
import { type Route, route } from '../route.ts';
import {
  isWaiting,
  type PresetInput,
  presetBody,
  presetChangeOf,
  presetOf,
  waitingBody,
  waitingCommand,
} from '../strategy-input.ts';
import { type ErrorDialect, WireError, wireError } from '../wire-error.ts';
import { modifyStrategy } from './strategy-orders.ts';

const group = 'Trading';

const PlaceBody = Type.Object({
  category: fields.Category,
  symbol: fields.SymbolName,
  qty: Type.String({ ...fields.Decimal, description: 'base quantity; quote money on a spot market buy' }),
  side: fields.Side,
  orderType: fields.OrderType,
  price: Type.Optional(fields.Decimal),
  timeInForce: Type.Optional(fields.TimeInForce),
  clientOid: Type.Optional(fields.ClientOid),
  stpMode: Type.Optional(fields.StpMode),
  posSide: Type.Optional(fields.PosSide),
  reduceOnly: Type.Optional(fields.YesNo),
  marginMode: Type.Optional(fields.MarginMode),
  ...presetBody,
  ...waitingBody,
});

const NamedOrder = {
  orderId: Type.Optional(fields.OrderId),
  clientOid: Type.Optional(fields.ClientOid),
};

const AmendBody = Type.Object({
  ...NamedOrder,
  qty: Type.Optional(Type.String({ ...fields.Decimal, description: 'new total quantity, base coin' })),
  price: Type.Optional(fields.Decimal),
  autoCancel: Type.Optional(fields.YesNo),
  symbol: Type.Optional(fields.SymbolName),
  category: Type.Optional(fields.Category),
});

/** A plain modification also reaches what came with the order, and a trigger order by its id (wire.md 4.1). */
const ModifyBody = Type.Object({
  ...AmendBody.properties,
  ...presetBody,
  triggerPrice: Type.Optional(fields.Decimal),
});

export const CancelBody = Type.Object({
  ...NamedOrder,
  category: Type.Optional(fields.Category),
  symbol: Type.Optional(fields.SymbolName),
});

const CancelItem = Type.Object({ ...NamedOrder, category: fields.Category, symbol: fields.SymbolName });

interface OrderResult {
  orderId: string;
  clientOid: string;
  code?: string;
  msg?: string;
}

/** A place-order body as a command, or what is wrong with it before the core is asked. */
function placeCommand(
  state: State,
  uid: number,
  body: Static<typeof PlaceBody>,
): PlaceOrder | PlaceStrategy | WireError {
  const instrument = findInstrument(state, body.category, body.symbol);
  if (instrument instanceof WireError) return instrument;
  // Ignoring a trigger would place an order at once that was meant to wait (wire.md 4.1).
  if (isWaiting(body)) return waitingCommand(uid, instrument, body);
  const preset = presetOf(instrument, body);
  const market = body.orderType === 'market';
  if (!market && body.price === undefined) return wireError('40019', 'price must be given for a limit order');
  const futures = instrument.futures !== undefined;
  const byAmount = market && body.side === 'buy' && !futures;
  return {
    type: 'placeOrder',
    time: 0,
    uid,
    source: Source.api,
    instrument: instrument.index,
    side: SIDE_NAMES.indexOf(body.side) as Side,
    orderType: ORDER_TYPE_NAMES.indexOf(body.orderType) as OrderType,
    timeInForce: TIME_IN_FORCE_NAMES.indexOf(body.timeInForce ?? 'gtc') as PlaceOrder['timeInForce'],
    stpMode: STP_MODE_NAMES.indexOf(body.stpMode ?? 'none') as PlaceOrder['stpMode'],
    priceTicks: market ? 0 : priceTicks(body.price!, instrument),
    sizeLots: byAmount ? 0 : sizeLots(body.qty, instrument),
    quoteAmount: byAmount ? quoteAmount(body.qty, instrument) : 0n,
    clientOid: body.clientOid ?? '',
    ...(futures && {
      posSide: POS_SIDE_NAMES.indexOf(body.posSide ?? '') as PosSide,
      reduceOnly: body.reduceOnly === 'yes',
    }),
    ...(!isEmpty(preset) && { preset }),
  };
}

async function place(
  venue: Venue,
  uid: number,
  body: Static<typeof PlaceBody>,
): Promise<OrderResult | WireError> {
  const command = placeCommand(venue.state, uid, body);
  if (command instanceof WireError) return command;
  const instrument = venue.state.instruments[command.instrument]!;
  const mode = adoptMarginMode(venue, uid, instrument, body.marginMode);
  if (mode instanceof WireError) return mode;
  // Both are sequenced before either is awaited: nothing comes between the mode and the order.
  const [outcome] = await Promise.all([venue.submit(command), mode]);
  if (outcome.refusal !== Refusal.none) {
    return refusalError(venue.state, outcome, instrument);
  }
  return { orderId: formatOrderId(outcome.orderId), clientOid: outcome.clientOid };
}

/** How a request names an order; -1 as an id is one that cannot exist, so that it is not found. */
function orderName(
  state: State,
  uid: number,
  body: Static<typeof CancelBody>,
): Omit<CancelOrder, 'type' | 'time' | 'uid'> | WireError {
  if (body.orderId === undefined && body.clientOid === undefined) {
    return wireError('40019', 'orderId or clientOid must be given');
  }
  const orderId = body.orderId === undefined ? 0 : (parseOrderId(body.orderId) ?? -1);
  const clientOid = body.orderId === undefined ? body.clientOid! : '';
  let instrument: number = ANY;
  if (body.symbol !== undefined) {
    // A symbol alone may stand in several categories: the order says which one is meant.
    const category = body.category ?? instrumentOfOrder(state, uid, orderId, clientOid)?.spec.category;
    const found = category === undefined ? undefined : findInstrument(state, category, body.symbol);
    if (found instanceof WireError) return found;
    instrument = found?.index ?? ANY;
  }
  const category = body.category === undefined ? ANY : categoryCode(body.category);
  return { orderId, clientOid, category, instrument };
}

async function cancel(
  venue: Venue,
  uid: number,
  body: Static<typeof CancelBody>,
): Promise<OrderResult | WireError> {
  const name = orderName(venue.state, uid, body);
  if (name instanceof WireError) return name;
  const outcome = await venue.submit({ type: 'cancelOrder', time: 0, uid, ...name });
  if (outcome.refusal !== Refusal.none) return refusalError(venue.state, outcome);
  return { orderId: formatOrderId(outcome.orderId), clientOid: outcome.clientOid };
}

/** The instrument of an open order of the caller, for reading prices of a modification on its grid. */
function instrumentOfOrder(
  state: State,
  uid: number,
  orderId: number,
  clientOid: string,
): Instrument | undefined {
  const slot =
    orderId > 0
      ? state.slab.byId.get(orderId)
      : (state.accountByUid.get(uid)?.clientOids.get(clientOid) ?? -1);
  const byPrintedId = slot >= 0 ? slot : state.slab.byId.get(parseOrderId(clientOid) ?? -1);
  return byPrintedId < 0 ? undefined : state.instruments[state.slab.instrument[byPrintedId]!];
}

interface Amendment {
  readonly item: AmendItem;
  /** Undefined when there is no such open order. */
  readonly instrument: Instrument | undefined;
}

function amendment(
  state: State,
  uid: number,
  body: Static<typeof AmendBody>,
  protection: PresetInput = {},
): Amendment | WireError {
  const name = orderName(state, uid, body);
  if (name instanceof WireError) return name;
  const instrument = instrumentOfOrder(state, uid, name.orderId, name.clientOid);
  const preset = instrument === undefined ? undefined : presetChangeOf(instrument, protection);
  if (body.qty === undefined && body.price === undefined && preset === undefined)
    return wireError('25200', 'qty or price must be given');
  const item = {
    ...name,
    // Without an instrument the order does not exist, and the core says so whatever the numbers are.
    priceTicks: body.price === undefined || instrument === undefined ? 0 : priceTicks(body.price, instrument),
    sizeLots: body.qty === undefined || instrument === undefined ? 0 : sizeLots(body.qty, instrument),
    autoCancel: body.autoCancel === 'yes',
    outstanding: 0,
    ...(preset !== undefined && { preset }),
  };
  return { item, instrument };
}

/** Is there no open order of that name, but a strategy order that waits? */
function namesStrategy(state: State, uid: number, body: { orderId?: string; clientOid?: string }): boolean {
  const orderId = body.orderId === undefined ? 0 : (parseOrderId(body.orderId) ?? -1);
  const clientOid = body.orderId === undefined ? (body.clientOid ?? '') : '';
  if (openOrderId(state, uid, orderId, clientOid) !== 0) return false;
  return openStrategy(state, uid, orderId, clientOid) !== undefined;
}

function amendResult(state: State, outcome: Outcome, instrument: Instrument | undefined) {
  if (outcome.refusal !== Refusal.none) return refusalError(state, outcome, instrument);
  return { orderId: formatOrderId(outcome.orderId), clientOid: outcome.clientOid };
}

function failedItem(
  error: WireError,
  body: { orderId?: string | undefined; clientOid?: string | undefined },
  dialect: ErrorDialect,
): OrderResult {
  return {
    orderId: body.orderId ?? '',
    clientOid: body.clientOid ?? '',
    code: error.codeIn(dialect),
    msg: error.msg,
  };
}

/** Items of one batch share a category and are at most 20. */
function checkBatch(items: readonly { category?: CategoryName }[]): WireError | undefined {
  if (items.length > BATCH_ITEMS_MAX)
    return wireError('40306', `a batch holds at most ${BATCH_ITEMS_MAX} orders`);
  const categories = new Set(items.map((item) => item.category).filter((category) => category !== undefined));
  if (categories.size > 1) return wireError('40017', 'all orders of a batch must be of one category');
  return undefined;
}

export const batchOf = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Array(item, { minItems: 1 });

export const tradeActionRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v3/trade/place-order',
    summary: 'Place one order',
    group,
    access: 'trade_write',
    perSecond: 10,
    body: PlaceBody,
    data: answers.OrderIds,
    handle: ({ venue, caller, body }) => place(venue, caller.user.uid, body),
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/place-batch',
    summary: 'Place up to 20 orders of one category; each succeeds or fails on its own',
    group,
    access: 'trade_write',
    perSecond: 5,
    body: batchOf(PlaceBody),
    data: Type.Array(answers.OrderResult),
    handle: async ({ venue, caller, body, errorDialect }) => {
      const wrong = checkBatch(body);
      if (wrong !== undefined) return wrong;
      // All are sequenced before the first answer is awaited, so they stand together in the log.
      const placed = body.map((item) => place(venue, caller.user.uid, item));
      return Promise.all(
        placed.map(async (answer, n) => {
          const result = await answer;
          if (!(result instanceof WireError)) return result;
          return failedItem(result, { clientOid: body[n]!.clientOid }, errorDialect);
        }),
      );
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/modify-order',
    summary: 'Change price or quantity of an open order',
    group,
    access: 'trade_write',
    perSecond: 10,
    body: ModifyBody,
    data: answers.OrderIds,
    handle: async ({ venue, caller, body }) => {
      const { uid } = caller.user;
      if (namesStrategy(venue.state, uid, body)) {
        return modifyStrategy(venue, uid, {
          ...body,
          ...(body.price !== undefined && { triggerOrderPrice: body.price }),
        });
      }
      const amended = amendment(venue.state, uid, body, body);
      if (amended instanceof WireError) return amended;
      const outcome = await venue.submit({
        type: 'amendOrders',
        time: 0,
        uid,
        source: Source.api,
        items: [amended.item],
      });
      return amendResult(venue.state, outcome.items?.[0] ?? outcome, amended.instrument);
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/batch-modify-order',
    summary: 'Change up to 20 orders of one category, each once',
    group,
    access: 'trade_write',
    perSecond: 10,
    body: batchOf(AmendBody),
    data: Type.Array(answers.OrderResult),
    handle: async ({ venue, caller, body, errorDialect }) => {
      const wrong = checkBatch(body);
      if (wrong !== undefined) return wrong;
      const { uid } = caller.user;
      const { state } = venue;
      // A batch changes prices and quantities only (wire.md 3.14).
      const asked = body.map((each) => amendment(state, uid, each));
      // What cannot be read fails alone (domain.md 1.12); the others go to the core together.
      const items = asked.flatMap((each) => (each instanceof WireError ? [] : [each.item]));
      const outcome = await venue.submit({ type: 'amendOrders', time: 0, uid, source: Source.api, items });
      if (outcome.items === undefined) return refusalError(state, outcome);
      const outcomes = outcome.items.values();
      return asked.map((each, n) => {
        const result =
          each instanceof WireError ? each : amendResult(state, outcomes.next().value!, each.instrument);
        return result instanceof WireError ? failedItem(result, body[n]!, errorDialect) : result;
      });
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/cancel-order',
    summary: 'Cancel one order; orderId wins over clientOid',
    group,
    access: 'trade_write',
    perSecond: 10,
    body: CancelBody,
    data: answers.OrderIds,
    handle: ({ venue, caller, body }) => cancel(venue, caller.user.uid, body),
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/cancel-batch',
    summary: 'Cancel up to 20 orders of one category; each succeeds or fails on its own',
    group,
    access: 'trade_write',
    perSecond: 5,
    body: batchOf(CancelItem),
    data: Type.Array(answers.OrderResult),
    handle: async ({ venue, caller, body, errorDialect }) => {
      const wrong = checkBatch(body);
      if (wrong !== undefined) return wrong;
      const cancelled = body.map((item) => cancel(venue, caller.user.uid, item));
      return Promise.all(
        cancelled.map(async (answer, n) => {
          const result = await answer;
          return result instanceof WireError ? failedItem(result, body[n]!, errorDialect) : result;
        }),
      );
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/cancel-symbol-order',
    summary: 'Cancel all orders of a symbol or of a category',
    group,
    access: 'trade_write',
    perSecond: 5,
    body: Type.Object({ category: fields.Category, symbol: Type.Optional(fields.SymbolName) }),
    data: Type.Object({ list: Type.Array(answers.OrderResult) }),
    handle: async ({ venue, caller, body }) => {
      const { state } = venue;
      let instrument: number = ANY;
      if (body.symbol !== undefined) {
        const found = findInstrument(state, body.category, body.symbol);
        if (found instanceof WireError) return found;
        instrument = found.index;
      }
      const category = categoryCode(body.category);
      const outcome = await venue.submit({
        type: 'cancelAll',
        time: 0,
        uid: caller.user.uid,
        category,
        instrument,
      });
      if (outcome.refusal !== Refusal.none) return refusalError(state, outcome);
      const list = (outcome.items ?? []).map((item) => ({
        orderId: formatOrderId(item.orderId),
        clientOid: item.clientOid,
        code: '00000',
        msg: 'success',
      }));
      return { list };
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/countdown-cancel-all',
    summary: 'Cancel everything unless called again within the countdown; 0 switches it off',
    group,
    access: 'trade_write',
    perSecond: 1,
    body: Type.Object({
      countdown: Type.String({ pattern: '^[0-9]{1,4}$', description: '5 to 60 seconds, or 0' }),
    }),
    data: answers.Success,
    handle: async ({ venue, caller, body }) => {
      const seconds = Number(body.countdown);
      const outcome = await venue.submit({ type: 'countdownCancel', time: 0, uid: caller.user.uid, seconds });
      return outcome.refusal === Refusal.none ? 'success' : refusalError(venue.state, outcome);
    },
  }),
];
