/** Public market data (interface 4.1, wire.md 4.2). */
import Type from 'typebox';
import { depth, publicFills } from '../../core/reads.ts';
import type { CategoryName } from '../../core/terms.ts';
import * as answers from '../answers.ts';
import { CANDLES_MAX, readCandles, readWidth } from '../candle-query.ts';
import { Category, Limit, SymbolName, TickerCategory, Time } from '../fields.ts';
import { findInstrument, instrumentsOf } from '../instrument-lookup.ts';
import {
  componentViews,
  instrumentView,
  priceText,
  publicFillView,
  sizeText,
  tickerView,
} from '../market-view.ts';
import { pageLimit, times } from '../paging.ts';
import { type Route, route } from '../route.ts';
import { WireError, wireError } from '../wire-error.ts';

const group = 'Market data';
const DEPTH_DEFAULT = 5;
const DEPTH_MAX = 200;
const CANDLE_TYPES = ['market', 'mark', 'index', 'premium'] as const;

export const marketRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/market/candles',
    summary: 'Candles, oldest first; intervals without trades are flat',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object({
      category: TickerCategory,
      symbol: SymbolName,
      interval: Type.String({
        maxLength: 8,
        description: '1m 3m 5m 15m 30m 1H 2H 4H 6H 12H 1D 3D 1W 1M and …utc',
      }),
      startTime: Type.Optional(Time),
      endTime: Type.Optional(Time),
      type: Type.Optional(Type.Enum([...CANDLE_TYPES])),
      limit: Type.Optional(Limit),
    }),
    data: Type.Array(answers.Candle),
    handle: ({ venue, query }) => {
      const instrument = findInstrument(venue.state, query.category, query.symbol);
      if (instrument instanceof WireError) return instrument;
      const width = readWidth(query.interval);
      if (width === undefined)
        return wireError('40020', 'interval must be one of 1m, 3m, 5m, 15m, 30m, 1H, 4H, 6H, 12H, 1D');
      if (query.type !== undefined && query.type !== 'market') {
        if (instrument.spec.futures === undefined)
          return wireError('40020', `type ${query.type} exists for futures only`);
        // Mark, index and premium prices begin with the price feeds.
        return [];
      }
      const limit = query.limit === undefined ? CANDLES_MAX : Math.min(Number(query.limit), CANDLES_MAX);
      if (limit === 0) return wireError('40020', 'limit must be 1 to 1000');
      const given = times(query);
      if (given instanceof WireError) return given;
      return readCandles(venue, { instrument, width, startTime: given.start, endTime: given.end, limit });
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/instruments',
    summary: 'Specifications of a category or of one symbol',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object({ category: Category, symbol: Type.Optional(SymbolName) }),
    data: Type.Array(answers.Instrument),
    handle: ({ venue, query }) => {
      if (query.symbol === undefined) return instrumentsOf(venue.state, query.category).map(instrumentView);
      const instrument = findInstrument(venue.state, query.category, query.symbol);
      return instrument instanceof WireError ? instrument : [instrumentView(instrument)];
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
    data: Type.Array(answers.Ticker),
    handle: ({ venue, query }) => {
      const { state } = venue;
      if (query.symbol === undefined) {
        return instrumentsOf(state, query.category).map((instrument) => tickerView(state, instrument));
      }
      const instrument = findInstrument(state, query.category, query.symbol);
      return instrument instanceof WireError ? instrument : [tickerView(state, instrument)];
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
    data: answers.IndexComponents,
    handle: ({ venue, query }) => {
      const order: CategoryName[] = ['USDT-FUTURES', 'USDC-FUTURES', 'COIN-FUTURES', 'SPOT'];
      const found = order
        .map((category) => venue.state.instrument(category, query.symbol))
        .find((instrument) => instrument !== undefined);
      if (found === undefined) return wireError('25100', 'trading pair is not known');
      return { symbol: found.symbol, componentList: componentViews(venue.state, found) };
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
    data: Type.Array(answers.PublicFill),
    handle: ({ venue, query }) => {
      const instrument = findInstrument(venue.state, query.category, query.symbol);
      if (instrument instanceof WireError) return instrument;
      const limit = pageLimit(query.limit);
      if (limit instanceof WireError) return limit;
      return publicFills(venue.state, instrument, limit).map((trade) => publicFillView(trade, instrument));
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
    data: answers.OrderBook,
    handle: ({ venue, query }) => {
      const { state } = venue;
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
