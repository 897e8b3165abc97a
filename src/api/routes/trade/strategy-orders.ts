/** Take-profit, stop-loss, trigger and trailing orders (interface 2.3, 4.2, wire 4.1). */

import { parseOrderId } from '../../../core/model/order-id.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { openOrder } from '../../../core/reads/reads.ts';
import { openStrategies, openStrategy } from '../../../core/reads/strategy-reads.ts';
import { Type } from '../../../validation/schema.ts';
import { withAliases } from '../../../views/order-view.ts';
import { strategyView } from '../../../views/strategy-view.ts';
import { type Route, route } from '../../route.ts';
import { Category, pageFields, SymbolName } from '../../wire/fields.ts';
import { categoryCode, checkSymbol, findInstrument } from '../../wire/instrument-lookup.ts';
import { historyPage, pageOf } from '../../wire/paging.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import * as responses from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { modifyStrategy } from './modify-order.ts';
import { NamedOrder, NO_ORDER_REF, readOrderRef } from './order-ref.ts';
import { idsOf, openView } from './order-result.ts';
import { ModifyStrategyBody, StrategyBody, strategyCommand } from './strategy-input.ts';

const group = 'Strategy orders';
const StrategyType = Type.Enum(['tpsl', 'trigger'] as const, {
  description: 'tpsl: take-profit and stop-loss; trigger: trigger and trailing orders; both when left out',
});

export const strategyOrderRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v3/trade/place-strategy-order',
    summary: 'Place take-profit and stop-loss of a position, a trigger order or a trailing order',
    group,
    access: 'trade_write',
    perSecond: 10,
    orders: true,
    body: StrategyBody,
    data: responses.OrderIds,
    handle: async ({ sequencer, caller, body }) => {
      const { state } = sequencer;
      const instrument = findInstrument(state, body.category, body.symbol);
      if (instrument instanceof WireError) return instrument;
      const command = strategyCommand(caller.user.uid, instrument, body);
      if (command instanceof WireError) return command;
      const result = await sequencer.submit(command);
      return result.rejectReason === RejectReason.none
        ? idsOf(result)
        : rejectError(state, result, instrument);
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/modify-strategy-order',
    summary: 'Change a strategy order that waits; a takeProfit or stopLoss of 0 takes that leg away',
    group,
    access: 'trade_write',
    perSecond: 10,
    orders: true,
    body: ModifyStrategyBody,
    data: responses.OrderIds,
    handle: ({ sequencer, caller, body }) => modifyStrategy(sequencer, caller.user.uid, body),
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/cancel-strategy-order',
    summary: 'Cancel a strategy order that waits; orderId wins over clientOid',
    group,
    access: 'trade_write',
    perSecond: 10,
    orders: true,
    body: Type.Object(NamedOrder),
    data: Type.Null(),
    handle: async ({ sequencer, caller, body }) => {
      const name = readOrderRef(body);
      if (name === undefined) return NO_ORDER_REF;
      const { uid } = caller.user;
      const result = await sequencer.submit({ type: 'cancelStrategy', uid, ...name });
      return result.rejectReason === RejectReason.none ? null : rejectError(sequencer.state, result);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/trade/unfilled-strategy-orders',
    summary: 'Strategy orders that wait, newest first',
    group,
    access: 'trade_read',
    perSecond: 20,
    query: Type.Object({
      category: Category,
      type: Type.Optional(StrategyType),
      symbol: Type.Optional(SymbolName),
    }),
    data: Type.Array(responses.StrategyOrder),
    handle: ({ sequencer, caller, query }) => {
      const { state } = sequencer;
      const { uid } = caller.user;
      const { type, symbol } = query;
      const unknown = checkSymbol(state, query.category, symbol);
      if (unknown !== undefined) return unknown;
      const orders = openStrategies(state, { uid, category: categoryCode(query.category), type, symbol });
      return orders.map((order) => strategyView(order, state.instruments[order.instrument]!));
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/trade/history-strategy-orders',
    summary: 'Strategy orders that have fired, failed or been cancelled, newest first',
    group,
    access: 'trade_read',
    perSecond: 20,
    query: Type.Object({ category: Category, type: Type.Optional(StrategyType), ...pageFields }),
    data: responses.page(responses.StrategyOrder),
    handle: async ({ sequencer, clock, caller, query }) => {
      const page = historyPage(query, clock.now());
      if (page instanceof WireError) return page;
      await sequencer.durable();
      const orders = await sequencer.history.endedStrategies({
        uid: caller.user.uid,
        category: query.category,
        ...page,
        ...(query.type !== undefined && { type: query.type }),
      });
      return pageOf(orders, (order) => order.orderId);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/trade/strategy-sub-orders',
    summary: 'The order that a strategy order made, when it has fired',
    group,
    access: 'trade_read',
    perSecond: 10,
    query: Type.Object(NamedOrder),
    data: responses.page(responses.OrderDetail),
    handle: async ({ sequencer, caller, query }) => {
      const { state, history } = sequencer;
      const { uid } = caller.user;
      const name = readOrderRef(query);
      if (name === undefined) return NO_ORDER_REF;
      const waits = openStrategy(state, uid, name.orderId, name.clientOid) !== undefined;
      await sequencer.durable();
      if (waits) return { list: [], cursor: '' };
      const ended = await history.endedStrategy(uid, name.orderId, name.clientOid);
      if (ended === undefined) return wireError('25597', 'there is no strategy order of that id');
      const child = parseOrderId(ended.subOrderId);
      if (child === undefined) return { list: [], cursor: '' };
      const open = openOrder(state, uid, child, '');
      if (open !== undefined) return pageOf([openView(state, open)], (order) => order.orderId);
      const closed = await history.orderById(uid, child);
      return pageOf(closed === undefined ? [] : [withAliases(closed)], (order) => order.orderId);
    },
  }),
];
