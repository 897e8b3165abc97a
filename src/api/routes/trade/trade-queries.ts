/** Orders and fills of an account (interface 4.2). */

import { parseOrderId } from '../../../core/model/order-id.ts';
import { openOrder, openOrders } from '../../../core/reads/reads.ts';
import { Type } from '../../../validation/schema.ts';
import { withAliases } from '../../../views/order-view.ts';
import { type Route, route } from '../../route.ts';
import { Category, ClientOid, OrderId, pageFields, SymbolName } from '../../wire/fields.ts';
import { categoryCode, checkSymbol } from '../../wire/instrument-lookup.ts';
import { cursorId, historyPage, pageLimit, pageOf, times } from '../../wire/paging.ts';
import * as responses from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { openView } from './order-result.ts';

const group = 'Trading queries';
const orderNotFound = () => wireError('25204', 'Order does not exist');

export const tradeQueryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/trade/unfilled-orders',
    summary: 'Open orders, newest first',
    group,
    access: 'trade_read',
    perSecond: 20,
    query: Type.Object({
      category: Type.Optional(Category),
      symbol: Type.Optional(SymbolName),
      ...pageFields,
    }),
    data: responses.page(responses.OpenOrder),
    handle: ({ sequencer, caller, query }) => {
      const { state } = sequencer;
      const unknown = checkSymbol(state, query.category, query.symbol);
      if (unknown !== undefined) return unknown;
      const bounds = times(query);
      if (bounds instanceof WireError) return bounds;
      const limit = pageLimit(query.limit);
      if (limit instanceof WireError) return limit;
      const orders = openOrders(state, {
        uid: caller.user.uid,
        category: query.category === undefined ? undefined : categoryCode(query.category),
        startTime: bounds.start,
        endTime: bounds.end,
        beforeId: cursorId(query.cursor),
        symbol: query.symbol,
        limit,
      });
      return pageOf(
        orders.map((order) => openView(state, order)),
        (order) => order.orderId,
      );
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/trade/history-orders',
    summary: 'Filled and cancelled orders, newest first',
    group,
    access: 'trade_read',
    perSecond: 20,
    query: Type.Object({ category: Category, symbol: Type.Optional(SymbolName), ...pageFields }),
    data: responses.page(responses.HistoryOrder),
    handle: async ({ sequencer, clock, caller, query }) => {
      const unknown = checkSymbol(sequencer.state, query.category, query.symbol);
      if (unknown !== undefined) return unknown;
      const page = historyPage(query, clock.now());
      if (page instanceof WireError) return page;
      await sequencer.durable();
      const orders = await sequencer.history.closedOrders({
        uid: caller.user.uid,
        category: query.category,
        ...page,
        ...(query.symbol !== undefined && { symbol: query.symbol }),
      });
      return pageOf(orders.map(withAliases), (order) => order.orderId);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/trade/order-info',
    summary: 'One order, open or closed; orderId wins over clientOid',
    group,
    access: 'trade_read',
    perSecond: 20,
    query: Type.Object({ orderId: Type.Optional(OrderId), clientOid: Type.Optional(ClientOid) }),
    data: responses.OrderDetail,
    handle: async ({ sequencer, caller, query }) => {
      const { state, history } = sequencer;
      const { uid } = caller.user;
      if (query.orderId === undefined && query.clientOid === undefined) {
        return wireError('40019', 'orderId or clientOid must be given');
      }
      const id = query.orderId === undefined ? 0 : parseOrderId(query.orderId);
      if (id === undefined) return orderNotFound();
      const open = openOrder(state, uid, id, query.clientOid ?? '');
      const view = open === undefined ? undefined : openView(state, open);
      // An order that is not open may have closed a moment ago: the history has it once all applied commands are
      // durable.
      await sequencer.durable();
      if (view !== undefined) return view;
      const closed =
        id === 0
          ? await history.latestOrderByClientOid(uid, query.clientOid!)
          : await history.orderById(uid, id);
      return closed === undefined ? orderNotFound() : withAliases(closed);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/trade/fills',
    summary: 'Own fills, newest first',
    group,
    access: 'trade_read',
    perSecond: 20,
    query: Type.Object({
      category: Type.Optional(Category),
      symbol: Type.Optional(SymbolName),
      orderId: Type.Optional(OrderId),
      ...pageFields,
    }),
    data: responses.page(responses.Fill),
    handle: async ({ sequencer, clock, caller, query }) => {
      const unknown = checkSymbol(sequencer.state, query.category, query.symbol);
      if (unknown !== undefined) return unknown;
      const page = historyPage(query, clock.now());
      if (page instanceof WireError) return page;
      // An id that no order can have matches no fill.
      const orderId = query.orderId === undefined ? undefined : (parseOrderId(query.orderId) ?? 0);
      await sequencer.durable();
      const fills = await sequencer.history.fills({
        uid: caller.user.uid,
        ...page,
        ...(query.category !== undefined && { category: query.category }),
        ...(query.symbol !== undefined && { symbol: query.symbol }),
        ...(orderId !== undefined && { orderId }),
      });
      return pageOf(fills, (fill) => fill.execId);
    },
  }),
];
