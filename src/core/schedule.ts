/** Work that time itself causes, done before the command that brings the time (domain.md 9.3, 9.4). */

import { chargeInterest, INTEREST_MS, mayBearInterest } from './borrowing/interest.ts';
import { settleFunding } from './futures/funding.ts';
import type { FuturesDesk } from './futures/futures-desk.ts';
import type { FuturesMarket } from './futures/futures-market.ts';
import { nextFullHour, recordInsurance } from './futures/insurance-record.ts';
import { runLoanInstants, testLoans } from './loan/loan-desk.ts';
import { CANDLE_WIDTHS } from './market/candle-width.ts';
import { scheduleFunding, takePrices } from './market/prices.ts';
import { runCountdowns } from './orders/cancel.ts';
import { earliestCandleEnd, type Market, type State } from './state.ts';
import type { StrategyDesk } from './strategy/strategy-desk.ts';
import { PRICE_KINDS } from './terms.ts';

/** Moves the clock to `time`; each due instant runs at its own time, in order, whatever the jump. */
export function advance(state: State, time: number, desk: FuturesDesk, strategies: StrategyDesk): void {
  if (time <= state.now) return;
  if (state.nextInsuranceHour === 0) state.nextInsuranceHour = nextFullHour(time);
  // Every full hour after the present one, once: nobody can owe anything before the first account is open.
  let hour =
    state.accountByUid.size === 0
      ? Number.POSITIVE_INFINITY
      : (Math.floor(state.now / INTEREST_MS) + 1) * INTEREST_MS;
  let pricesTaken = false;
  for (;;) {
    const nextLoan = state.loans.nextInstant();
    // Prices told before the jump are seen once before the hours of loans; over these they hold (domain.md 9.4).
    const prices = nextLoan > time || pricesTaken ? Number.POSITIVE_INFINITY : state.nextSecond;
    const due = Math.min(
      state.nextCandleEnd,
      state.nextCountdown,
      state.nextFunding,
      state.nextDelivery,
      state.nextInsuranceHour,
      nextLoan,
      prices,
      hour,
    );
    if (due > time) break;
    if (due > state.now) state.now = due;
    if (state.nextInsuranceHour <= state.now) recordInsurance(state);
    const interest = hour <= state.now && mayBearInterest(state);
    // First, so that what is sampled or traded at this instant falls into the next candles.
    if (state.nextCandleEnd <= state.now) closeCandles(state);
    if (Math.min(state.nextFunding, state.nextDelivery, prices) <= state.now || interest)
      takeSecond(state, desk, strategies);
    if (prices <= state.now) pricesTaken = true;
    if (state.nextFunding <= state.now) settleDueFunding(state, desk);
    if (interest) {
      chargeInterest(state);
      desk.settleTouched();
    }
    if (hour <= state.now) hour += INTEREST_MS;
    if (state.loans.nextInstant() <= state.now) chargeLoans(state, desk);
    if (state.nextDelivery <= state.now) desk.deliverDue();
    strategies.settle();
    if (state.nextCountdown <= state.now) runCountdowns(state);
  }
  state.now = time;
  takeSecond(state, desk, strategies);
}

/** Triggers come before the tests of loans, these before liquidations (domain.md 9.4). */
function takeSecond(state: State, desk: FuturesDesk, strategies: StrategyDesk): void {
  if (state.now < state.nextSecond) return;
  takePrices(state, state.now);
  strategies.afterPrices();
  testLoans(state);
  desk.afterPrices();
  strategies.settle();
}

/** Hours that begin make loans grow, so they are tested at once. */
function chargeLoans(state: State, desk: FuturesDesk): void {
  runLoanInstants(state);
  testLoans(state);
  desk.settleTouched();
}

function settleDueFunding(state: State, desk: FuturesDesk): void {
  for (const market of state.markets) {
    const { futures } = market;
    if (futures === undefined || futures.nextFunding > state.now) continue;
    futures.nextFunding += futures.terms.fundIntervalMs;
    settleFunding(state, market);
  }
  scheduleFunding(state);
  desk.settleTouched();
}

function closeCandles(state: State): void {
  state.nextCandleEnd = Number.POSITIVE_INFINITY;
  for (const market of state.markets) {
    closeMarketCandles(state, market);
    if (market.futures !== undefined) closePriceCandles(state, market.futures);
    state.nextCandleEnd = Math.min(state.nextCandleEnd, earliestCandleEnd(market));
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

function closePriceCandles(state: State, { instrument, candles }: FuturesMarket): void {
  for (const kind of PRICE_KINDS) {
    candles[kind].closeUntil(state.now, (width, candle) => {
      state.events.push({
        type: 'priceCandle',
        kind,
        instrument: instrument.index,
        width: CANDLE_WIDTHS[width]!,
        openTime: candle.openTime,
        openTicks: candle.openTicks,
        highTicks: candle.highTicks,
        lowTicks: candle.lowTicks,
        closeTicks: candle.closeTicks,
      });
    });
  }
}
