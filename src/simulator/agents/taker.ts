/**
 * The crowd that takes: orders at random times, more of them when prices move and when others trade, mostly small and
 * sometimes large. It buys a little more often below the fair price and sells above, and half of it comes from the web
 * page.
 */
import { Side, Source } from '../../core/model/enums.ts';
import type { Desk } from '../instrument-view.ts';
import { Dice } from '../rng.ts';
import type { Floor } from '../agent-client.ts';
import { TAKES_PER_WAKE_MAX } from '../limits.ts';
import { clamp, exp } from '../deterministic-math.ts';
import type { Agent } from './agent.ts';

/** Median size over the depth, and the spread of its logarithm. */
const MEDIAN_SHARE = 0.0025;
const SIZE_DEVIATION = 1.15;
const SHARE_MAX = 0.12;
/** How far beyond the best price it goes, in half spreads. */
const REACH = 8;
const RETAIL_SHARE = 0.45;
/** Futures positions it does not grow beyond, in depths. */
const POSITION_DEPTHS = 0.5;
const FIRST_ORDER_MS = 1500;
/** A best level of this share of the depth is a wall, and draws orders so many times larger. */
const WALL_SHARE = 0.3;
const WALL_APPETITE = 5;

interface Stall {
  readonly desk: Desk;
  readonly meanMs: number;
  dueMs: number;
}

export class Taker implements Agent {
  readonly kind = 'taker';
  readonly name: string;
  readonly uid: number;
  private readonly dice: Dice;
  private readonly stalls: Stall[] = [];

  /** `share` of the trades of each book are this one's. */
  constructor(uid: number, number: number, desks: readonly Desk[], share: number, seed: number) {
    this.uid = uid;
    this.name = `taker:${number}`;
    this.dice = new Dice(seed, this.name);
    for (const desk of desks) {
      const perMinute = desk.knobs.tradesPerMinute * desk.liveliness.activity * share;
      if (perMinute > 0) this.stalls.push({ desk, meanMs: 60_000 / perMinute, dueMs: 0 });
    }
  }

  act(floor: Floor): void {
    for (const stall of this.stalls) {
      if (stall.dueMs === 0) stall.dueMs = floor.now + this.dice.below(FIRST_ORDER_MS);
      for (let n = 0; n < TAKES_PER_WAKE_MAX && stall.dueMs <= floor.now; n++) {
        stall.dueMs += this.dice.exponential(stall.meanMs / stall.desk.bustle);
        this.take(floor, stall.desk);
      }
      // Orders that a long pause would have brought stay away.
      if (stall.dueMs <= floor.now) stall.dueMs = floor.now + this.dice.exponential(stall.meanMs);
    }
  }

  private take(floor: Floor, desk: Desk): void {
    const { dice } = this;
    const share = Math.min(SHARE_MAX, MEDIAN_SHARE * exp(SIZE_DEVIATION * dice.normal()));
    const cheap = clamp((desk.fairTicks - desk.middleTicks) / (4 * desk.halfSpreadTicks), -1, 1);
    const position = floor.position(this.uid, desk) / (POSITION_DEPTHS * desk.depthLots);
    const wall = this.wall(desk);
    const side = dice.chance(0.5 + 0.3 * cheap - 0.3 * wall - 0.4 * clamp(position, -1, 1))
      ? Side.buy
      : Side.sell;
    const retail = dice.chance(RETAIL_SHARE);
    if (!floor.hasRoom || !desk.isOpen(floor.now)) return;
    const reach = (REACH * desk.halfSpreadTicks) / desk.fairTicks;
    const lots = desk.depthLots * share * (1 + WALL_APPETITE * Math.abs(wall));
    floor.take(this.uid, desk, side, lots, reach, retail ? Source.retail : Source.api);
    desk.excite(0.08);
  }

  /** Who has much to trade waits for somebody large: 1 when the best bid is huge, -1 when the best ask is. */
  private wall(desk: Desk): number {
    const usual = desk.depthLots * WALL_SHARE;
    return clamp((desk.bestLots(Side.buy) - desk.bestLots(Side.sell)) / usual, -1, 1) ** 3;
  }
}
