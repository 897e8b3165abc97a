/** Prices by the clock (rules 5.13, 5.14, 9.3): indices and marks each second, samples at their intervals. */

import { updateShortfalls } from '../margin/clearing-shortfall.ts';
import { sampleCoinPrices } from '../margin/collateral.ts';
import { updatePaused } from '../margin/silent-index.ts';
import { sampleStablecoinPrices } from '../margin/stablecoin-prices.ts';
import { WEIGHTS_MS } from '../marketdata/index-price.ts';
import { type ComponentPrice, EVERY_COMPONENT } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { InstrumentStatus } from '../model/enums.ts';
import { MONEY_MAX } from '../model/limits.ts';
import { RejectReason } from '../model/reject-reason.ts';
import type { Market } from '../state/market.ts';
import type { InstantPrices } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { nextFundingTime, scheduleFunding } from '../state/timers.ts';
import { BookSamples } from './book-samples.ts';

const SECOND_MS = 1000;
const BASIS_MS = 5000;
const PREMIUM_MS = 60_000;
/** A move of more than one part in so many is a jump. */
const JUMP_SHARE = 1000;

export function onComponentPrice(state: State, command: ComponentPrice): CommandResult {
  const index = state.indices[command.index];
  const { component, price, volume } = command;
  const every = component === EVERY_COMPONENT;
  if (index === undefined || (!every && index.components[component] === undefined))
    return rejected(RejectReason.unknownInstrument);
  if (price <= 0n || price > MONEY_MAX || volume < 0n || volume > MONEY_MAX)
    return rejected(RejectReason.amountOutOfRange);
  const reported = every ? index.components.keys() : [component];
  // Only commands of an operator carry a name.
  const byOperator = (command.by ?? '') !== '';
  for (const each of reported) index.report(each, price, volume, state.now, byOperator);
  return OK;
}

/**
 * Samples all prices, at the last whole second by `now`. Over skipped seconds (the venue was down) prices kept their last
 * value; the samples of those seconds are added afterwards (rules 9.4).
 */
export function samplePrices(state: State, now: number): void {
  const second = Math.floor(now / SECOND_MS) * SECOND_MS;
  const before = state.nextSecond - SECOND_MS;
  state.nextSecond = second + SECOND_MS;
  const samples = new BookSamples(state);
  const pricesBefore = state.rules.riskPortions ? presentPrices(state) : undefined;
  if (second - before > SECOND_MS) {
    for (const market of state.markets) {
      if (market.futures !== undefined) backfillSamples(samples, market, before, second);
    }
  }
  if (crossed(before, second, WEIGHTS_MS)) for (const index of state.indices) index.reweigh();
  const seconds = (second - before) / SECOND_MS;
  for (const index of state.indices) {
    if (state.rules.livePrices) index.updateLive(second, seconds);
    else index.update(second);
  }
  if (state.rules.stablecoinPrices) sampleStablecoinPrices(state, second, seconds);
  sampleCoinPrices(state);
  for (const market of state.markets) {
    const { futures, day } = market;
    if (futures === undefined) continue;
    if (futures.nextFunding === Number.POSITIVE_INFINITY) {
      futures.nextFunding = nextFundingTime(futures.interval.ms, second);
    }
    if (second % BASIS_MS === 0) samples.basis(market, second);
    futures.sampleSettlement(second);
    futures.updateMark(second, state.rules.backedBooks ? futures.sizableLast(second) : day.lastTicks);
    const live = state.instruments[market.instrument]!.status !== InstrumentStatus.offline;
    if (live) candleEnds(state, futures.sampleCandles(second));
    if (second % PREMIUM_MS !== 0) continue;
    samples.premium(market);
    if (live) candleEnds(state, futures.samplePremiumCandle(second));
  }
  state.priceVersion++;
  state.pricesJumped = pricesBefore !== undefined && haveJumped(pricesBefore, presentPrices(state));
  updateShortfalls(state, true);
  updatePaused(state, second);
  scheduleFunding(state);
}

function presentPrices({ markets, coinPrices }: State): InstantPrices {
  // The price of a contract without positions concerns no account.
  const marks = markets.map(({ futures, holders }) => (holders.size === 0 ? 0 : (futures?.markTicks ?? 0)));
  return { marks, coins: coinPrices };
}

/** Has a price moved by more than a thousandth of what it is now, appeared or gone (rules 18.1)? */
function haveJumped(before: InstantPrices, now: InstantPrices): boolean {
  return (
    now.marks.some((ticks, n) => JUMP_SHARE * Math.abs(ticks - (before.marks[n] ?? 0)) > ticks) ||
    now.coins.some((price, n) => {
      const change = price - (before.coins[n] ?? 0n);
      return BigInt(JUMP_SHARE) * (change < 0n ? -change : change) > price;
    })
  );
}

/**
 * Adds the samples due between two sampled seconds. Book and index did not change in between; samples end when the index
 * became stale.
 */
function backfillSamples(samples: BookSamples, market: Market, before: number, second: number): void {
  const { index } = market.futures!;
  if (index.stale) return;
  const until = Math.min(second, index.freshUntil);
  const first = (Math.floor(before / BASIS_MS) + 1) * BASIS_MS;
  for (let n = 0; n < boundariesBetween(before, until, BASIS_MS); n++)
    samples.basis(market, first + n * BASIS_MS);
  for (let n = boundariesBetween(before, until, PREMIUM_MS); n > 0; n--) samples.premium(market);
}

/** How many boundaries of the interval lie after `before` and before `until`? */
function boundariesBetween(before: number, until: number, intervalMs: number): number {
  return Math.max(0, Math.ceil(until / intervalMs) - 1 - Math.floor(before / intervalMs));
}

function candleEnds(state: State, end: number): void {
  if (end < state.nextCandleEnd) state.nextCandleEnd = end;
}

/** Did a boundary of the interval lie after `before` and not after `now`? */
function crossed(before: number, now: number, intervalMs: number): boolean {
  return Math.floor(now / intervalMs) > Math.floor(before / intervalMs);
}
