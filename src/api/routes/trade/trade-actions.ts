/** Places, modifies and cancels orders (interface 4.3, wire 4.1). */

import { ANY } from '../../../core/model/command.ts';
import { formatOrderId } from '../../../core/model/order-id.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { categoryCode, findInstrument } from '../../wire/instrument-lookup.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import * as responses from '../../wire/responses.ts';
import { WireError } from '../../wire/wire-error.ts';
import { AmendBody, ModifyBody, modify, modifyBatch } from './modify-order.ts';
import { CancelBody, CancelItem, resolveOrder } from './order-ref.ts';
import { batchOf, checkBatch, idsOf, type OrderResult, runBatch } from './order-result.ts';
import { PlaceBody, place } from './place-order.ts';

const group = 'Trading';

async function cancel(
  sequencer: Sequencer,
  uid: number,
  body: Static<typeof CancelBody>,
): Promise<OrderResult | WireError> {
  const name = resolveOrder(sequencer.state, uid, body);
  if (name instanceof WireError) return name;
  const result = await sequencer.submit({ type: 'cancelOrder', uid, ...name });
  if (result.rejectReason !== RejectReason.none) return rejectError(sequencer.state, result);
  return idsOf(result);
}

export const tradeActionRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v3/trade/place-order',
    summary: 'Place one order',
    group,
    access: 'trade_write',
    perSecond: 10,
    orders: true,
    body: PlaceBody,
    data: responses.OrderIds,
    handle: ({ sequencer, caller, body, expired }) =>
      place(sequencer, caller.user.uid, body, expired?.has(body)),
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/place-batch',
    summary: 'Place up to 20 orders of one category; each succeeds or fails on its own',
    group,
    access: 'trade_write',
    perSecond: 5,
    orders: true,
    body: batchOf(PlaceBody),
    data: Type.Array(responses.OrderResult),
    handle: ({ sequencer, caller, body, expired, errorDialect }) =>
      checkBatch(body) ??
      runBatch(body, (each) => place(sequencer, caller.user.uid, each, expired?.has(each)), errorDialect),
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/modify-order',
    summary: 'Change price or quantity of an open order',
    group,
    access: 'trade_write',
    perSecond: 10,
    orders: true,
    body: ModifyBody,
    data: responses.OrderIds,
    handle: ({ sequencer, caller, body }) => modify(sequencer, caller.user.uid, body),
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/batch-modify-order',
    summary: 'Change up to 20 orders of one category, each once',
    group,
    access: 'trade_write',
    perSecond: 10,
    orders: true,
    body: batchOf(AmendBody),
    data: Type.Array(responses.OrderResult),
    handle: ({ sequencer, caller, body, errorDialect }) =>
      checkBatch(body) ?? modifyBatch(sequencer, caller.user.uid, body, errorDialect),
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/cancel-order',
    summary: 'Cancel one order; orderId wins over clientOid',
    group,
    access: 'trade_write',
    perSecond: 10,
    orders: true,
    body: CancelBody,
    data: responses.OrderIds,
    handle: ({ sequencer, caller, body }) => cancel(sequencer, caller.user.uid, body),
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/cancel-batch',
    summary: 'Cancel up to 20 orders of one category; each succeeds or fails on its own',
    group,
    access: 'trade_write',
    perSecond: 5,
    orders: true,
    body: batchOf(CancelItem),
    data: Type.Array(responses.OrderResult),
    handle: ({ sequencer, caller, body, errorDialect }) =>
      checkBatch(body) ?? runBatch(body, (each) => cancel(sequencer, caller.user.uid, each), errorDialect),
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/cancel-symbol-order',
    summary: 'Cancel all orders of a symbol or of a category',
    group,
    access: 'trade_write',
    perSecond: 5,
    orders: true,
    body: Type.Object({ category: fields.Category, symbol: Type.Optional(fields.SymbolName) }),
    data: Type.Object({ list: Type.Array(responses.OrderResult) }),
    handle: async ({ sequencer, caller, body }) => {
      const { state } = sequencer;
      let instrument: number = ANY;
      if (body.symbol !== undefined) {
        const found = findInstrument(state, body.category, body.symbol);
        if (found instanceof WireError) return found;
        instrument = found.index;
      }
      const category = categoryCode(body.category);
      const result = await sequencer.submit({
        type: 'cancelAll',
        uid: caller.user.uid,
        category,
        instrument,
      });
      if (result.rejectReason !== RejectReason.none) return rejectError(state, result);
      const list = (result.items ?? []).map((item) => ({
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
    data: responses.Success,
    handle: async ({ sequencer, caller, body }) => {
      const seconds = Number(body.countdown);
      const result = await sequencer.submit({
        type: 'countdownCancel',
        uid: caller.user.uid,
        seconds,
      });
      return result.rejectReason === RejectReason.none ? 'success' : rejectError(sequencer.state, result);
    },
  }),
];
