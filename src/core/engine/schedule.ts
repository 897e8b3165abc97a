/** Work that time itself causes, done before the command that brings the time (rules 9.3, 9.4). */

import { chargeInterest, debtsOf, INTEREST_MS, mayBearInterest } from '../borrowing/interest.ts';
import { settleFunding } from '../futures/funding.ts';
import { switchStatus } from '../listing/listing.ts';
import { dueStatusChanges, scheduleCalendar } from '../listing/status-calendar.ts';
import { accrueDue, checkLoans } from '../loan/loan-servicing.ts';
import { nextFullHour, recordInsurance } from '../margin/insurance-record.ts';
import type { FuturesMarket } from '../marketdata/futures-market.ts';
import { CANDLE_WIDTHS } from '../model/candle-interval.ts';
import { InstrumentStatus, PRICE_KINDS } from '../model/enums.ts';
import { runCountdowns } from '../orders/cancel.ts';
import { earliestCandleEnd, type Market, type State } from '../state/state.ts';
import { scheduleFunding } from '../state/timers.ts';
import { samplePrices } from './price-tick.ts';
import type { RiskEngine } from './risk-engine.ts';
import type { TriggerEngine } from './trigger-engine.ts';

/** Moves the clock to `time`; each due instant runs at its own time, in order, whatever the jump. */
export function advanceTo(
  state: State,
  time: number,
  riskEngine: RiskEngine,
  strategies: TriggerEngine,
): void {
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
    if (state.nextCalendarTime <= state.now) applyDueStatusChanges(state, riskEngine);
    const interest = hour <= state.now && mayBearInterest(state);
    // First, so that what is sampled or traded at this instant falls into the next candles.
    if (state.nextCandleEnd <= state.now) closeCandles(state);
    const needsPrices = Math.min(state.nextFunding, state.nextDelivery, prices) <= state.now || interest;
    const taken = needsPrices && samplePricesIfDue(state);
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
      accrueDue(state);
    }
    if (state.nextDelivery <= state.now) riskEngine.deliverDue();
    runRiskAndTriggers(state, riskEngine, strategies, taken, charged);
    if (state.nextCountdown <= state.now) runCountdowns(state);
  }
  state.now = time;
  if (samplePricesIfDue(state)) runRiskAndTriggers(state, riskEngine, strategies, true, false);
}

/** True when the prices of a new second were taken. */
function samplePricesIfDue(state: State): boolean {
  if (state.now < state.nextSecond) return false;
  samplePrices(state, state.now);
  return true;
}

/**
 * What the work of an instant leads to, after all of it is done (rules 9.4): triggers, then tests of loans, then
 * liquidations. At the instant of its delivery a contract is settled before anybody could be liquidated on it.
 */
function runRiskAndTriggers(
  state: State,
  riskEngine: RiskEngine,
  strategies: TriggerEngine,
  pricesTaken: boolean,
  loansGrew: boolean,
): void {
  if (pricesTaken) strategies.onPrices();
  if (pricesTaken || loansGrew) checkLoans(state);
  if (pricesTaken) riskEngine.onPrices();
  else riskEngine.processDirtyAccounts();
  strategies.settle();
}

function applyDueStatusChanges(state: State, riskEngine: RiskEngine): void {
  for (const { instrument, status } of dueStatusChanges(state)) {
    switchStatus(state, instrument, status);
    if (status === InstrumentStatus.offline) riskEngine.delist(instrument.index);
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
