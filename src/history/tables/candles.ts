/** Ended candles: of trades, and of mark, index and premium. Where there are none, generated ones are used. */

import { CATEGORY_NAMES } from '../../core/model/enums.ts';
import type { CandleClosed, PriceCandleClosed } from '../../core/model/event.ts';
import { type CandleRow, type CandleType, candleRow, priceCandleRow } from '../../views/candle-view.ts';
import { gaplessCandles } from '../gapless-candles.ts';
import { mergeCandles } from '../generated-candles.ts';
import type { CandleQuery, CandleSeries, GaplessCandleQuery, GeneratedQuery } from '../history.ts';
import type { Read } from '../read.ts';
import { generatedCandles } from './generated-candles.ts';
import type { NameResolver } from './name-resolver.ts';
import type { Pages } from './pages.ts';
import { type Row, type RowValues, Table } from './table.ts';

const KEY = ['category', 'symbol', 'type', 'width', 'open_time'] as const;

export const CANDLES = new Table({
  name: 'candles',
  key: KEY,
  before: KEY,
  texts: ['open', 'high', 'low', 'close', 'volume', 'turnover'],
});

export function tradeCandleRow(candle: CandleClosed, names: NameResolver): RowValues {
  return rowOf(candle, 'market', candleRow(candle, names.instrument(candle.instrument)), names);
}

export function priceRow(candle: PriceCandleClosed, names: NameResolver): RowValues {
  const { instrument, kind } = candle;
  return rowOf(candle, kind, priceCandleRow(candle, kind, names.instrument(instrument)), names);
}

function rowOf(
  { instrument, interval }: CandleClosed | PriceCandleClosed,
  type: CandleType,
  row: CandleRow,
  names: NameResolver,
): RowValues {
  const { category, symbol } = names.instrument(instrument);
  return CANDLES.row([CATEGORY_NAMES[category], symbol, type, interval, row.openTime], row);
}

function readCandle(row: Row): CandleRow {
  return { openTime: Number(row[4]), ...CANDLES.textsOf(row) };
}

export function* candles(pages: Pages, query: CandleQuery): Read<CandleRow[]> {
  const { category, symbol, type, interval, startTime = 0, endTime = Number.MAX_SAFE_INTEGER, limit } = query;
  const newest = query.from === 'newest';
  const rows = yield* pages.records(CANDLES, {
    text: `WHERE category = ? AND symbol = ? AND type = ? AND width = ?
       AND open_time BETWEEN ? AND ? ORDER BY open_time ${newest ? 'DESC' : 'ASC'} LIMIT ?`,
    values: [category, symbol, type, interval, startTime, endTime, limit],
  });
  const real = rows.map(readCandle);
  if (newest) real.reverse();
  const generated = yield* generatedCandles(pages, query, { startTime, endTime, limit, newest });
  if (generated.length === 0) return real;
  const merged = mergeCandles(generated, real);
  return newest ? merged.slice(-limit) : merged.slice(0, limit);
}

export function* lastCandleBefore(
  pages: Pages,
  { series, openTime }: { series: CandleSeries; openTime: number },
): Read<CandleRow | undefined> {
  const found = yield* candles(pages, { ...series, endTime: openTime - 1, limit: 1, from: 'newest' });
  return found[0];
}

export function* generatedPart(
  pages: Pages,
  { series, openTime }: { series: CandleSeries; openTime: number },
): Read<CandleRow | undefined> {
  const one = { startTime: openTime, endTime: openTime, limit: 1, newest: true };
  const found = yield* generatedCandles(pages, series, one);
  return found[0];
}

export function* gaplessCandlesText(pages: Pages, query: GaplessCandleQuery): Read<string> {
  const stored = {
    candles: (wanted: CandleQuery) => candles(pages, wanted),
    lastCandleBefore: (series: CandleSeries, openTime: number) =>
      lastCandleBefore(pages, { series, openTime }),
    generatedPart: (series: CandleSeries, openTime: number) => generatedPart(pages, { series, openTime }),
  };
  return JSON.stringify(yield* gaplessCandles(stored, query));
}

export function generatedSince(
  pages: Pages,
  { category, symbol, startTime }: GeneratedQuery,
): Read<CandleRow[]> {
  const series = { category, symbol, type: 'market', interval: '5m' } as const;
  const all = { startTime, endTime: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER, newest: true };
  return generatedCandles(pages, series, all);
}
