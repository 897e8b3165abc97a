/** Prices by the clock (rules 5.13, 5.14, 9.3): indices and marks each second, samples at their intervals. */

import type { Book } from '../book/book.ts';
import { watchShortfalls } from '../margin/clearing-shortfall.ts';
import { takeCoinPrices } from '../margin/collateral.ts';
import type { FuturesMarket } from '../marketdata/futures-market.ts';
import { WEIGHTS_MS } from '../marketdata/index-price.ts';
import { type ComponentPrice, EVERY_COMPONENT } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { InstrumentStatus } from '../model/enums.ts';
import { MONEY_MAX } from '../model/limits.ts';
import { RejectReason } from '../model/reject-reason.ts';
import type { State } from '../state/state.ts';
import { scheduleFunding } from '../state/timers.ts';

const SECOND_MS = 1000;
const BASIS_MS = 5000;
const PREMIUM_MS = 60_000;

export function onComponentPrice(state: State, command: ComponentPrice): CommandResult {
  const index = state.indices[command.index];
  const { component, price, volume } = command;
  const every = component === EVERY_COMPONENT;
  if (index === undefined || (!every && index.components[component] === undefined))
    return rejected(RejectReason.unknownInstrument);
  if (price <= 0n || price > MONEY_MAX || volume < 0n || volume > MONEY_MAX)
    return rejected(RejectReason.amountOutOfRange);
  const told = every ? index.components.keys() : [component];
  // Only what the operator tells carries a name.
  const vouched = (command.by ?? '') !== '';
  for (const each of told) index.report(each, price, volume, state.now, vouched);
  return OK;
}

/**
 * The work of a second, at the last whole second by `now`. Over seconds that nobody saw pass (the venue was down) prices
 * held their last value; the samples of those seconds are made up for (rules 9.4).
 */
export function samplePrices(state: State, now: number): void {
  const second = Math.floor(now / SECOND_MS) * SECOND_MS;
  const before = state.nextSecond - SECOND_MS;
  state.nextSecond = second + SECOND_MS;
  if (second - before > SECOND_MS) {
    for (const { futures, book } of state.markets) {
      if (futures !== undefined) backfillSamples(futures, book, before, second);
    }
  }
  if (crossed(before, second, WEIGHTS_MS)) for (const index of state.indices) index.reweigh();
  for (const index of state.indices) index.update(second);
  takeCoinPrices(state);
  for (const market of state.markets) {
    const { futures, book, day } = market;
    if (futures === undefined) continue;
    if (futures.nextFunding === Number.POSITIVE_INFINITY) {
      futures.nextFunding = nextFunding(futures.terms.fundIntervalMs, second);
    }
    if (second % BASIS_MS === 0) futures.sampleBasis(book);
    futures.sampleSettlement(second);
    futures.updateMark(second, day.lastTicks);
    const live = state.instruments[market.instrument]!.status !== InstrumentStatus.offline;
    if (live) candleEnds(state, futures.sampleCandles(second));
    if (second % PREMIUM_MS !== 0) continue;
    futures.samplePremium(book);
    if (live) candleEnds(state, futures.samplePremiumCandle(second));
  }
  state.priceVersion++;
  watchShortfalls(state, true);
  scheduleFunding(state);
}

/**
 * The samples that fell between two seconds that were seen. Book and index stood still, so there are no more of them
 * than until the index grew old.
 */
function backfillSamples(futures: FuturesMarket, book: Book, before: number, second: number): void {
  if (futures.index.stale) return;
  const until = Math.min(second, futures.index.freshUntil);
  for (let n = boundariesBetween(before, until, BASIS_MS); n > 0; n--) futures.sampleBasis(book);
  for (let n = boundariesBetween(before, until, PREMIUM_MS); n > 0; n--) futures.samplePremium(book);
}

/** How many boundaries of the interval lie after `before` and before `until`? */
function boundariesBetween(before: number, until: number, intervalMs: number): number {
  return Math.max(0, Math.ceil(until / intervalMs) - 1 - Math.floor(before / intervalMs));
}

function candleEnds(state: State, end: number): void {
  if (end < state.nextCandleEnd) state.nextCandleEnd = end;
}

/** UTC multiples of the interval; delivery contracts have none. */
function nextFunding(intervalMs: number, now: number): number {
  return intervalMs === 0 ? Number.POSITIVE_INFINITY : (Math.floor(now / intervalMs) + 1) * intervalMs;
}

/** Did a boundary of the interval lie after `before` and not after `now`? */
function crossed(before: number, now: number, intervalMs: number): boolean {
  return Math.floor(now / intervalMs) > Math.floor(before / intervalMs);
}
