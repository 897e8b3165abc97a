/**
 * Prices that somebody waits for, on one side of the market: a rising ladder rings when the price reaches up to a
 * step, a falling one when it comes down to it. What comes next is one comparison away however many wait; adding and
 * removing cost six steps of the price index.
 */
import { NO_LEVEL, PriceIndex } from '../book/price-index.ts';

/** One thing that waits for a price. Alarms of one step are chained. */
export class Trigger {
  readonly fire: (ticks: number) => void;
  /** Where it is set; undefined while it is not. */
  ladder: TriggerLadder | undefined;
  level = NO_LEVEL;
  next: Trigger | undefined;
  previous: Trigger | undefined;

  constructor(fire: (ticks: number) => void) {
    this.fire = fire;
  }

  /** Takes it off its ladder; one that is not set stays so. */
  unset(): void {
    this.ladder?.remove(this);
  }
}

export class TriggerLadder {
  private readonly rising: boolean;
  private readonly index = new PriceIndex();
  private readonly prices: number[] = [];
  private readonly heads: (Trigger | undefined)[] = [];
  private readonly freeLevels: number[] = [];
  /** The price that rings next; one that no price reaches when nobody waits. */
  nearestTicks: number;

  constructor(rising: boolean) {
    this.rising = rising;
    this.nearestTicks = this.nothing;
  }

  add(alarm: Trigger, ticks: number): void {
    let level = this.index.find(ticks);
    if (level === NO_LEVEL) {
      level = this.freeLevels.pop() ?? this.prices.length;
      this.prices[level] = ticks;
      this.heads[level] = undefined;
      this.index.insert(ticks, level);
      if (this.rising ? ticks < this.nearestTicks : ticks > this.nearestTicks) this.nearestTicks = ticks;
    }
    const head = this.heads[level];
    alarm.ladder = this;
    alarm.level = level;
    alarm.previous = undefined;
    alarm.next = head;
    if (head !== undefined) head.previous = alarm;
    this.heads[level] = alarm;
  }

  remove(alarm: Trigger): void {
    const { level, next, previous } = alarm;
    alarm.ladder = undefined;
    if (next !== undefined) next.previous = previous;
    if (previous !== undefined) previous.next = next;
    else if (next !== undefined) this.heads[level] = next;
    else this.closeLevel(level);
  }

  /** Rings everything at the nearest price, which `ticks` has reached. */
  fireNearest(ticks: number): void {
    const level = this.index.find(this.nearestTicks);
    const ringing: Trigger[] = [];
    for (let alarm = this.heads[level]; alarm !== undefined; alarm = alarm.next) {
      alarm.ladder = undefined;
      ringing.push(alarm);
    }
    this.closeLevel(level);
    for (const alarm of ringing) alarm.fire(ticks);
  }

  private closeLevel(level: number): void {
    const ticks = this.prices[level]!;
    this.heads[level] = undefined;
    this.index.remove(ticks);
    this.freeLevels.push(level);
    if (ticks !== this.nearestTicks) return;
    const further = this.rising ? this.index.above(ticks) : this.index.below(ticks);
    this.nearestTicks = further === NO_LEVEL ? this.nothing : this.prices[further]!;
  }

  private get nothing(): number {
    return this.rising ? Number.POSITIVE_INFINITY : 0;
  }
}
