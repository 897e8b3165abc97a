/**
 * Triggers ordered by price, on one side of the market: those of a rising ladder fire when the price rises to theirs,
 * those of a falling one when it falls to it. Finding the next costs one comparison, whatever their number; adding and
 * removing cost six steps of the price index.
 */
import { NO_LEVEL, PriceIndex } from '../book/price-index.ts';
import type { StrategyOrder } from './strategy-order.ts';

/** What happens when the price of a trigger is reached. Triggers share it: ten thousand may wait, each for an order. */
export type OnReach = (ticks: number, trigger: Trigger) => void;

/** A callback for a price. Triggers of one price form a linked list. */
export class Trigger {
  readonly fire: OnReach;
  /** Of the order it is set for: a bit of `StrategyOrder.hits`. */
  readonly bit: number;
  readonly order: StrategyOrder | undefined;
  /** The ladder it is set on; undefined while it is not set. */
  ladder: TriggerLadder | undefined;
  level = NO_LEVEL;
  next: Trigger | undefined;
  previous: Trigger | undefined;

  constructor(fire: OnReach, order?: StrategyOrder, bit = 0) {
    this.fire = fire;
    this.order = order;
    this.bit = bit;
  }

  /** Removes it from its ladder, if it is set. */
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
  /** The price that fires next; one that no price reaches when the ladder is empty. */
  nearestTicks: number;

  constructor(rising: boolean) {
    this.rising = rising;
    this.nearestTicks = this.nothing;
  }

  add(trigger: Trigger, ticks: number): void {
    let level = this.index.find(ticks);
    if (level === NO_LEVEL) {
      level = this.freeLevels.pop() ?? this.prices.length;
      this.prices[level] = ticks;
      this.heads[level] = undefined;
      this.index.insert(ticks, level);
      if (this.rising ? ticks < this.nearestTicks : ticks > this.nearestTicks) this.nearestTicks = ticks;
    }
    const head = this.heads[level];
    trigger.ladder = this;
    trigger.level = level;
    trigger.previous = undefined;
    trigger.next = head;
    if (head !== undefined) head.previous = trigger;
    this.heads[level] = trigger;
  }

  remove(trigger: Trigger): void {
    const { level, next, previous } = trigger;
    trigger.ladder = undefined;
    if (next !== undefined) next.previous = previous;
    if (previous !== undefined) previous.next = next;
    else if (next !== undefined) this.heads[level] = next;
    else this.closeLevel(level);
  }

  /** Fires all triggers at the nearest price, which `ticks` has reached. */
  fireNearest(ticks: number): void {
    const level = this.index.find(this.nearestTicks);
    const fired: Trigger[] = [];
    for (let trigger = this.heads[level]; trigger !== undefined; trigger = trigger.next) {
      trigger.ladder = undefined;
      fired.push(trigger);
    }
    this.closeLevel(level);
    for (const trigger of fired) trigger.fire(ticks, trigger);
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
