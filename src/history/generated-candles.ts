/**
 * A made-up past, kept apart from what happened: packs of minutes and of hours in a table of their own. Longer widths
 * are folded from these when somebody reads, so a month of minutes for every book costs megabytes, not hundreds.
 */
import { type CandleWidth, candleOpen, candleWidthIndex } from '../core/market/candle-width.ts';
import { formatUnits } from '../core/units.ts';
import { type CandleRow, joinCandles } from '../record/candle-view.ts';

const GENERATED_WIDTHS = ['1m', '1H'] as const;
export type GeneratedWidth = (typeof GENERATED_WIDTHS)[number];
export const GENERATED_STEP_MS: Readonly<Record<GeneratedWidth, number>> = { '1m': 60_000, '1H': 3_600_000 };

/** Neighbouring candles of one book, each with trades. */
export interface GeneratedCandles {
  readonly category: string;
  readonly symbol: string;
  readonly width: GeneratedWidth;
  readonly firstOpen: number;
  readonly pricePrecision: number;
  readonly quantityPrecision: number;
  /** Open, high, low and close of each candle, in ticks. */
  readonly ticks: Int32Array;
  /** Volume of each candle. */
  readonly lots: Float64Array;
}

/** What a longer width is folded from. */
export function generatedWidthFor(width: CandleWidth): GeneratedWidth {
  return candleWidthIndex(width) < candleWidthIndex('1H') ? '1m' : '1H';
}

export function packGenerated({ ticks, lots }: GeneratedCandles): Uint8Array {
  const bytes = new Uint8Array(ticks.byteLength + lots.byteLength);
  bytes.set(new Uint8Array(lots.buffer, lots.byteOffset, lots.byteLength));
  bytes.set(new Uint8Array(ticks.buffer, ticks.byteOffset, ticks.byteLength), lots.byteLength);
  return bytes;
}

export function unpackGenerated(packed: Uint8Array): Pick<GeneratedCandles, 'ticks' | 'lots'> {
  // A copy of its own: a buffer may begin anywhere, and numbers must not.
  const bytes = new Uint8Array(packed);
  const count = bytes.byteLength / 24;
  return {
    lots: new Float64Array(bytes.buffer, 0, count),
    ticks: new Int32Array(bytes.buffer, count * 8, count * 4),
  };
}

interface Folded {
  openTime: number;
  open: number;
  high: number;
  low: number;
  close: number;
  lots: number;
  /** Lots times a price between low and high. */
  value: number;
}

/** Candles of a width whose open time lies between the bounds, ascending. */
export function foldGenerated(
  packs: readonly GeneratedCandles[],
  width: CandleWidth,
  startTime: number,
  endTime: number,
): CandleRow[] {
  const index = candleWidthIndex(width);
  const rows: CandleRow[] = [];
  let folded: Folded | undefined;
  let last: GeneratedCandles | undefined;
  const finish = () => {
    if (folded !== undefined && folded.openTime >= startTime && folded.openTime <= endTime) {
      rows.push(rowOf(folded, last!));
    }
  };
  for (const pack of packs) {
    last ??= pack;
    const step = GENERATED_STEP_MS[pack.width];
    for (let n = 0; n < pack.lots.length; n++) {
      const openTime = candleOpen(index, pack.firstOpen + n * step);
      const [open, high, low, close] = pack.ticks.subarray(4 * n, 4 * n + 4) as unknown as [
        number,
        number,
        number,
        number,
      ];
      const lots = pack.lots[n]!;
      if (folded === undefined || folded.openTime !== openTime) {
        finish();
        folded = { openTime, open, high, low, close, lots: 0, value: 0 };
      }
      folded.high = Math.max(folded.high, high);
      folded.low = Math.min(folded.low, low);
      folded.close = close;
      folded.lots += lots;
      folded.value += lots * Math.round((open + high + low + close) / 4);
    }
  }
  finish();
  return rows;
}

function rowOf(candle: Folded, { pricePrecision, quantityPrecision }: GeneratedCandles): CandleRow {
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

/** What happened with what was made up before it; the interval in which the exchange began has a part of each. */
export function mergeCandles(generated: readonly CandleRow[], real: readonly CandleRow[]): CandleRow[] {
  const rows = new Map(generated.map((row) => [row.openTime, row]));
  for (const row of real) {
    const before = rows.get(row.openTime);
    rows.set(row.openTime, before === undefined ? row : joinCandles(before, row));
  }
  return [...rows.values()].sort((a, b) => a.openTime - b.openTime);
}
