/** Orders by their records (rules 2.1, 2.2): I16 to I21, and I30 for orders. */
import type { Command } from '../../../src/core/model/command.ts';
import {
  CancelReason,
  ORDER_STATUS_NAMES,
  OrderKind,
  OrderStatus,
  OrderType,
  TimeInForce,
} from '../../../src/core/model/enums.ts';
import type { OrderRecord } from '../../../src/core/model/event.ts';
import { openOrders } from '../../../src/core/reads/reads.ts';
import type { State } from '../../../src/core/state/state.ts';
import { expect } from './failure.ts';

/** Table 2.2 as statuses of consecutive records of one order. The core never shows `live`. */
const TRANSITIONS: Record<OrderStatus | 'none', readonly OrderStatus[]> = {
  none: [OrderStatus.new, OrderStatus.partiallyFilled, OrderStatus.filled, OrderStatus.cancelled],
  [OrderStatus.live]: [],
  [OrderStatus.new]: [
    OrderStatus.new,
    OrderStatus.partiallyFilled,
    OrderStatus.filled,
    OrderStatus.cancelled,
  ],
  [OrderStatus.partiallyFilled]: [OrderStatus.partiallyFilled, OrderStatus.filled, OrderStatus.cancelled],
  [OrderStatus.filled]: [],
  [OrderStatus.cancelled]: [],
};

/** An order as it was last told, and the sums of its fills. */
export interface Known {
  record: OrderRecord | undefined;
  filledLots: number;
  filledValue: bigint;
  fee: bigint;
}

const ENDS: ReadonlySet<OrderKind | undefined> = new Set([OrderKind.delivery, OrderKind.delisting]);

export class OrderAudit {
  private readonly state: State;
  private readonly orders = new Map<number, Known>();
  private readonly closed = new Set<number>();
  private last: number;

  constructor(state: State) {
    this.state = state;
    this.last = state.lastId;
    for (const { uid, house } of state.accountByUid.values()) {
      if (house) continue;
      for (const record of openOrders(state, { uid, limit: Number.POSITIVE_INFINITY })) {
        const { filledLots, filledValue, fee } = record;
        this.orders.set(record.orderId, { record, filledLots, filledValue, fee });
      }
    }
  }

  /** I16-I21, and I30 for orders. */
  check(command: Command, order: OrderRecord): void {
    const id = order.orderId;
    expect(!this.closed.has(id), () => `I19: closed order ${id} changed`);
    const known = this.known(id);
    const before = known.record;
    if (before === undefined) {
      // The exchange's own orders are told of when they end, the counterpart of a deleveraging first.
      const forced = order.futures !== undefined && order.futures.kind !== OrderKind.user;
      expect(forced || id > this.last, () => `I30: order ${id} after ${this.last}`);
      // An order that meets one of somebody who holds a contract that has ended is told of after its end (rules 14.5).
      if (!ENDS.has(order.futures?.kind)) this.last = Math.max(this.last, id);
    } else {
      this.checkIdentity(command, before, order);
    }
    const from = before === undefined ? 'none' : before.status;
    expect(
      TRANSITIONS[from].includes(order.status),
      () => `I19: order ${id} from ${from} to ${ORDER_STATUS_NAMES[order.status]}`,
    );
    this.checkExecution(order, known);
    this.checkStatus(order);
    known.record = order;
    if (isTerminal(order.status)) {
      this.closed.add(id);
      this.orders.delete(id);
    }
  }

  /** The record of an order that may be in the book. */
  told(orderId: number): OrderRecord | undefined {
    return this.orders.get(orderId)?.record;
  }

  known(orderId: number): Known {
    let known = this.orders.get(orderId);
    if (known === undefined) {
      known = { record: undefined, filledLots: 0, filledValue: 0n, fee: 0n };
      this.orders.set(orderId, known);
    }
    return known;
  }

  /** Rules 1.12 item 8: a modification changes price, size and the time, nothing else ever changes. */
  private checkIdentity(command: Command, before: OrderRecord, after: OrderRecord): void {
    const same =
      before.clientOid === after.clientOid &&
      before.uid === after.uid &&
      before.instrument === after.instrument &&
      before.side === after.side &&
      before.orderType === after.orderType &&
      before.timeInForce === after.timeInForce &&
      before.stpMode === after.stpMode &&
      before.source === after.source &&
      before.createdTime === after.createdTime;
    expect(same, () => `order ${after.orderId} became another order`);
    const amended = before.priceTicks !== after.priceTicks || before.sizeLots !== after.sizeLots;
    const trimmed =
      after.futures?.closing === true &&
      before.priceTicks === after.priceTicks &&
      after.sizeLots < before.sizeLots;
    expect(
      !amended || trimmed || command.type === 'amendOrders',
      () => `order ${after.orderId} was modified by ${command.type}`,
    );
    expect(after.updatedTime >= before.updatedTime, () => `updatedTime of order ${after.orderId} went back`);
  }

  private checkExecution(order: OrderRecord, known: Known): void {
    const name = `order ${order.orderId}`;
    expect(
      order.filledLots === known.filledLots &&
        order.filledValue === known.filledValue &&
        order.fee === known.fee,
      () =>
        `I17: ${name} says ${order.filledLots} lots, value ${order.filledValue}, fee ${order.fee}; ` +
        `its fills sum to ${known.filledLots}, ${known.filledValue}, ${known.fee}`,
    );
    expect(order.filledLots >= 0, () => `I16: ${name} filled ${order.filledLots}`);
    if (order.quoteAmount === 0n) {
      expect(order.filledLots <= order.sizeLots, () => `I16: ${name} overfilled`);
    } else {
      expect(order.filledValue <= order.quoteAmount, () => `I16: ${name} spent more than its amount`);
    }
  }

  private checkStatus(order: OrderRecord): void {
    const name = `order ${order.orderId} (${ORDER_STATUS_NAMES[order.status]})`;
    const cancelled = order.status === OrderStatus.cancelled;
    expect(
      (order.cancelReason !== CancelReason.none) === cancelled,
      () => `I20: ${name} has reason ${order.cancelReason}`,
    );
    if (order.quoteAmount !== 0n) {
      expect(isTerminal(order.status), () => `I21: ${name} is a resting buy by amount`);
      const spent = order.filledValue === order.quoteAmount;
      expect(!(spent && cancelled), () => `I18: ${name} has spent its whole amount`);
      expect(
        order.status !== OrderStatus.filled || order.filledLots > 0,
        () => `I18: ${name} bought nothing`,
      );
    } else {
      const complete = order.filledLots === order.sizeLots;
      expect(
        complete === (order.status === OrderStatus.filled),
        () => `I18: ${name} ${order.filledLots} filled`,
      );
    }
    if (order.status === OrderStatus.new) expect(order.filledLots === 0, () => `I18: ${name} has fills`);
    if (order.status === OrderStatus.partiallyFilled) {
      expect(order.filledLots > 0, () => `I18: ${name} has no fill`);
    }
    if (isTerminal(order.status)) {
      expect(this.state.slab.byId.get(order.orderId) === -1, () => `I18: ${name} is still in the book`);
      return;
    }
    expect(order.orderType === OrderType.limit, () => `I21: ${name} is a market order`);
    const { timeInForce } = order;
    expect(
      timeInForce !== TimeInForce.ioc && timeInForce !== TimeInForce.fok,
      () => `I21: ${name} is ioc or fok`,
    );
  }
}

function isTerminal(status: OrderStatus): boolean {
  return status === OrderStatus.filled || status === OrderStatus.cancelled;
}
