/** All triggers of a market by one price: the last trade or the mark. */
import { Side, StrategyKind, type TriggerBy } from '../model/enums.ts';
import { hasLeg } from '../model/tpsl.ts';
import { HIT_STOP_LOSS, HIT_TAKE_PROFIT, HIT_TRIGGER, type StrategyOrder } from './strategy-order.ts';
import { TrailingOrders } from './trailing.ts';
import { type OnReach, Trigger, TriggerLadder } from './trigger-ladder.ts';

export type OnHit = (order: StrategyOrder, bit: number) => void;

export class TriggerBook {
  private readonly rise = new TriggerLadder(true);
  private readonly fall = new TriggerLadder(false);
  private readonly reached: OnReach;
  private readonly trailing: readonly TrailingOrders[];

  constructor(hit: OnHit) {
    this.reached = (_ticks, { order, bit }) => {
      if (order !== undefined) hit(order, bit);
    };
    const fire = (order: StrategyOrder) => hit(order, HIT_TRIGGER);
    this.trailing = [Side.buy, Side.sell].map((side) => new TrailingOrders(side, this.rise, this.fall, fire));
  }

  /** A trade at this price, or the mark of a second. */
  onPrice(ticks: number): void {
    while (this.rise.nearestTicks <= ticks) this.rise.fireNearest(ticks);
    while (this.fall.nearestTicks >= ticks) this.fall.fireNearest(ticks);
  }

  /** Sets the triggers of the order by this price; legs by the other price are in the other trigger book. */
  arm(order: StrategyOrder, by: TriggerBy): void {
    const { trigger } = order;
    if (order.kind === StrategyKind.trailing) {
      if (trigger.triggerBy === by && order.hits === 0) this.armTrailing(order);
      return;
    }
    if (order.kind === StrategyKind.trigger) {
      if (trigger.triggerBy === by) this.set(order, order.rises, trigger.triggerTicks, HIT_TRIGGER);
      return;
    }
    // A sell closes a long: its take-profit is above the price, its stop-loss below.
    const closesLong = order.side === Side.sell;
    const { takeProfit, stopLoss } = order;
    if (hasLeg(takeProfit) && takeProfit.triggerBy === by)
      this.set(order, closesLong, takeProfit.triggerTicks, HIT_TAKE_PROFIT);
    if (hasLeg(stopLoss) && stopLoss.triggerBy === by)
      this.set(order, !closesLong, stopLoss.triggerTicks, HIT_STOP_LOSS);
  }

  private armTrailing(order: StrategyOrder): void {
    const trailing = this.trailing[order.side]!;
    if (order.extremeTicks !== 0) {
      trailing.join(order, order.extremeTicks);
      return;
    }
    const activate = new Trigger((ticks) => trailing.join(order, ticks));
    this.place(order, activate, order.side === Side.sell, order.trigger.triggerTicks);
  }

  /** A condition that was reached already is not set again. */
  private set(order: StrategyOrder, rises: boolean, ticks: number, bit: number): void {
    if ((order.hits & bit) !== 0) return;
    this.place(order, new Trigger(this.reached, order, bit), rises, ticks);
  }

  private place(order: StrategyOrder, trigger: Trigger, rises: boolean, ticks: number): void {
    order.triggers.push(trigger);
    (rises ? this.rise : this.fall).add(trigger, ticks);
  }
}

/** Removes all triggers of a strategy order. */
export function disarm(order: StrategyOrder): void {
  for (const trigger of order.triggers) trigger.unset();
  order.triggers.length = 0;
  order.group?.home.leave(order, order.group);
}
