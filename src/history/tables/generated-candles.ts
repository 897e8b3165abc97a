/** Chunks of generated candles (`../generated-candles.ts`), compressed. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { candleIntervalIndex, candleOpen, nextCandleOpen } from '../../core/model/candle-interval.ts';
import type { CategoryName } from '../../core/model/enums.ts';
import type { CandleRow } from '../../views/candle-view.ts';
import {
  decodeGenerated,
  encodeGenerated,
  type Folded,
  foldedRow,
  foldGenerated,
  GENERATED_STEP_MS,
  type GeneratedCandles,
  type GeneratedInterval,
  generatedIntervalFor,
  joinFolded,
} from '../generated-candles.ts';
import type { CandleSeries } from '../history.ts';
import type { Read } from '../read.ts';
import type { Pages } from './pages.ts';
import { type Row, type RowValues, Table } from './table.ts';

const KEY = ['category', 'symbol', 'width', 'first_open'] as const;

export const GENERATED_CANDLES = new Table({
  name: 'generated_candles',
  key: KEY,
  before: [...KEY, 'last_open', 'price_precision', 'quantity_precision', 'candles'],
  texts: [],
  blob: 'candles',
});

export function generatedRow(candles: GeneratedCandles): RowValues {
  const { category, symbol, interval, firstOpen, lots, pricePrecision, quantityPrecision } = candles;
  const lastOpen = firstOpen + (lots.length - 1) * GENERATED_STEP_MS[interval];
  const archive = deflateRawSync(encodeGenerated(candles), { level: 1 });
  return [category, symbol, interval, firstOpen, lastOpen, pricePrecision, quantityPrecision, archive];
}

/** Books with a generated past. */
export function* generatedBooks(pages: Pages, _nothing: undefined): Read<string[]> {
  return pages.generated?.names() ?? (yield* bookNames(pages));
}

export function* bookNames(pages: Pages): Read<string[]> {
  const books = yield* pages.rows(
    'SELECT DISTINCT category, symbol FROM generated_candles ORDER BY category, symbol',
  );
  return books.map(([category, symbol]) => `${String(category)}:${String(symbol)}`);
}

interface Stretch {
  readonly startTime: number;
  readonly endTime: number;
  readonly limit: number;
  /** Which end of the range is wanted. */
  readonly newest: boolean;
}

/** Generated candles from the wanted end. */
export function* generatedCandles(
  pages: Pages,
  { category, symbol, interval, type }: CandleSeries,
  { startTime, endTime, limit, newest }: Stretch,
): Read<CandleRow[]> {
  // Mark and index follow the trades; there is no generated premium.
  if (type === 'premium') return [];
  const from = generatedIntervalFor(interval);
  const index = candleIntervalIndex(interval);
  // The last candle continues after its open time.
  const lastEnd =
    endTime === Number.MAX_SAFE_INTEGER ? endTime : nextCandleOpen(index, candleOpen(index, endTime));
  const chunks =
    pages.generated?.firstOpens(category, symbol, from, startTime, lastEnd) ??
    (yield* firstOpensOf(pages, [category, symbol, from], startTime, lastEnd));
  if (newest) chunks.reverse();
  let folded: Folded[] = [];
  let chunk: GeneratedCandles | undefined;
  for (const firstOpen of chunks) {
    chunk = yield* readChunk(pages, category, symbol, from, firstOpen);
    const part = foldGenerated(chunk, interval, startTime, endTime);
    folded = newest ? joinFolded(part, folded) : joinFolded(folded, part);
    // The candle at the inner edge may continue in the next chunk.
    if (folded.length > limit + 1) break;
  }
  const wanted = newest ? folded.slice(-limit) : folded.slice(0, limit);
  const rows = wanted.map((candle) => foldedRow(candle, chunk!));
  return type === 'market' ? rows : rows.map((row) => ({ ...row, volume: '0', turnover: '0' }));
}

/** Ascending. */
export function* firstOpensOf(
  pages: Pages,
  series: readonly [category: string, symbol: string, width: string],
  from: number,
  until: number,
): Read<number[]> {
  const rows = yield* pages.rows(
    `SELECT first_open FROM generated_candles WHERE category = ? AND symbol = ? AND width = ?
       AND first_open < ? AND last_open >= ? ORDER BY first_open`,
    ...[...series, until, from],
  );
  return rows.map(([firstOpen]) => Number(firstOpen));
}

function* readChunk(
  pages: Pages,
  category: CategoryName,
  symbol: string,
  interval: GeneratedInterval,
  firstOpen: number,
): Read<GeneratedCandles> {
  const values = [category, symbol, interval, firstOpen] as const;
  const row =
    pages.generated === undefined ? yield* chunkRow(pages, values) : pages.generated.chunk(...values);
  const [pricePrecision, quantityPrecision, archive] = row!.slice(-3);
  return {
    category,
    symbol,
    interval,
    firstOpen,
    pricePrecision: Number(pricePrecision),
    quantityPrecision: Number(quantityPrecision),
    ...decodeGenerated(inflateRawSync(archive as Uint8Array)),
  };
}

/** Throws DamagedRow. */
export function* chunkRow(
  pages: Pages,
  values: readonly [category: string, symbol: string, width: string, firstOpen: number],
): Read<Row | undefined> {
  const [row] = yield* pages.records(GENERATED_CANDLES, { text: GENERATED_CANDLES.whereKey, values });
  return row;
}
