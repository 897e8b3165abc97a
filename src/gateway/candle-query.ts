/** A run of candles without gaps (domain.md 8.2): stored ones, the running one, flat ones between. */

import type { Instrument } from '../core/instrument.ts';
import {
  CANDLE_WIDTHS,
  type CandleWidth,
  candleOpen,
  candleWidthIndex,
  nextCandleOpen,
} from '../core/market/candle-width.ts';
import { runningCandle, runningPriceCandle } from '../core/reads.ts';
import type { State } from '../core/state.ts';
import {
  type CandleRow,
  type CandleType,
  type CandleView,
  candleRow,
  candleView,
  flatCandle,
  joinCandles,
  priceCandleRow,
} from '../record/candle-view.ts';
import type { Venue } from '../venue/venue.ts';

export const CANDLES_MAX = 1000;
export const WIDTH_RULE = `interval must be one of ${CANDLE_WIDTHS.join(', ')}`;

/** `1m` and `1M` differ by case alone, so an exact name comes first (wire.md 3.1). */
export function readWidth(text: string): CandleWidth | undefined {
  const exact = CANDLE_WIDTHS.find((width) => width === text);
  if (exact !== undefined) return exact;
  return CANDLE_WIDTHS.find(
    (width) => width.toLowerCase() === text.toLowerCase() && !/m/i.test(width.slice(0, 3)),
  );
}

export interface CandleRequest {
  readonly instrument: Instrument;
  readonly type: CandleType;
  readonly width: CandleWidth;
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
  readonly limit: number;
}

export async function readCandles(venue: Venue, request: CandleRequest): Promise<CandleView[]> {
  const { instrument, type, limit } = request;
  const { state, history } = venue;
  const width = candleWidthIndex(request.width);
  // MARGIN reads the candles of the SPOT book it shares.
  const traded = state.instruments[state.market(instrument).instrument]!;
  const series = { category: traded.spec.category, symbol: traded.symbol, type, width: request.width };
  const now = state.now;
  const running = runningRow(state, traded, type, request.width);
  await venue.settled();

  const last = candleOpen(width, Math.min(request.endTime ?? now, now));
  let first = request.startTime === undefined ? 0 : firstOpenAt(width, request.startTime);
  const onlyStart = request.startTime !== undefined && request.endTime === undefined;
  if (!onlyStart) first = Math.max(first, stepsBack(width, last, limit - 1));

  let before = await history.lastCandleBefore(series, first);
  if (before === undefined && onlyStart) {
    // Nothing traded before the start: the earliest candles are those from the first trade on.
    const [earliest] = await history.candles({ ...series, startTime: first, limit: 1, from: 'oldest' });
    first = earliest?.openTime ?? running?.openTime ?? last + 1;
  }
  const stored = await history.candles({
    ...series,
    startTime: first,
    endTime: last,
    limit,
    from: onlyStart ? 'oldest' : 'newest',
  });
  const rows = new Map(stored.map((row) => [row.openTime, row]));
  if (running !== undefined) {
    // The interval in which the exchange began has a made-up part before the first trade. What is stored may also have
    // ended since the running one was read, and holds it already.
    const part = rows.has(running.openTime)
      ? await history.generatedPart(series, running.openTime)
      : undefined;
    rows.set(running.openTime, part === undefined ? running : joinCandles(part, running));
  }

  const candles: CandleView[] = [];
  for (let open = first; open <= last && candles.length < limit; open = nextCandleOpen(width, open)) {
    const row: CandleRow | undefined = rows.get(open) ?? (before && flatCandle(open, before.close));
    if (row === undefined) continue;
    candles.push(candleView(row));
    before = row;
  }
  return candles;
}

function runningRow(
  state: State,
  instrument: Instrument,
  type: CandleType,
  width: CandleWidth,
): CandleRow | undefined {
  if (type === 'market') {
    const candle = runningCandle(state, instrument, width);
    return candle && candleRow(candle, instrument);
  }
  const candle = runningPriceCandle(state, instrument, type, width);
  return candle && priceCandleRow(candle, type, instrument);
}

/** First open time at or after `time`. */
function firstOpenAt(width: number, time: number): number {
  const open = candleOpen(width, time);
  return open === time ? open : nextCandleOpen(width, open);
}

function stepsBack(width: number, open: number, steps: number): number {
  let at = open;
  for (let n = 0; n < steps && at > 0; n++) at = candleOpen(width, at - 1);
  return at;
}
