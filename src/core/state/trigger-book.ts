/** All triggers of a market by one price: the last trade or the mark. */
import { Side, StrategyKind, type TriggerBy } from '../model/enums.ts';
import { hasLeg } from '../model/tpsl.ts';
import type { StrategyOrder } from './strategy-order.ts';
import { TrailingOrders } from './trailing.ts';
import { TriggerLadder } from './trigger-ladder.ts';
import {
  HIT_STOP_LOSS,
  HIT_TAKE_PROFIT,
  HIT_TRIGGER,
  type TriggerTable,
  triggerOf,
} from './trigger-table.ts';

export class TriggerBook {
  private readonly table: TriggerTable;
  private readonly rise: TriggerLadder;
  private readonly fall: TriggerLadder;
  private readonly trailing: readonly TrailingOrders[];

  constructor(table: TriggerTable) {
    this.table = table;
    this.rise = new TriggerLadder(table, true);
    this.fall = new TriggerLadder(table, false);
    this.trailing = [Side.buy, Side.sell].map(
      (side) => new TrailingOrders(side, table, this.rise, this.fall),
    );
  }

  /** A trade at this price, or the mark of a second. */
  onPrice(ticks: number): void {
    while (this.rise.nearestTicks <= ticks) this.rise.fire(ticks);
    while (this.fall.nearestTicks >= ticks) this.fall.fire(ticks);
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
    const ladder = order.side === Side.sell ? this.rise : this.fall;
    const activate = (ticks: number) => trailing.join(order, ticks);
    this.table.setCallback(triggerOf(order.seat, 0), ladder, order.trigger.triggerTicks, activate);
  }

  /** A condition that was reached already is not set again. */
  private set(order: StrategyOrder, rises: boolean, ticks: number, bit: number): void {
    if ((order.hits & bit) !== 0) return;
    const trigger = triggerOf(order.seat, bit === HIT_STOP_LOSS ? 1 : 0);
    this.table.set(trigger, rises ? this.rise : this.fall, ticks, bit);
  }
}
