/** Work that time itself causes, done before the command that brings the time (rules 9.3, 9.4). */

import { chargeInterest, debtsOf, INTEREST_MS, mayBearInterest } from '../borrowing/interest.ts';
import { settleFunding } from '../futures/funding.ts';
import type { FuturesDesk } from './risk-engine.ts';
import type { FuturesMarket } from '../marketdata/futures-market.ts';
import { dueChanges, scheduleCalendar } from '../listing/status-calendar.ts';
import { nextFullHour, recordInsurance } from '../margin/insurance-record.ts';
import { switchStatus } from '../listing/listing.ts';
import { runLoanInstants, testLoans } from '../loan/loan-servicing.ts';
import { CANDLE_WIDTHS } from '../model/candle-interval.ts';
import { scheduleFunding, takePrices } from './price-tick.ts';
import { runCountdowns } from '../orders/cancel.ts';
import { earliestCandleEnd, type Market, type State } from '../state/state.ts';
import type { StrategyDesk } from './trigger-engine.ts';
import { InstrumentStatus, PRICE_KINDS } from '../model/enums.ts';

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
    // Prices told before the jump are seen once before the hours of loans; over these they hold (rules 9.4).
    const prices = nextLoan > time || pricesTaken ? Number.POSITIVE_INFINITY : state.nextSecond;
    const due = Math.min(
      state.nextCandleEnd,
      state.nextCountdown,
      state.nextFunding,
      state.nextDelivery,
      state.nextCalendarTime,
      state.nextInsuranceHour,
      nextLoan,
      prices,
      hour,
    );
    if (due > time) break;
    if (due > state.now) state.now = due;
    if (state.nextInsuranceHour <= state.now) recordInsurance(state);
    if (state.nextCalendarTime <= state.now) keepCalendar(state, desk);
    const interest = hour <= state.now && mayBearInterest(state);
    // First, so that what is sampled or traded at this instant falls into the next candles.
    if (state.nextCandleEnd <= state.now) closeCandles(state);
    const needsPrices = Math.min(state.nextFunding, state.nextDelivery, prices) <= state.now || interest;
    const taken = needsPrices && takeSecond(state);
    if (prices <= state.now) pricesTaken = true;
    const funding = state.nextFunding <= state.now;
    const debts = interest && funding ? debtsOf(state) : undefined;
    if (funding) settleDueFunding(state);
    if (interest) chargeInterest(state, debts);
    if (hour <= state.now) hour += INTEREST_MS;
    const charged = state.loans.nextInstant() <= state.now;
    // Hours that begin make loans grow, so they are tested at once, by prices that may have grown old on the way.
    if (charged) {
      for (const index of state.indices) index.age(state.now);
      runLoanInstants(state);
    }
    if (state.nextDelivery <= state.now) desk.deliverDue();
    lookAround(state, desk, strategies, taken, charged);
    if (state.nextCountdown <= state.now) runCountdowns(state);
  }
  state.now = time;
  if (takeSecond(state)) lookAround(state, desk, strategies, true, false);
}

/** True when the prices of a new second were taken. */
function takeSecond(state: State): boolean {
  if (state.now < state.nextSecond) return false;
  takePrices(state, state.now);
  return true;
}

/**
 * What the work of an instant leads to, after all of it is done (rules 9.4): triggers, then tests of loans, then
 * liquidations. At the instant of its delivery a contract is settled before anybody could be liquidated on it.
 */
function lookAround(
  state: State,
  desk: FuturesDesk,
  strategies: StrategyDesk,
  pricesTaken: boolean,
  loansGrew: boolean,
): void {
  if (pricesTaken) strategies.afterPrices();
  if (pricesTaken || loansGrew) testLoans(state);
  if (pricesTaken) desk.afterPrices();
  else desk.settleTouched();
  strategies.settle();
}

function keepCalendar(state: State, desk: FuturesDesk): void {
  for (const { instrument, status } of dueChanges(state)) {
    switchStatus(state, instrument, status);
    if (status === InstrumentStatus.offline) desk.delist(instrument.index);
  }
  scheduleCalendar(state);
}

function settleDueFunding(state: State): void {
  for (const market of state.markets) {
    const { futures } = market;
    if (futures === undefined || futures.nextFunding > state.now) continue;
    futures.nextFunding += futures.terms.fundIntervalMs;
    settleFunding(state, market);
  }
  scheduleFunding(state);
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
