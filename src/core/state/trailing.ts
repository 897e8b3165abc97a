/**
 * Active trailing orders of one price and one side (rules 3.4). Those that have seen the same best price form a
 * group: a new best price moves the whole group in one step and merges it with groups it reaches, so orders are not
 * updated one by one. In a group the smallest callback fires first.
 */

import { Side } from '../model/enums.ts';
import { PRICE_TICKS_MAX } from '../model/limits.ts';
import type { StrategyOrder } from './strategy-order.ts';
import type { TriggerLadder } from './trigger-ladder.ts';
import { HIT_TRIGGER, NO_ORDER, type OnReach, type TriggerTable, triggerOf } from './trigger-table.ts';

const MILLION = 1_000_000;
/** What a snapshot keeps of an extreme. Far below it no price of an order reaches the triggers of a group any more. */
const EXTREME_TICKS_MAX = 2 ** 31 - 1;
export const keptExtreme = (ticks: number) => Math.min(ticks, EXTREME_TICKS_MAX);

/** The price at which a trailing order fires. Rounded away from the extreme price: the exact level must be reached. */
export function trailingTicks(side: Side, extremeTicks: number, callbackPpm: number): number {
  const exact = BigInt(extremeTicks) * BigInt(MILLION + (side === Side.sell ? -callbackPpm : callbackPpm));
  const million = BigInt(MILLION);
  return Number(side === Side.sell ? exact / million : (exact + million - 1n) / million);
}

interface Member {
  readonly callbackPpm: number;
  readonly order: StrategyOrder;
}

export class TrailingGroup {
  readonly home: TrailingOrders;
  extremeTicks: number;
  /** Of its two triggers: a better price than it has seen, and the price at which its first order fires. */
  readonly seat: number;
  readonly onBetter: OnReach;
  readonly onBack: OnReach;
  /** A heap by callback. Removed orders stay in it until they reach the top. */
  private members: Member[] = [];
  size = 0;

  constructor(home: TrailingOrders, seat: number, extremeTicks: number) {
    this.home = home;
    this.seat = seat;
    this.extremeTicks = extremeTicks;
    this.onBetter = (ticks) => home.advance(this, ticks);
    this.onBack = (ticks) => home.release(this, ticks);
  }

  get better(): number {
    return triggerOf(this.seat, 0);
  }

  get back(): number {
    return triggerOf(this.seat, 1);
  }

  add(order: StrategyOrder): void {
    order.group = this;
    this.size++;
    this.push({ callbackPpm: order.callbackPpm, order });
  }

  remove(order: StrategyOrder): void {
    order.extremeTicks = this.extremeTicks;
    order.group = undefined;
    this.size--;
    if (this.members.length > 2 * this.size + 16) {
      const present = this.members.filter((member) => this.holds(member));
      this.members = [];
      for (const member of present) this.push(member);
    }
  }

  merge(other: TrailingGroup): void {
    for (const member of other.members) {
      if (!other.holds(member)) continue;
      member.order.group = this;
      this.push(member);
    }
    this.size += other.size;
  }

  /** The one that fires first. */
  first(): StrategyOrder | undefined {
    while (this.members.length > 0 && !this.holds(this.members[0]!)) this.pop();
    return this.members[0]?.order;
  }

  private holds({ order, callbackPpm }: Member): boolean {
    return order.group === this && order.callbackPpm === callbackPpm;
  }

  private push(member: Member): void {
    const { members } = this;
    let at = members.push(member) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (members[parent]!.callbackPpm <= member.callbackPpm) break;
      members[at] = members[parent]!;
      at = parent;
    }
    members[at] = member;
  }

  private pop(): void {
    const { members } = this;
    const last = members.pop()!;
    if (members.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= members.length) break;
      if (child + 1 < members.length && members[child + 1]!.callbackPpm < members[child]!.callbackPpm)
        child++;
      if (members[child]!.callbackPpm >= last.callbackPpm) break;
      members[at] = members[child]!;
      at = child;
    }
    members[at] = last;
  }
}

export class TrailingOrders {
  private readonly side: Side;
  private readonly table: TriggerTable;
  /** The ladders for a better price and for a price that returns. */
  private readonly onwards: TriggerLadder;
  private readonly backwards: TriggerLadder;
  private readonly groups = new Map<number, TrailingGroup>();

  constructor(side: Side, table: TriggerTable, rise: TriggerLadder, fall: TriggerLadder) {
    this.side = side;
    this.table = table;
    this.onwards = side === Side.sell ? rise : fall;
    this.backwards = side === Side.sell ? fall : rise;
  }

  join(order: StrategyOrder, ticks: number): void {
    const extremeTicks = keptExtreme(ticks);
    let group = this.groups.get(extremeTicks);
    if (group === undefined) {
      group = new TrailingGroup(this, this.table.takeSeat(NO_ORDER, 0), extremeTicks);
      this.settle(group);
    }
    group.add(order);
    this.listen(group);
  }

  leave(order: StrategyOrder, group: TrailingGroup): void {
    group.remove(order);
    this.afterLeaving(group);
  }

  /** The price is better than what the group has seen. */
  advance(group: TrailingGroup, price: number): void {
    const ticks = keptExtreme(price);
    this.groups.delete(group.extremeTicks);
    const there = this.groups.get(ticks);
    if (there === undefined) {
      group.extremeTicks = ticks;
      this.settle(group);
      this.listen(group);
      return;
    }
    const [small, large] = group.size < there.size ? [group, there] : [there, group];
    this.end(small);
    this.disband(large);
    large.extremeTicks = ticks;
    large.merge(small);
    this.settle(large);
    this.listen(large);
  }

  /** The price has come back to where the first of the group fires. */
  release(group: TrailingGroup, ticks: number): void {
    for (;;) {
      const first = group.first();
      if (first === undefined) break;
      const level = trailingTicks(this.side, group.extremeTicks, first.callbackPpm);
      if (this.side === Side.sell ? ticks > level : ticks < level) break;
      group.remove(first);
      this.table.reach(first.seat, HIT_TRIGGER);
    }
    this.afterLeaving(group);
  }

  private afterLeaving(group: TrailingGroup): void {
    if (group.size === 0) this.end(group);
    else this.listen(group);
  }

  private settle(group: TrailingGroup): void {
    this.groups.set(group.extremeTicks, group);
    const better = group.extremeTicks + (this.side === Side.sell ? 1 : -1);
    if (better > 0 && better <= PRICE_TICKS_MAX)
      this.table.setCallback(group.better, this.onwards, better, group.onBetter);
  }

  private disband(group: TrailingGroup): void {
    this.groups.delete(group.extremeTicks);
    this.table.clear(group.seat);
  }

  private end(group: TrailingGroup): void {
    this.disband(group);
    this.table.giveBack(group.seat);
  }

  /** Sets the group's trigger to the level of the order that fires first. */
  private listen(group: TrailingGroup): void {
    this.table.unset(group.back);
    const first = group.first()!;
    const level = trailingTicks(this.side, group.extremeTicks, first.callbackPpm);
    if (level > 0 && level <= PRICE_TICKS_MAX)
      this.table.setCallback(group.back, this.backwards, level, group.onBack);
  }
}
