/** Prices by the clock (domain.md 5.13, 5.14, 9.3): indices and marks each second, samples at their intervals. */

import { type ComponentPrice, EVERY_COMPONENT } from '../command.ts';
import { takeCoinPrices } from '../futures/collateral.ts';
import { MONEY_MAX } from '../limits.ts';
import { DONE, type Outcome, refused } from '../outcome.ts';
import { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import { InstrumentStatus } from '../terms.ts';
import { WEIGHTS_MS } from './index-price.ts';

const SECOND_MS = 1000;
const BASIS_MS = 5000;
const PREMIUM_MS = 60_000;

export function reportPrice(state: State, command: ComponentPrice): Outcome {
  const index = state.indices[command.index];
  const { component, price, volume } = command;
  const every = component === EVERY_COMPONENT;
  if (index === undefined || (!every && index.components[component] === undefined))
    return refused(Refusal.unknownInstrument);
  if (price <= 0n || price > MONEY_MAX || volume < 0n || volume > MONEY_MAX)
    return refused(Refusal.amountOutOfRange);
  const told = every ? index.components.keys() : [component];
  // Only what the operator tells carries a name.
  const vouched = (command.by ?? '') !== '';
  for (const each of told) index.report(each, price, volume, state.now, vouched);
  return DONE;
}

/**
 * The work of a second, at the last whole second by `now`. Seconds that nobody saw pass (the venue was down) are not
 * made up for: prices held their last value then.
 */
export function takePrices(state: State, now: number): void {
  const second = Math.floor(now / SECOND_MS) * SECOND_MS;
  const before = state.nextSecond - SECOND_MS;
  state.nextSecond = second + SECOND_MS;
  if (crossed(before, second, WEIGHTS_MS)) for (const index of state.indices) index.reweigh();
  for (const index of state.indices) index.update(second);
  takeCoinPrices(state);
  for (const market of state.markets) {
    const { futures, book, day } = market;
    if (futures === undefined) continue;
    if (futures.nextFunding === Number.POSITIVE_INFINITY) {
      futures.nextFunding = nextFunding(futures.terms.fundIntervalMs, second);
    }
    if (crossed(before, second, BASIS_MS)) futures.sampleBasis(book);
    futures.sampleSettlement(second);
    futures.updateMark(second, day.lastTicks);
    const live = state.instruments[market.instrument]!.status !== InstrumentStatus.offline;
    if (live) candleEnds(state, futures.sampleCandles(second));
    if (!crossed(before, second, PREMIUM_MS)) continue;
    futures.samplePremium(book);
    if (live) candleEnds(state, futures.samplePremiumCandle(second));
  }
  state.priceVersion++;
  scheduleFunding(state);
}

function candleEnds(state: State, end: number): void {
  if (end < state.nextCandleEnd) state.nextCandleEnd = end;
}

/** The earliest delivery that is still to come. */
export function scheduleDelivery(state: State): void {
  state.nextDelivery = Number.POSITIVE_INFINITY;
  for (const { futures, instrument } of state.markets) {
    const time = futures?.terms.delivery?.time;
    if (time === undefined || state.instruments[instrument]!.status === InstrumentStatus.offline) continue;
    if (time < state.nextDelivery) state.nextDelivery = time;
  }
}

/** The earliest settlement of any perpetual. */
export function scheduleFunding(state: State): void {
  state.nextFunding = Number.POSITIVE_INFINITY;
  for (const { futures } of state.markets) {
    if (futures !== undefined && futures.nextFunding < state.nextFunding)
      state.nextFunding = futures.nextFunding;
  }
}

/** UTC multiples of the interval; delivery contracts have none. */
function nextFunding(intervalMs: number, now: number): number {
  return intervalMs === 0 ? Number.POSITIVE_INFINITY : (Math.floor(now / intervalMs) + 1) * intervalMs;
}

/** Did a boundary of the interval lie after `before` and not after `now`? */
function crossed(before: number, now: number, intervalMs: number): boolean {
  return Math.floor(now / intervalMs) > Math.floor(before / intervalMs);
}
