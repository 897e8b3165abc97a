/** Public market data (interface 4.1, wire 4.2). */

import type { CategoryName } from '../../../core/model/enums.ts';
import { depth, publicFills } from '../../../core/reads/reads.ts';
import { Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import { Category, Limit, SymbolName, TickerCategory } from '../../wire/fields.ts';
import { findInstrument, instrumentsOf, unknownSymbol } from '../../wire/instrument-lookup.ts';
import { pageLimit } from '../../wire/paging.ts';
import * as responses from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import {
  componentViews,
  instrumentView,
  priceText,
  publicFillView,
  sizeText,
  tickerView,
} from './market-view.ts';

const group = 'Market data';
export const DEPTH_DEFAULT = 5;
export const DEPTH_MAX = 200;

export const marketRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/market/instruments',
    summary: 'Specifications of a category or of one symbol',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object({ category: Category, symbol: Type.Optional(SymbolName) }),
    data: Type.Array(responses.Instrument),
    handle: ({ sequencer, query }) => {
      const { state } = sequencer;
      if (query.symbol === undefined)
        return instrumentsOf(state, query.category).map((instrument) => instrumentView(state, instrument));
      const instrument = findInstrument(state, query.category, query.symbol);
      return instrument instanceof WireError ? instrument : [instrumentView(state, instrument)];
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/tickers',
    summary: 'Best prices and the rolling 24 hours, of a category or of one symbol',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object({ category: TickerCategory, symbol: Type.Optional(SymbolName) }),
    data: Type.Array(responses.Ticker),
    handle: ({ sequencer, query }) => {
      const { state } = sequencer;
      if (query.symbol === undefined) {
        return instrumentsOf(state, query.category).map((instrument) => tickerView(sequencer, instrument));
      }
      const instrument = findInstrument(state, query.category, query.symbol);
      return instrument instanceof WireError ? instrument : [tickerView(sequencer, instrument)];
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/index-components',
    summary: 'Venues whose prices make the index of a symbol',
    group,
    access: 'public',
    perSecond: 10,
    query: Type.Object({ symbol: SymbolName }),
    data: responses.IndexComponents,
    handle: ({ sequencer, query }) => {
      const order: CategoryName[] = ['USDT-FUTURES', 'USDC-FUTURES', 'COIN-FUTURES', 'SPOT'];
      const found = order
        .map((category) => sequencer.state.instrument(category, query.symbol))
        .find((instrument) => instrument !== undefined);
      if (found === undefined) return unknownSymbol(query.symbol);
      return { symbol: found.symbol, componentList: componentViews(sequencer.state, found) };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/fills',
    summary: 'Latest public fills, newest first',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object({ category: Category, symbol: SymbolName, limit: Type.Optional(Limit) }),
    data: Type.Array(responses.PublicFill),
    handle: ({ sequencer, query }) => {
      const instrument = findInstrument(sequencer.state, query.category, query.symbol);
      if (instrument instanceof WireError) return instrument;
      const limit = pageLimit(query.limit);
      if (limit instanceof WireError) return limit;
      return publicFills(sequencer.state, instrument, limit).map((trade) =>
        publicFillView(trade, instrument),
      );
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/orderbook',
    summary: 'Displayed order book, best levels first',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object({ category: Category, symbol: SymbolName, limit: Type.Optional(Limit) }),
    data: responses.OrderBook,
    handle: ({ sequencer, query }) => {
      const { state } = sequencer;
      const instrument = findInstrument(state, query.category, query.symbol);
      if (instrument instanceof WireError) return instrument;
      const limit = query.limit === undefined ? DEPTH_DEFAULT : Math.min(Number(query.limit), DEPTH_MAX);
      if (limit === 0) return wireError('40020', `limit must be 1 to ${DEPTH_MAX}`);
      const { asks, bids } = depth(state, instrument, limit);
      const level = ({ priceTicks, lots }: { priceTicks: number; lots: number }) => [
        priceText(instrument, priceTicks),
        sizeText(instrument, lots),
      ];
      const { changes } = state.market(instrument);
      return { a: asks.map(level), b: bids.map(level), ts: String(state.now), seq: changes };
    },
  }),
];
