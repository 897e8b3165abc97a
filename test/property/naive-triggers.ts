/**
 * Strategy orders as rules 3.4 tells them, and nothing clever: every price is held against every order that waits.
 * It hears what the exchange tells and the marks it saw, and says which order must come next and which must wait.
 */
import assert from 'node:assert/strict';
import { Side, StrategyKind, StrategyStatus, TriggerBy, TriggerType } from '../../src/core/model/enums.ts';
import type { Event, StrategyOrderRecord } from '../../src/core/model/event.ts';
import type { TriggerLeg } from '../../src/core/model/tpsl.ts';

interface Waiting {
  record: StrategyOrderRecord;
  rises: boolean;
  extreme: number;
  reached: Set<'profit' | 'loss' | 'trigger'>;
}

export class NaiveTriggers {
  private readonly waiting = new Map<number, Waiting>();
  /** Told to be submitted and not ended, in order. */
  private queue: number[] = [];
  readonly fired = new Map<string, number>();
  private readonly lastTrade = new Map<number, number>();
  private readonly mark: (instrument: number) => number;

  constructor(mark: (instrument: number) => number) {
    this.mark = mark;
  }

  /** `marks` are in the order of the events they came before. In a halt what was reached waits for its end. */
  observe(
    events: readonly Event[],
    marks: readonly { instrument: number; ticks: number; at: number }[],
    halted: boolean,
  ): void {
    let next = 0;
    for (const [at, event] of [...events.entries(), [events.length, undefined] as const]) {
      for (; next < marks.length && marks[next]!.at <= at; next++)
        this.price(marks[next]!.instrument, TriggerBy.mark, marks[next]!.ticks);
      if (event?.type === 'trade') {
        this.lastTrade.set(event.instrument, event.priceTicks);
        this.price(event.instrument, TriggerBy.market, event.priceTicks);
      } else if (event?.type === 'strategyOrder') this.told(event.order);
    }
    for (const [id, { reached }] of this.waiting) {
      assert.ok(halted || reached.size === 0, `${id} was reached and waits on`);
      if (reached.size > 0) this.count('waited for the end of a halt');
    }
    assert.deepEqual(this.queue, [], 'what was submitted has ended');
  }

  private told(record: StrategyOrderRecord): void {
    const { orderId: id, status } = record;
    if (status === StrategyStatus.pending) this.wait(record);
    else if (status === StrategyStatus.submitting) this.submit(record);
    else this.end(id, status);
  }

  private wait(record: StrategyOrderRecord): void {
    const { orderId: id, kind, trigger } = record;
    const before = this.waiting.get(id);
    const same =
      before !== undefined &&
      before.record.trigger.triggerTicks === trigger.triggerTicks &&
      before.record.trigger.triggerBy === trigger.triggerBy;
    const order = before ?? { record, rises: false, extreme: 0, reached: new Set() };
    order.record = record;
    this.waiting.set(id, order);
    if (kind !== StrategyKind.trigger && kind !== StrategyKind.trailing) return;
    const last = trigger.triggerBy === TriggerBy.market ? this.lastTrade.get(record.instrument) : undefined;
    // Before the first trade the mark stands for it.
    const price = last ?? this.mark(record.instrument);
    if (!same) {
      order.rises = trigger.triggerTicks >= price;
      order.extreme = kind === StrategyKind.trailing && trigger.triggerTicks === 0 ? price : 0;
    }
    const { extreme } = order;
    this.look(order, trigger.triggerBy, price);
    // Only trades and marks of a second lead a trailing order on.
    if (extreme !== 0) order.extreme = extreme;
  }

  /** The smallest id of all that have been reached. */
  private submit(record: StrategyOrderRecord): void {
    const due = [...this.waiting].filter(([, { reached }]) => reached.size > 0).map(([id]) => id);
    assert.equal(record.orderId, Math.min(...due), `of ${due.join(', ')} the first fires`);
    const { reached } = this.waiting.get(record.orderId)!;
    const type = reached.has('loss')
      ? TriggerType.stopLoss
      : reached.has('profit')
        ? TriggerType.takeProfit
        : TriggerType.none;
    assert.equal(record.triggerType, type, 'the stop-loss wins');
    this.waiting.delete(record.orderId);
    this.queue.push(record.orderId);
  }

  private end(id: number, status: StrategyStatus): void {
    if (status === StrategyStatus.cancelled) {
      this.waiting.delete(id);
      this.queue = this.queue.filter((other) => other !== id);
      this.count('cancelled');
      return;
    }
    assert.equal(id, this.queue.shift(), 'first come, first served');
    this.count(status === StrategyStatus.success ? 'success' : 'failed');
  }

  private count(what: string): void {
    this.fired.set(what, (this.fired.get(what) ?? 0) + 1);
  }

  private price(instrument: number, by: TriggerBy, ticks: number): void {
    for (const order of this.waiting.values()) {
      if (order.record.instrument === instrument) this.look(order, by, ticks);
    }
  }

  private look(order: Waiting, by: TriggerBy, price: number): void {
    const { kind, side, trigger, takeProfit, stopLoss, callbackPpm } = order.record;
    const selling = side === Side.sell;
    const at = (leg: TriggerLeg) => leg.triggerTicks !== 0 && leg.triggerBy === by;
    if (kind === StrategyKind.trigger) {
      if (at(trigger) && (order.rises ? price >= trigger.triggerTicks : price <= trigger.triggerTicks))
        order.reached.add('trigger');
    } else if (kind === StrategyKind.trailing) {
      if (trigger.triggerBy !== by) return;
      const active = order.extreme !== 0;
      if (!active && (selling ? price < trigger.triggerTicks : price > trigger.triggerTicks)) return;
      if (!active || (selling ? price > order.extreme : price < order.extreme)) order.extreme = price;
      // Exact in millionths: H (1 - c) for a sale, Lo (1 + c) for a purchase.
      const level = order.extreme * (1_000_000 + (selling ? -callbackPpm : callbackPpm));
      if (selling ? price * 1_000_000 <= level : price * 1_000_000 >= level) order.reached.add('trigger');
    } else {
      if (at(takeProfit) && (selling ? price >= takeProfit.triggerTicks : price <= takeProfit.triggerTicks))
        order.reached.add('profit');
      if (at(stopLoss) && (selling ? price <= stopLoss.triggerTicks : price >= stopLoss.triggerTicks))
        order.reached.add('loss');
    }
  }
}
