/** Generated candles of one book: the coins' paths in its ticks, ending at the price at which its market begins. */
import {
  GENERATED_STEP_MS,
  type GeneratedCandles,
  type GeneratedInterval,
} from '../../history/generated-candles.ts';
import { clamp, exp, expSmall, log } from '../deterministic-math.ts';
import { Rng } from '../rng.ts';
import type { PastBook } from './backfill.ts';
import { type Paths, POINTS } from './coin-paths.ts';

/** Mean size of a taker's order over the depth, and the increase of their number by excitement. */
const MEAN_SHARE = 0.005;
const EXCITED = 2.2;
const HOUR_MS = 3_600_000;
/** Share of the usual volume by hour of the day, UTC: Asia, Europe, then both sides of the Atlantic. */
const HOURS = [
  0.9, 0.95, 0.9, 0.85, 0.8, 0.75, 0.8, 0.95, 1.05, 1.05, 1, 1, 1.05, 1.3, 1.5, 1.5, 1.35, 1.2, 1.05, 1, 0.95,
  0.9, 0.85, 0.85,
] as const;
/** Candles per stored chunk. */
const CHUNK_CANDLES: Readonly<Record<GeneratedInterval, number>> = { '1m': 1440, '1H': 720 };

/** `endTime` is a whole minute; nothing is generated before `startTime`. */
export function bookBackfill(
  view: PastBook,
  paths: Paths,
  seed: number,
  startTime: number,
  endTime: number,
): GeneratedCandles[] {
  const book = new BookBackfill(view, paths, seed);
  const minutes = book.candles('1m', paths.minuteVolatility, endTime);
  const minuteStart = endTime - paths.minuteVolatility.length * 60_000;
  const early = book.candles('1H', paths.hourVolatility, minuteStart);
  const hours = early === undefined ? folded(minutes!, endTime) : joined(early, folded(minutes!, endTime));
  return [...chunks(minutes!, startTime), ...chunks(hours, startTime)];
}

class BookBackfill {
  private readonly view: PastBook;
  private readonly paths: Paths;
  private readonly rng: Rng;
  constructor(view: PastBook, paths: Paths, seed: number) {
    this.view = view;
    this.paths = paths;
    this.rng = new Rng(seed, `past ${view.name}`);
  }

  candles(
    interval: GeneratedInterval,
    volatility: Float64Array,
    endTime: number,
  ): GeneratedCandles | undefined {
    const { view, rng } = this;
    const count = volatility.length;
    if (count === 0) return undefined;
    const step = GENERATED_STEP_MS[interval];
    const firstOpen = endTime - count * step;
    const levels = this.levels(interval === '1m' ? this.paths.minutes : this.paths.hours);
    const half = view.halfSpreadTicks;
    const { tickStep, lotStep, minLots } = view.instrument;
    const perInterval =
      view.depthLots * MEAN_SHARE * view.parameters.tradesPerMinute * EXCITED * (step / 60_000);
    const ticks = new Int32Array(count * 4);
    const lots = new Float64Array(count);
    const grid = (value: number) => Math.max(tickStep, Math.round(value / tickStep) * tickStep);
    let price = exp(levels[0]!);
    let open = grid(price);
    for (let n = 0; n < count; n++) {
      const from = levels[n * POINTS]!;
      let high = from;
      let low = from;
      for (let at = n * POINTS + 1; at <= (n + 1) * POINTS; at++) {
        const level = levels[at]!;
        if (level > high) high = level;
        if (level < low) low = level;
      }
      const after = price * expSmall(levels[(n + 1) * POINTS]! - from);
      const close = grid(after + rng.between(-half, half));
      const top = Math.max(open, close, grid(price * expSmall(high - from) + half * rng.next()));
      const bottom = Math.min(open, close, grid(price * expSmall(low - from) - half * rng.next()));
      ticks[n * 4] = open;
      ticks[n * 4 + 1] = top;
      ticks[n * 4 + 2] = bottom;
      ticks[n * 4 + 3] = close;
      const hour = HOURS[Math.floor((firstOpen + n * step) / HOUR_MS) % 24]!;
      const busy = hour * clamp(volatility[n]!, 0.3, 4) * exp(0.45 * rng.normal() - 0.1);
      lots[n] = Math.max(minLots, lotStep, Math.round((perInterval * busy) / lotStep) * lotStep);
      open = close;
      price = after;
    }
    const { category, symbol } = view.instrument.spec;
    const { pricePrecision, quantityPrecision } = view.instrument;
    return { category, symbol, interval, firstOpen, pricePrecision, quantityPrecision, ticks, lots };
  }

  /** Logarithms of the book's price in ticks, shifted so that the last minute ends at the fair price. */
  private levels(source: ReadonlyMap<string, Float64Array>): Float64Array {
    const { baseCoin, quoteCoin } = this.view.instrument.spec;
    const { minutes } = this.paths;
    const end = minutes.get(baseCoin)!.at(-1)! - (minutes.get(quoteCoin)?.at(-1) ?? 0);
    const shift = log(this.view.fairTicks) - end;
    const quote = source.get(quoteCoin);
    return source.get(baseCoin)!.map((level, at) => level - (quote?.[at] ?? 0) + shift);
  }
}

/** Whole hours from minutes; the last may be a part of one. */
function folded(minutes: GeneratedCandles, endTime: number): GeneratedCandles {
  const firstOpen = Math.ceil(minutes.firstOpen / HOUR_MS) * HOUR_MS;
  const count = Math.ceil((endTime - firstOpen) / HOUR_MS);
  const ticks = new Int32Array(count * 4);
  const lots = new Float64Array(count);
  const skipped = (firstOpen - minutes.firstOpen) / 60_000;
  for (let hour = 0; hour < count; hour++) {
    const from = skipped + hour * 60;
    const until = Math.min(from + 60, minutes.lots.length);
    let high = 0;
    let low = Number.POSITIVE_INFINITY;
    for (let n = from; n < until; n++) {
      high = Math.max(high, minutes.ticks[4 * n + 1]!);
      low = Math.min(low, minutes.ticks[4 * n + 2]!);
      lots[hour]! += minutes.lots[n]!;
    }
    ticks.set([minutes.ticks[4 * from]!, high, low, minutes.ticks[4 * until - 1]!], hour * 4);
  }
  return { ...minutes, interval: '1H', firstOpen, ticks, lots };
}

function joined(early: GeneratedCandles, late: GeneratedCandles): GeneratedCandles {
  const ticks = new Int32Array(early.ticks.length + late.ticks.length);
  const lots = new Float64Array(early.lots.length + late.lots.length);
  ticks.set(early.ticks);
  ticks.set(late.ticks, early.ticks.length);
  // The last hour before the minutes closes at their open.
  const seam = early.ticks.length - 4;
  const close = late.ticks[0]!;
  ticks[seam + 1] = Math.max(ticks[seam + 1]!, close);
  ticks[seam + 2] = Math.min(ticks[seam + 2]!, close);
  ticks[seam + 3] = close;
  lots.set(early.lots);
  lots.set(late.lots, early.lots.length);
  return { ...early, ticks, lots };
}

function* chunks(candles: GeneratedCandles, startTime: number): Generator<GeneratedCandles> {
  const { interval, firstOpen, ticks, lots } = candles;
  const step = GENERATED_STEP_MS[interval];
  const first = Math.max(0, Math.ceil((startTime - firstOpen) / step));
  for (let from = first; from < lots.length; from += CHUNK_CANDLES[interval]) {
    const until = Math.min(from + CHUNK_CANDLES[interval], lots.length);
    yield {
      ...candles,
      firstOpen: firstOpen + from * step,
      ticks: ticks.slice(from * 4, until * 4),
      lots: lots.slice(from, until),
    };
  }
}
