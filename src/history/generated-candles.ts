/**
 * Generated candles and funding rates from before the first start, in tables apart from the real ones. Candles are stored as
 * chunks of minutes and of hours; longer intervals are aggregated from these on reading, so a month of minutes for every book
 * costs megabytes, not hundreds.
 */
import { type CandleInterval, candleIntervalIndex, candleOpen } from '../core/model/candle-interval.ts';
import { formatUnits } from '../core/model/units.ts';
import { type CandleRow, joinCandles } from '../views/candle-view.ts';

const GENERATED_INTERVALS = ['1m', '1H'] as const;
export type GeneratedInterval = (typeof GENERATED_INTERVALS)[number];
export const GENERATED_STEP_MS: Readonly<Record<GeneratedInterval, number>> = {
  '1m': 60_000,
  '1H': 3_600_000,
};

/** Consecutive candles of one book, each with trades. */
export interface GeneratedCandles {
  readonly category: string;
  readonly symbol: string;
  readonly interval: GeneratedInterval;
  readonly firstOpen: number;
  readonly pricePrecision: number;
  readonly quantityPrecision: number;
  /** Open, high, low and close of each candle, in ticks. */
  readonly ticks: Int32Array;
  /** Volume of each candle. */
  readonly lots: Float64Array;
}

/** Generated funding rates of one perpetual. */
export interface GeneratedFunding {
  readonly category: string;
  readonly symbol: string;
  readonly rates: readonly GeneratedRate[];
}

export interface GeneratedRate {
  readonly time: number;
  readonly fundingRate: string;
}

/** What is generated of one book: stored as a whole or not at all. */
export interface GeneratedPast {
  readonly candles: readonly GeneratedCandles[];
  /** Funding rates of a perpetual, all older than its first settlement. */
  readonly funding?: GeneratedFunding | undefined;
}

/** Rows that it makes. */
export function generatedRows({ candles, funding }: GeneratedPast): number {
  return candles.length + (funding?.rates.length ?? 0);
}

/** The generated interval that a longer one is aggregated from. */
export function generatedIntervalFor(interval: CandleInterval): GeneratedInterval {
  return candleIntervalIndex(interval) < candleIntervalIndex('1H') ? '1m' : '1H';
}

export function encodeGenerated({ ticks, lots }: GeneratedCandles): Uint8Array {
  const bytes = new Uint8Array(ticks.byteLength + lots.byteLength);
  bytes.set(new Uint8Array(lots.buffer, lots.byteOffset, lots.byteLength));
  bytes.set(new Uint8Array(ticks.buffer, ticks.byteOffset, ticks.byteLength), lots.byteLength);
  return bytes;
}

export function decodeGenerated(encoded: Uint8Array): Pick<GeneratedCandles, 'ticks' | 'lots'> {
  // A copy: a buffer may begin at any offset, and typed arrays need alignment.
  const bytes = new Uint8Array(encoded);
  const count = bytes.byteLength / 24;
  return {
    lots: new Float64Array(bytes.buffer, 0, count),
    ticks: new Int32Array(bytes.buffer, count * 8, count * 4),
  };
}

/** A candle of a longer interval, in ticks and lots. */
export interface Folded {
  readonly openTime: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  lots: number;
  /** Lots times a price between low and high. */
  value: number;
}

/** Candles of an interval whose open time lies between the bounds, ascending. */
export function foldGenerated(
  { interval: from, firstOpen, ticks, lots }: GeneratedCandles,
  interval: CandleInterval,
  startTime: number,
  endTime: number,
): Folded[] {
  const index = candleIntervalIndex(interval);
  const step = GENERATED_STEP_MS[from];
  const folded: Folded[] = [];
  for (let n = 0; n < lots.length; n++) {
    const openTime = candleOpen(index, firstOpen + n * step);
    if (openTime < startTime || openTime > endTime) continue;
    const open = ticks[4 * n]!;
    const high = ticks[4 * n + 1]!;
    const low = ticks[4 * n + 2]!;
    const close = ticks[4 * n + 3]!;
    const value = lots[n]! * Math.round((open + high + low + close) / 4);
    add(folded, { openTime, open, high, low, close, lots: lots[n]!, value });
  }
  return folded;
}

/** Consecutive chunks may each hold a part of the candle between them. */
export function joinFolded(earlier: readonly Folded[], later: readonly Folded[]): Folded[] {
  const [edge, ...rest] = later;
  const joined = [...earlier];
  if (edge !== undefined) add(joined, edge);
  return joined.concat(rest);
}

function add(folded: Folded[], part: Folded): void {
  const last = folded.at(-1);
  if (last === undefined || last.openTime !== part.openTime) {
    folded.push(part);
    return;
  }
  last.high = Math.max(last.high, part.high);
  last.low = Math.min(last.low, part.low);
  last.close = part.close;
  last.lots += part.lots;
  last.value += part.value;
}

export function foldedRow(
  candle: Folded,
  { pricePrecision, quantityPrecision }: Pick<GeneratedCandles, 'pricePrecision' | 'quantityPrecision'>,
): CandleRow {
  const price = (ticks: number) => formatUnits(BigInt(ticks), pricePrecision);
  return {
    openTime: candle.openTime,
    open: price(candle.open),
    high: price(candle.high),
    low: price(candle.low),
    close: price(candle.close),
    volume: formatUnits(BigInt(candle.lots), quantityPrecision),
    turnover: formatUnits(BigInt(candle.value), pricePrecision + quantityPrecision),
  };
}

/** Real candles with the generated ones before them; the interval in which the exchange started has a part of each. */
export function mergeCandles(generated: readonly CandleRow[], real: readonly CandleRow[]): CandleRow[] {
  const rows = new Map(generated.map((row) => [row.openTime, row]));
  for (const row of real) {
    const before = rows.get(row.openTime);
    rows.set(row.openTime, before === undefined ? row : joinCandles(before, row));
  }
  return [...rows.values()].sort((a, b) => a.openTime - b.openTime);
}
