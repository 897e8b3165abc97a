/**
 * Triggers ordered by price, on one side of the market: those of a rising ladder fire when the price rises to theirs,
 * those of a falling one when it falls to it. Finding the next costs one comparison, whatever their number; adding and
 * removing cost six steps of the price index.
 */
import { NO_LEVEL, PriceIndex } from '../book/price-index.ts';
import { NO_TRIGGER, type TriggerTable } from './trigger-table.ts';

export class TriggerLadder {
  /** In its table. */
  readonly number: number;
  private readonly table: TriggerTable;
  private readonly rising: boolean;
  private readonly index = new PriceIndex();
  private readonly prices: number[] = [];
  /** The first trigger of each level. */
  private readonly heads: number[] = [];
  private readonly freeLevels: number[] = [];
  /** The price that fires next; one that no price reaches when the ladder is empty. */
  nearestTicks: number;

  constructor(table: TriggerTable, rising: boolean) {
    this.table = table;
    this.rising = rising;
    this.nearestTicks = this.nothing;
    this.number = table.enter(this);
  }

  /** Call only from the table, which knows that it is set. */
  add(trigger: number, ticks: number): void {
    const { table, heads } = this;
    let level = this.index.find(ticks);
    if (level === NO_LEVEL) {
      level = this.freeLevels.pop() ?? this.prices.length;
      this.prices[level] = ticks;
      heads[level] = NO_TRIGGER;
      this.index.insert(ticks, level);
      if (this.rising ? ticks < this.nearestTicks : ticks > this.nearestTicks) this.nearestTicks = ticks;
    }
    const head = heads[level]!;
    table.level[trigger] = level;
    table.previous[trigger] = NO_TRIGGER;
    table.next[trigger] = head;
    if (head !== NO_TRIGGER) table.previous[head] = trigger;
    heads[level] = trigger;
  }

  /** Call only from the table. */
  remove(trigger: number): void {
    const { table } = this;
    const level = table.level[trigger]!;
    const next = table.next[trigger]!;
    const previous = table.previous[trigger]!;
    if (next !== NO_TRIGGER) table.previous[next] = previous;
    if (previous !== NO_TRIGGER) table.next[previous] = next;
    else if (next !== NO_TRIGGER) this.heads[level] = next;
    else this.closeLevel(level);
  }

  /** Fires all triggers that `ticks` has reached. They may set others that it reaches too. */
  fire(ticks: number): void {
    const levels = this.index.take(ticks, this.rising);
    const heads = levels.map((level) => this.heads[level]!);
    for (const level of levels) this.freeLevels.push(level);
    this.nearestTicks = this.beyond(ticks);
    this.table.fire(heads, ticks);
  }

  private closeLevel(level: number): void {
    const ticks = this.prices[level]!;
    this.index.remove(ticks);
    this.freeLevels.push(level);
    if (ticks === this.nearestTicks) this.nearestTicks = this.beyond(ticks);
  }

  private beyond(ticks: number): number {
    const further = this.rising ? this.index.above(ticks) : this.index.below(ticks);
    return further === NO_LEVEL ? this.nothing : this.prices[further]!;
  }

  private get nothing(): number {
    return this.rising ? Number.POSITIVE_INFINITY : 0;
  }
}
