/** Candles of trades, marks, indices and premiums (interface 4.1, wire 3.1, 4.2). */
import { type Static, Type } from '../../../validation/schema.ts';
import { CANDLE_TYPES } from '../../../views/candle-view.ts';
import { type Call, type Route, route } from '../../route.ts';
import { JsonText } from '../../wire/envelope.ts';
import { Limit, SymbolName, TickerCategory, Time } from '../../wire/fields.ts';
import { findInstrument } from '../../wire/instrument-lookup.ts';
import { times } from '../../wire/paging.ts';
import * as responses from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { CANDLES_MAX, INTERVAL_RULE, readCandles, readInterval } from './candle-query.ts';

const HISTORY_CANDLES_MAX = 100;
const HISTORY_SPAN_MS = 90 * 86_400_000;

const Query = Type.Object({
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
});

async function candles(
  { sequencer, query }: Call<Static<typeof Query>, unknown>,
  most: number,
  spanMs: number,
) {
  const instrument = findInstrument(sequencer.state, query.category, query.symbol);
  if (instrument instanceof WireError) return instrument;
  const interval = readInterval(query.interval);
  if (interval === undefined) return wireError('40020', INTERVAL_RULE);
  const { type = 'market' } = query;
  if (type !== 'market' && instrument.spec.futures === undefined)
    return wireError('40020', `type ${type} exists for futures only`);
  const limit = query.limit === undefined ? most : Math.min(Number(query.limit), most);
  if (limit === 0) return wireError('40020', `limit must be 1 to ${most}`);
  const bounds = times(query);
  if (bounds instanceof WireError) return bounds;
  const { start, end } = bounds;
  if (start !== undefined && end !== undefined && end - start > spanMs)
    return wireError('40020', 'startTime and endTime must be at most 90 days apart');
  return new JsonText(
    await readCandles(sequencer, { instrument, type, interval, startTime: start, endTime: end, limit }),
  );
}

const base = {
  method: 'GET',
  group: 'Market data',
  access: 'public',
  perSecond: 20,
  query: Query,
  data: Type.Array(responses.Candle),
} as const;

export const candleRoutes: readonly Route[] = [
  route({
    ...base,
    path: '/api/v3/market/candles',
    summary: 'Candles, oldest first; intervals without trades are flat',
    handle: (call) => candles(call, CANDLES_MAX, Number.POSITIVE_INFINITY),
  }),
  route({
    ...base,
    path: '/api/v3/market/history-candles',
    summary: 'Candles of the past, at most 100 at a time',
    handle: (call) => candles(call, HISTORY_CANDLES_MAX, HISTORY_SPAN_MS),
  }),
];
