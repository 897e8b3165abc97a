/** Queries for candles, including the running one. */

import { CANDLE_INTERVALS, type CandleInterval } from '../../../core/model/candle-interval.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { runningCandle, runningPriceCandle } from '../../../core/reads/reads.ts';
import type { State } from '../../../core/state/state.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { type CandleRow, type CandleType, candleRow, priceCandleRow } from '../../../views/candle-view.ts';

export const CANDLES_MAX = 1000;
export const INTERVAL_RULE = `interval must be one of ${CANDLE_INTERVALS.join(', ')}`;

/** `1m` and `1M` differ by case alone, so an exact name comes first (wire 3.1). */
export function readInterval(text: string): CandleInterval | undefined {
  const exact = CANDLE_INTERVALS.find((interval) => interval === text);
  if (exact !== undefined) return exact;
  return CANDLE_INTERVALS.find(
    (interval) => interval.toLowerCase() === text.toLowerCase() && !/m/i.test(interval.slice(0, 3)),
  );
}

export interface CandleRequest {
  readonly instrument: Instrument;
  readonly type: CandleType;
  readonly interval: CandleInterval;
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
  readonly limit: number;
}

/** JSON of a list of `CandleView`, oldest first, without gaps. */
export async function readCandles(sequencer: Sequencer, request: CandleRequest): Promise<string> {
  const { instrument, type, interval, startTime, endTime, limit } = request;
  const { state, history } = sequencer;
  // MARGIN reads the candles of the SPOT book it shares.
  const traded = state.instruments[state.market(instrument).instrument]!;
  const series = { category: traded.spec.category, symbol: traded.symbol, type, interval };
  const now = state.now;
  const running = runningRow(state, traded, type, interval);
  await sequencer.durable();
  return history.gaplessCandles({ series, running, now, startTime, endTime, limit });
}

function runningRow(
  state: State,
  instrument: Instrument,
  type: CandleType,
  interval: CandleInterval,
): CandleRow | undefined {
  if (type === 'market') {
    const candle = runningCandle(state, instrument, interval);
    return candle && candleRow(candle, instrument);
  }
  const candle = runningPriceCandle(state, instrument, type, interval);
  return candle && priceCandleRow(candle, type, instrument);
}
