/** Looks at every open book once a logical second and counts what is not as it should be. */

import { Side } from '../../src/core/model/enums.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import type { State } from '../../src/core/state/state.ts';
import type { InstrumentView } from '../../src/simulator/instrument-view.ts';
import type { MarketSimulator } from '../../src/simulator/market-simulator.ts';

/** Last and mark may be so far from the index, as a fraction; delivery contracts carry interest to their day. */
const DISTANCE_MAX = 0.005;
const CARRY_DISTANCE_MAX = 0.04;
/** Depth is counted this far from the middle. */
const DEPTH_WITHIN = 0.01;
const FUNDING_MAX = 3_000_000_000n;
const FUNDING_AFTER_MS = 61_000;

export interface BookCount {
  readonly view: InstrumentView;
  samples: number;
  oneSided: number;
  tooWide: number;
  tooThin: number;
  lastOff: number;
  markOff: number;
  spreadSum: number;
  depthSum: number;
  worstSpreadBps: number;
  readonly firstVolume: number;
  volume: number;
  readonly prices: Set<number>;
  zeroRates: number;
  wildRates: number;
}

export class Sampler {
  readonly books: BookCount[];
  samples = 0;
  private readonly state: State;
  private readonly market: MarketSimulator;
  private readonly startMs: number;

  constructor(state: State, market: MarketSimulator) {
    this.state = state;
    this.market = market;
    this.startMs = state.now;
    this.books = market.views.map((view) => ({
      view,
      samples: 0,
      oneSided: 0,
      tooWide: 0,
      tooThin: 0,
      lastOff: 0,
      markOff: 0,
      spreadSum: 0,
      depthSum: 0,
      worstSpreadBps: 0,
      firstVolume: view.market.day.statistics(state.now).volumeLots,
      volume: 0,
      prices: new Set(),
      zeroRates: 0,
      wildRates: 0,
    }));
  }

  sample(): void {
    this.samples++;
    for (const book of this.books) if (book.view.isOpen(this.state.now)) this.look(book);
  }

  private look(book: BookCount): void {
    const { view } = book;
    const { day, futures } = view.market;
    book.samples++;
    const bid = view.best(Side.buy);
    const ask = view.best(Side.sell);
    if (bid === 0 || ask === 0) {
      book.oneSided++;
      return;
    }
    const middle = (bid + ask) / 2;
    const spreadBps = ((ask - bid) / middle) * 10_000;
    const stepBps = (view.instrument.tickStep / middle) * 10_000;
    const widest = Math.max(view.parameters.maxSpreadBps * view.activityLevel.spread, 3.01 * stepBps);
    if (spreadBps > widest) book.tooWide++;
    book.spreadSum += spreadBps;
    book.worstSpreadBps = Math.max(book.worstSpreadBps, spreadBps);
    const depth = Math.min(depthOf(view, Side.buy, middle), depthOf(view, Side.sell, middle));
    book.depthSum += depth;
    if (depth < view.parameters.minDepth) book.tooThin++;
    const index = futures?.indexTicks ?? view.fairTicks;
    const allowed = view.instrument.futures?.delivery === undefined ? DISTANCE_MAX : CARRY_DISTANCE_MAX;
    if (day.lastTicks !== 0 && Math.abs(day.lastTicks / index - 1) > allowed) book.lastOff++;
    if (futures !== undefined && Math.abs(futures.markTicks / index - 1) > allowed) book.markOff++;
    book.volume = day.statistics(this.state.now).volumeLots;
    if (book.prices.size < 1000) book.prices.add(day.lastTicks);
    if (futures === undefined || view.instrument.futures?.delivery !== undefined) return;
    if (this.state.now - this.startMs < FUNDING_AFTER_MS) return;
    if (futures.rate === 0n) book.zeroRates++;
    if (futures.rate > FUNDING_MAX || futures.rate < -FUNDING_MAX) book.wildRates++;
  }

  /** Orders that agents could not place for want of money. */
  get outOfMoney(): number {
    const { refusals } = this.market.client;
    return (
      (refusals.get(RejectReason.insufficientBalance) ?? 0) +
      (refusals.get(RejectReason.insufficientMargin) ?? 0)
    );
  }
}

function depthOf(view: InstrumentView, side: Side, middle: number): number {
  let value = 0;
  view.market.book.eachLevel(side, (ticks, normalLots) => {
    if (Math.abs(ticks / middle - 1) > DEPTH_WITHIN) return false;
    value += ticks * normalLots * view.tickLotValue;
    return true;
  });
  return value;
}
