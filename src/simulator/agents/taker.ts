/**
 * Takers: orders at random times, more of them when prices move and after other trades, mostly small and sometimes
 * large. They buy a little more often below the fair price and sell above, and half of them are retail orders.
 */
import { Side, Source } from '../../core/model/enums.ts';
import type { AgentClient } from '../agent-client.ts';
import { clamp, exp } from '../deterministic-math.ts';
import type { InstrumentView } from '../instrument-view.ts';
import { TAKES_PER_STEP_MAX } from '../limits.ts';
import { Rng } from '../rng.ts';
import type { Agent } from './agent.ts';

/** Median size over the depth, and the spread of its logarithm. */
const MEDIAN_SHARE = 0.0025;
const SIZE_DEVIATION = 1.15;
const SHARE_MAX = 0.12;
/** Price limit beyond the best price, in half spreads. */
const REACH = 8;
const RETAIL_SHARE = 0.45;
/** Largest futures position, in depths. */
const POSITION_DEPTHS = 0.5;
const FIRST_ORDER_MS = 1500;
/** A best level of this share of the depth is a wall, and attracts orders this many times larger. */
const WALL_SHARE = 0.3;
const WALL_APPETITE = 5;

interface ArrivalProcess {
  readonly view: InstrumentView;
  readonly meanMs: number;
  dueMs: number;
}

export class Taker implements Agent {
  readonly kind = 'taker';
  readonly name: string;
  readonly uid: number;
  private readonly rng: Rng;
  private readonly arrivals: ArrivalProcess[] = [];

  /** This agent makes `share` of the trades of each book. */
  constructor(uid: number, number: number, views: readonly InstrumentView[], share: number, seed: number) {
    this.uid = uid;
    this.name = `taker:${number}`;
    this.rng = new Rng(seed, this.name);
    for (const view of views) {
      const perMinute = view.parameters.tradesPerMinute * view.activityLevel.activity * share;
      if (perMinute > 0) this.arrivals.push({ view, meanMs: 60_000 / perMinute, dueMs: 0 });
    }
  }

  act(client: AgentClient): void {
    for (const arrival of this.arrivals) {
      if (arrival.dueMs === 0) arrival.dueMs = client.now + this.rng.below(FIRST_ORDER_MS);
      for (let n = 0; n < TAKES_PER_STEP_MAX && arrival.dueMs <= client.now; n++) {
        arrival.dueMs += this.rng.exponential(arrival.meanMs / arrival.view.arrivalRateFactor);
        this.trade(client, arrival.view);
      }
      // Orders that fell into a long pause are skipped.
      if (arrival.dueMs <= client.now) arrival.dueMs = client.now + this.rng.exponential(arrival.meanMs);
    }
  }

  private trade(client: AgentClient, view: InstrumentView): void {
    const { rng } = this;
    const share = Math.min(SHARE_MAX, MEDIAN_SHARE * exp(SIZE_DEVIATION * rng.normal()));
    const cheap = clamp((view.fairTicks - view.middleTicks) / (4 * view.halfSpreadTicks), -1, 1);
    const position = client.position(this.uid, view) / (POSITION_DEPTHS * view.depthLots);
    const wall = this.wall(view);
    const side = rng.chance(0.5 + 0.3 * cheap - 0.3 * wall - 0.4 * clamp(position, -1, 1))
      ? Side.buy
      : Side.sell;
    const retail = rng.chance(RETAIL_SHARE);
    if (!client.hasCapacity || !view.isOpen(client.now)) return;
    const reach = (REACH * view.halfSpreadTicks) / view.fairTicks;
    const lots = view.depthLots * share * (1 + WALL_APPETITE * Math.abs(wall));
    client.placeIoc(this.uid, view, side, lots, reach, retail ? Source.retail : Source.api);
    view.exciteArrivals(0.08);
  }

  /** Large traders wait for large orders: 1 when the best bid is huge, -1 when the best ask is. */
  private wall(view: InstrumentView): number {
    const usual = view.depthLots * WALL_SHARE;
    return clamp((view.bestLots(Side.buy) - view.bestLots(Side.sell)) / usual, -1, 1) ** 3;
  }
}
