/** Retail price improvement orders in market data (wire 4.2, rules 1.7). */

import type { RpiDepthLevel } from '../../../core/book/depth.ts';
import { rpiDepth } from '../../../core/reads/reads.ts';
import { Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import { Limit, SymbolName, TickerCategory } from '../../wire/fields.ts';
import { findInstrument } from '../../wire/instrument-lookup.ts';
import { Levels, texts } from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { DEPTH_DEFAULT, DEPTH_MAX } from './market.ts';
import { priceText, sizeText } from './market-view.ts';

const group = 'Market data';

export const rpiRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/market/rpi-symbols',
    summary: 'Pairs whose books take RPI orders: all that have a book of their own',
    group,
    access: 'public',
    perSecond: 10,
    data: Type.Array(Type.Object(texts('category', 'symbol'))),
    handle: ({ sequencer: { state } }) =>
      state.instruments
        .filter(({ spec }) => spec.category !== 'MARGIN')
        .map(({ spec, symbol }) => ({ category: spec.category.toLowerCase(), symbol })),
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/rpi-orderbook',
    summary: 'Displayed order book with RPI quantities told apart: [price, normal, RPI], best levels first',
    group,
    access: 'public',
    perSecond: 10,
    query: Type.Object({ category: TickerCategory, symbol: SymbolName, limit: Type.Optional(Limit) }),
    data: Type.Object({ a: Levels, b: Levels, ts: Type.String() }),
    handle: ({ sequencer: { state }, query }) => {
      const instrument = findInstrument(state, query.category, query.symbol);
      if (instrument instanceof WireError) return instrument;
      const limit = query.limit === undefined ? DEPTH_DEFAULT : Math.min(Number(query.limit), DEPTH_MAX);
      if (limit === 0) return wireError('40020', `limit must be 1 to ${DEPTH_MAX}`);
      const { asks, bids } = rpiDepth(state, instrument, limit);
      const level = ({ priceTicks, normalLots, rpiLots }: RpiDepthLevel) => [
        priceText(instrument, priceTicks),
        sizeText(instrument, normalLots),
        sizeText(instrument, rpiLots),
      ];
      return { a: asks.map(level), b: bids.map(level), ts: String(state.now) };
    },
  }),
];
