/**
 * Candles without gaps (rules 8.2): stored ones, the running one, flat ones between. They are assembled in the
 * history's thread and leave as text: a thousand rows cost the main thread no more than one.
 */
import { candleIntervalIndex, candleOpen, nextCandleOpen } from '../core/model/candle-interval.ts';
import {
  type CandleRow,
  type CandleView,
  candleView,
  flatCandle,
  joinCandles,
} from '../views/candle-view.ts';
import type { CandleQuery, CandleSeries, GaplessCandleQuery } from './history.ts';
import type { Read } from './read.ts';

interface StoredCandles {
  candles(query: CandleQuery): Read<CandleRow[]>;
  lastCandleBefore(series: CandleSeries, openTime: number): Read<CandleRow | undefined>;
  generatedPart(series: CandleSeries, openTime: number): Read<CandleRow | undefined>;
}

export function* gaplessCandles(stored: StoredCandles, query: GaplessCandleQuery): Read<CandleView[]> {
  const { series, running, limit } = query;
  const interval = candleIntervalIndex(series.interval);
  const last = candleOpen(interval, Math.min(query.endTime ?? query.now, query.now));
  let first = query.startTime === undefined ? 0 : firstOpenAt(interval, query.startTime);
  const onlyStart = query.startTime !== undefined && query.endTime === undefined;
  if (!onlyStart) first = Math.max(first, stepsBack(interval, last, limit - 1));

  let before = yield* stored.lastCandleBefore(series, first);
  if (before === undefined && onlyStart) {
    // There were no trades before the start: the earliest candles are those from the first trade on.
    const oldest = { ...series, startTime: first, limit: 1, from: 'oldest' } as const;
    const [earliest] = yield* stored.candles(oldest);
    first = earliest?.openTime ?? running?.openTime ?? last + 1;
  }
  const from = onlyStart ? 'oldest' : 'newest';
  const rows = new Map<number, CandleRow>();
  for (const row of yield* stored.candles({ ...series, startTime: first, endTime: last, limit, from }))
    rows.set(row.openTime, row);
  if (running !== undefined) {
    // The interval in which the exchange started has a generated part before the first trade. A stored candle may
    // also have ended since the running one was read, and contains it already.
    const { openTime } = running;
    const part = rows.has(openTime) ? yield* stored.generatedPart(series, openTime) : undefined;
    rows.set(openTime, part === undefined ? running : joinCandles(part, running));
  }

  const run: CandleView[] = [];
  for (let open = first; open <= last && run.length < limit; open = nextCandleOpen(interval, open)) {
    const row: CandleRow | undefined = rows.get(open) ?? (before && flatCandle(open, before.close));
    if (row === undefined) continue;
    run.push(candleView(row));
    before = row;
  }
  return run;
}

/** First open time at or after `time`. */
function firstOpenAt(interval: number, time: number): number {
  const open = candleOpen(interval, time);
  return open === time ? open : nextCandleOpen(interval, open);
}

function stepsBack(interval: number, open: number, steps: number): number {
  let at = open;
  for (let n = 0; n < steps && at > 0; n++) at = candleOpen(interval, at - 1);
  return at;
}
