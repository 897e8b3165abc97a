/**
 * Present volatility of a price relative to its usual one. It depends on the price alone, so it works for synthetic,
 * replayed and live prices alike.
 */
import { clamp, decay, log } from './deterministic-math.ts';

const YEAR_S = 365 * 86_400;
/** Moves are measured over spans long enough that differences between components hardly count. */
const STRETCH_S = 30;
const HALF_LIFE_S = 300;
/** One jump counts as no more than this many usual moves; it raises activity for minutes. */
const MOVE_MAX = 12;
/** Bounds of activity: it never stops, and stays within what makers can serve. */
const ACTIVITY_MIN = 0.35;
const ACTIVITY_MAX = 3;
/** Mean of the absolute value of a normal variable of deviation one. */
const MEAN_ABSOLUTE = Math.sqrt(2 / Math.PI);

export class RelativeVolatility {
  /** Mean relative move in one second of a usual day; moves grow with the root of time. */
  private readonly usualMove: number;
  private present = 1;
  private fromPrice = 0;
  private seconds = 0;

  /** `volatility` is the usual one of a year. */
  constructor(volatility: number) {
    this.usualMove = (volatility * MEAN_ABSOLUTE) / Math.sqrt(YEAR_S);
  }

  observe(price: number, seconds: number): void {
    if (this.fromPrice === 0) {
      this.fromPrice = price;
      return;
    }
    this.seconds += seconds;
    if (this.seconds < STRETCH_S) return;
    const usual = this.usualMove * Math.sqrt(this.seconds);
    const move = usual === 0 ? 1 : Math.min(MOVE_MAX, Math.abs(log(price / this.fromPrice)) / usual);
    this.present += (move - this.present) * (1 - decay(this.seconds, HALF_LIFE_S));
    this.fromPrice = price;
    this.seconds = 0;
  }

  /** Number of traders relative to the usual: volatility attracts them. */
  get activityFactor(): number {
    return clamp(this.present, ACTIVITY_MIN, ACTIVITY_MAX);
  }
}
