/** Work that time itself causes, done before the command that brings the time (domain.md 9.3, 9.4). */
import { runCountdowns } from './cancel.ts';
import { CANDLE_WIDTHS } from './candle-width.ts';
import { takePrices } from './prices.ts';
import type { Market, State } from './state.ts';

/** Moves the clock to `time`; each due instant runs at its own time, in order, whatever the jump. */
export function advance(state: State, time: number): void {
  if (time <= state.now) return;
  for (;;) {
    const due = Math.min(state.nextCandleEnd, state.nextCountdown);
    if (due > time) break;
    if (due > state.now) state.now = due;
    if (state.nextCandleEnd <= state.now) closeCandles(state);
    if (state.nextCountdown <= state.now) runCountdowns(state);
  }
  state.now = time;
  if (time >= state.nextSecond) takePrices(state, time);
}

function closeCandles(state: State): void {
  state.nextCandleEnd = Number.POSITIVE_INFINITY;
  for (const market of state.markets) {
    closeMarketCandles(state, market);
    state.nextCandleEnd = Math.min(state.nextCandleEnd, market.candles.earliestEnd());
  }
}

function closeMarketCandles(state: State, market: Market): void {
  market.candles.closeUntil(state.now, (width, candle) => {
    state.events.push({
      type: 'candle',
      instrument: market.instrument,
      width: CANDLE_WIDTHS[width]!,
      openTime: candle.openTime,
      openTicks: candle.openTicks,
      highTicks: candle.highTicks,
      lowTicks: candle.lowTicks,
      closeTicks: candle.closeTicks,
      volumeLots: candle.volumeLots,
      turnover: candle.turnover,
    });
  });
}
