/** Scheduled work, done before the command whose time makes it due (rules 9.3, 9.4). */

import { chargeInterest, debtsOf, INTEREST_MS, mayBearInterest } from '../borrowing/interest.ts';
import { settleFunding } from '../futures/funding.ts';
import { switchStatus } from '../listing/listing.ts';
import { dueStatusChanges, scheduleCalendar } from '../listing/status-calendar.ts';
import { accrueDue } from '../loan/loan-servicing.ts';
import { updateShortfalls } from '../margin/clearing-shortfall.ts';
import { nextFullHour, recordInsurance } from '../margin/insurance-record.ts';
import type { FuturesMarket } from '../marketdata/futures-market.ts';
import { CANDLE_INTERVALS } from '../model/candle-interval.ts';
import { InstrumentStatus, PRICE_KINDS } from '../model/enums.ts';
import { assert } from '../model/units.ts';
import { earliestCandleEnd, type Market } from '../state/market.ts';
import type { State } from '../state/state.ts';
import { nextFundingTime, scheduleFunding } from '../state/timers.ts';
import type { Cancellations } from './cancellations.ts';
import type { Portions } from './portions.ts';
import { samplePrices } from './price-tick.ts';
import type { RiskEngine } from './risk-engine.ts';
import type { TriggerEngine } from './trigger-engine.ts';

/** Work of one kind. A row without `due` is done at every instant at which another row was due. */
interface Timer {
  readonly due?: (schedule: Schedule) => number;
  readonly run: (schedule: Schedule) => void;
}

/** In the order of work at one instant (rules 9.4). */
const TIMERS: readonly Timer[] = [
  // Insurance record
  { due: ({ state }) => state.nextInsuranceHour, run: ({ state }) => recordInsurance(state) },
  // Instrument times
  {
    due: ({ state }) => state.nextCalendarTime,
    run: (schedule) => schedule.changeStatus(),
  },
  // Ends of candles, before prices and trades of this instant, which belong to the next candles
  { due: ({ state }) => state.nextCandleEnd, run: ({ state }) => closeCandles(state) },
  // Prices, as far as the work of this instant needs them
  { due: (schedule) => schedule.pricesDue(), run: (schedule) => schedule.samplePricesOfInstant() },
  { due: ({ state }) => state.nextFunding, run: (schedule) => schedule.settleFunding() },
  { due: ({ interestHour }) => interestHour, run: (schedule) => schedule.chargeInterest() },
  // Loan hours
  { due: ({ state }) => state.loans.nextInstant(), run: (schedule) => schedule.accrueLoans() },
  // A contract is settled before accounts could be liquidated on it at the instant of its delivery
  { due: ({ state }) => state.nextDelivery, run: (schedule) => schedule.deliverDue() },
  // Triggers by the mark, loan checks, liquidation checks
  { run: (schedule) => schedule.runRiskAndTriggers() },
  { due: ({ state }) => state.nextCountdown, run: ({ cancellations }) => cancellations.runCountdowns() },
];

export class Schedule {
  readonly state: State;
  readonly riskEngine: RiskEngine;
  private readonly triggers: TriggerEngine;
  private readonly portions: Portions;
  readonly cancellations: Cancellations;
  /** The time that the clock moves to. */
  private target = 0;
  /** The next full hour, at which debts bear interest. */
  interestHour = 0;
  /** The prices of before the move were sampled. */
  private sampledBefore = false;
  /** Of the present instant: prices were sampled, debts bear interest, debts before funding, loans grew. */
  private sampled = false;
  private bearsInterest = false;
  private debtsBeforeFunding: ReturnType<typeof debtsOf> | undefined;
  private loansGrew = false;
  private hourOpened = false;

  constructor(
    state: State,
    riskEngine: RiskEngine,
    triggers: TriggerEngine,
    portions: Portions,
    cancellations: Cancellations,
  ) {
    this.state = state;
    this.riskEngine = riskEngine;
    this.triggers = triggers;
    this.portions = portions;
    this.cancellations = cancellations;
  }

  /** Moves the clock to `time`. Each due instant is worked at its own time, in order, however far the clock moves. */
  advanceTo(time: number): void {
    const { state } = this;
    if (time <= state.now) return;
    if (state.nextInsuranceHour === 0) state.nextInsuranceHour = nextFullHour(time);
    this.target = time;
    this.sampledBefore = false;
    // There are no debts before the first account is open.
    this.interestHour =
      state.accountByUid.size === 0
        ? Number.POSITIVE_INFINITY
        : (Math.floor(state.now / INTEREST_MS) + 1) * INTEREST_MS;
    for (let instant = this.nextInstant(); instant <= time; instant = this.nextInstant()) {
      let earliest = Number.POSITIVE_INFINITY;
      for (const { due } of TIMERS) if (due !== undefined) earliest = Math.min(earliest, due(this));
      assert(earliest === instant, 'the next instant is the earliest of the table');
      if (this.portions.isOverdue(instant) || this.needsEverybody(instant)) this.finishWork();
      if (instant > state.now) state.now = instant;
      this.workInstant();
    }
    if (this.portions.isOverdue(time)) this.finishWork();
    state.now = time;
    this.sampled = samplePricesIfDue(state);
    this.loansGrew = false;
    if (this.sampled) this.runRiskAndTriggers();
  }

  /** The earliest `due` of the table, written out because every command needs it. */
  private nextInstant(): number {
    const { state } = this;
    const nextLoan = state.loans.nextInstant();
    return Math.min(
      state.nextInsuranceHour,
      state.nextCalendarTime,
      state.nextCandleEnd,
      nextLoan <= this.target ? this.loanPricesDue() : Number.POSITIVE_INFINITY,
      state.nextFunding,
      this.interestHour,
      nextLoan,
      state.nextDelivery,
      state.nextCountdown,
    );
  }

  /** Does the instant bring another hour? What is open is done before. */
  private needsEverybody(instant: number): boolean {
    return Math.min(this.state.nextFunding, this.interestHour) <= instant;
  }

  private finishWork(): void {
    if (this.state.works.length === 0) return;
    this.portions.finish();
    this.riskEngine.processDirtyAccounts();
    this.triggers.runUntilIdle();
  }

  private workInstant(): void {
    const { state } = this;
    this.sampled = false;
    this.hourOpened = false;
    this.bearsInterest = false;
    this.debtsBeforeFunding = undefined;
    this.loansGrew = false;
    for (const { due, run } of TIMERS) if (due === undefined || due(this) <= state.now) run(this);
    if (state.clearingChanged) updateShortfalls(state, false);
    state.ledger.recordDebtPeaks();
  }

  /** When prices are needed next: for the work of an instant, and for loans (`loanPricesDue`). */
  pricesDue(): number {
    const { state } = this;
    return Math.min(state.nextFunding, state.nextDelivery, this.interestHour, this.loanPricesDue());
  }

  /** Prices reported before the move are sampled once before the hours of loans; over these they hold (rules 9.4). */
  private loanPricesDue(): number {
    const { state } = this;
    const isNeeded = !this.sampledBefore && state.loans.nextInstant() <= this.target;
    return isNeeded ? state.nextSecond : Number.POSITIVE_INFINITY;
  }

  changeStatus(): void {
    const { state } = this;
    for (const { instrument, status } of dueStatusChanges(state)) {
      switchStatus(state, instrument, status);
      if (status !== InstrumentStatus.offline) continue;
      if (state.rules.portions) this.portions.delist(instrument.index);
      else this.riskEngine.delist(instrument.index);
    }
    scheduleCalendar(state);
  }

  samplePricesOfInstant(): void {
    const { state } = this;
    const { now } = state;
    this.bearsInterest = this.interestHour <= now && mayBearInterest(state);
    const forLoans = this.loanPricesDue() <= now;
    if (forLoans || this.bearsInterest || state.nextFunding <= now || state.nextDelivery <= now)
      this.sampled = samplePricesIfDue(state);
    if (forLoans) this.sampledBefore = true;
  }

  settleFunding(): void {
    if (this.state.rules.portions) {
      this.openHour();
      return;
    }
    // A debt that funding makes bears interest from the next hour on.
    if (this.bearsInterest) this.debtsBeforeFunding = debtsOf(this.state);
    settleDueFunding(this.state);
  }

  chargeInterest(): void {
    const { state } = this;
    const inPortions = state.rules.portions && this.bearsInterest;
    if (inPortions && !this.hourOpened) this.portions.openHour([], true);
    if (this.bearsInterest && !inPortions) chargeInterest(state, this.debtsBeforeFunding);
    if (!inPortions) state.ledger.beginPeaks();
    this.interestHour += INTEREST_MS;
  }

  /** Funding and interest of the hour together: an account is settled with both at once (rules 14.3). */
  private openHour(): void {
    const { state } = this;
    const due = state.markets.filter(({ futures }) => (futures?.nextFunding ?? Infinity) <= state.now);
    this.portions.openHour(due, this.bearsInterest);
    for (const { futures } of due)
      futures!.nextFunding = nextFundingTime(futures!.interval.ms, futures!.nextFunding);
    scheduleFunding(state);
    this.hourOpened = true;
  }

  deliverDue(): void {
    if (this.state.rules.portions) this.portions.deliverDue();
    else this.riskEngine.deliverDue();
  }

  /** An hour that begins makes loans grow, so they are checked at once, by prices that may be stale by then. */
  accrueLoans(): void {
    const { state } = this;
    for (const index of state.indices) index.age(state.now);
    accrueDue(state);
    this.loansGrew = true;
  }

  runRiskAndTriggers(): void {
    const { riskEngine, triggers, sampled } = this;
    if (sampled) riskEngine.notePrices();
    if (sampled) triggers.onPrices();
    if (sampled || this.loansGrew) riskEngine.checkLoans();
    if (sampled) riskEngine.onPrices();
    else riskEngine.processDirtyAccounts();
    triggers.runUntilIdle();
  }
}

/** True when the prices of a new second were sampled: they wait for nothing, least of all for open work (rules 14.3). */
function samplePricesIfDue(state: State): boolean {
  if (state.now < state.nextSecond) return false;
  samplePrices(state, state.now);
  return true;
}

function settleDueFunding(state: State): void {
  for (const market of state.markets) {
    const { futures } = market;
    if (futures === undefined || futures.nextFunding > state.now) continue;
    settleFunding(state, market);
    futures.nextFunding = nextFundingTime(futures.interval.ms, futures.nextFunding);
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
  market.candles.closeUntil(state.now, (interval, candle) => {
    state.emit({
      type: 'candle',
      instrument: market.instrument,
      interval: CANDLE_INTERVALS[interval]!,
      openTime: candle.openTime,
      openTicks: candle.openTicks,
      highTicks: candle.highTicks,
      lowTicks: candle.lowTicks,
      closeTicks: candle.closeTicks,
      volumeLots: candle.volumeLots,
      turnover: BigInt(candle.turnover),
    });
  });
}

function closePriceCandles(state: State, { instrument, candles }: FuturesMarket): void {
  for (const kind of PRICE_KINDS) {
    candles[kind].closeUntil(state.now, (interval, candle) => {
      state.emit({
        type: 'priceCandle',
        kind,
        instrument: instrument.index,
        interval: CANDLE_INTERVALS[interval]!,
        openTime: candle.openTime,
        openTicks: candle.openTicks,
        highTicks: candle.highTicks,
        lowTicks: candle.lowTicks,
        closeTicks: candle.closeTicks,
      });
    });
  }
}
