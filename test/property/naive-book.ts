/**
 * A book that is slow and obviously right: one array of plain orders, sorted by the key of rules 1.1 whenever it is
 * read, and the rules of 1.4 to 1.8 and 1.12 written down one after the other. The fast book must equal it.
 */

import {
  CancelReason,
  OrderStatus,
  OrderType,
  Side,
  StpMode,
  TimeInForce,
} from '../../src/core/model/enums.ts';
import { MATCHES_PER_ORDER_MAX_BEFORE } from '../../src/core/model/limits.ts';

export interface NaiveOrder {
  readonly id: number;
  readonly party: number;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly stpMode: StpMode;
  readonly retail: boolean;
  priceTicks: number;
  sizeLots: number;
  filledLots: number;
  /** What a market buy by amount may still spend, in ticks times lots. */
  budget: number;
  prioritySeq: number;
}

export interface NaiveTrade {
  readonly makerId: number;
  readonly priceTicks: number;
  readonly lots: number;
}

/** How the incoming order stands when its message is done. */
export interface NaiveEnd {
  readonly status: OrderStatus;
  readonly reason: CancelReason;
  readonly filledLots: number;
}

export interface NaiveResult {
  readonly trades: NaiveTrade[];
  /** Resting orders that self-trade prevention cancelled, in order. */
  readonly makersCancelled: number[];
  readonly end: NaiveEnd;
}

export type NaiveRefusal = 'unknown' | 'nothing' | 'belowFilled' | 'band' | 'wouldTake';

const isRpi = (order: NaiveOrder) => order.timeInForce === TimeInForce.rpi;
const isMakerOnly = (order: NaiveOrder) => isRpi(order) || order.timeInForce === TimeInForce.postOnly;
const remaining = (order: NaiveOrder) => order.sizeLots - order.filledLots;

export class NaiveBook {
  orders: NaiveOrder[] = [];
  lastTicks: number;
  private lastPriority = 0;
  private readonly bandPercent: number;

  constructor(openingTicks: number, bandPercent: number) {
    this.lastTicks = openingTicks;
    this.bandPercent = bandPercent;
  }

  /** Resting orders of a side in the order in which they trade (rules 1.1). */
  queue(side: Side): NaiveOrder[] {
    const better = side === Side.buy ? -1 : 1;
    return this.orders
      .filter((order) => order.side === side)
      .sort(
        (a, b) =>
          better * (a.priceTicks - b.priceTicks) ||
          Number(isRpi(a)) - Number(isRpi(b)) ||
          a.prioritySeq - b.prioritySeq,
      );
  }

  place(order: NaiveOrder): NaiveResult | NaiveRefusal {
    if (order.orderType === OrderType.limit && this.outsideBand(order.side, order.priceTicks)) return 'band';
    order.prioritySeq = ++this.lastPriority;
    if (isMakerOnly(order)) {
      if (this.wouldTake(order, order.priceTicks)) return cancelled(order, CancelReason.postOnlyFill);
      return this.rest(order, [], []);
    }
    if (order.timeInForce === TimeInForce.fok && !this.fillable(order)) {
      return cancelled(order, CancelReason.fokNotFull);
    }
    return this.match(order);
  }

  cancel(id: number): boolean {
    const found = this.orders.some((order) => order.id === id);
    this.drop(id);
    return found;
  }

  /** 1.12: a smaller size at the same price keeps its place, everything else loses it. */
  amend(id: number, priceTicks: number, sizeLots: number): NaiveResult | NaiveRefusal {
    const order = this.orders.find((resting) => resting.id === id);
    if (order === undefined) return 'unknown';
    const priceChanges = priceTicks !== order.priceTicks;
    if (!priceChanges && sizeLots === order.sizeLots) return 'nothing';
    if (sizeLots < order.filledLots) return 'belowFilled';
    if (sizeLots > order.filledLots && priceChanges) {
      if (this.outsideBand(order.side, priceTicks)) return 'band';
      if (isMakerOnly(order) && this.wouldTake(order, priceTicks)) return 'wouldTake';
    }
    const keepsPlace = !priceChanges && sizeLots < order.sizeLots;
    order.priceTicks = priceTicks;
    order.sizeLots = sizeLots;
    this.drop(id);
    if (remaining(order) === 0) return ended(order, OrderStatus.filled, CancelReason.none, [], []);
    if (!keepsPlace) order.prioritySeq = ++this.lastPriority;
    if (priceChanges && !isMakerOnly(order)) return this.match(order);
    return this.rest(order, [], []);
  }

  private drop(id: number): void {
    this.orders = this.orders.filter((order) => order.id !== id);
  }

  private rest(order: NaiveOrder, trades: NaiveTrade[], makersCancelled: number[]): NaiveResult {
    this.orders.push(order);
    const status = order.filledLots === 0 ? OrderStatus.new : OrderStatus.partiallyFilled;
    return ended(order, status, CancelReason.none, trades, makersCancelled);
  }

  private bandTicks(side: Side): number {
    const part = (this.lastTicks * this.bandPercent) / 100;
    return side === Side.buy
      ? Math.floor(this.lastTicks + part)
      : Math.max(1, Math.ceil(this.lastTicks - part));
  }

  private outsideBand(side: Side, priceTicks: number): boolean {
    return side === Side.buy ? priceTicks > this.bandTicks(side) : priceTicks < this.bandTicks(side);
  }

  /** Opposite resting orders a taker may hit, best first: API takers do not see RPI orders, nor do RPI orders. */
  private visible(taker: NaiveOrder): NaiveOrder[] {
    const opposite = this.queue(taker.side === Side.buy ? Side.sell : Side.buy);
    return taker.retail && !isRpi(taker) ? opposite : opposite.filter((order) => !isRpi(order));
  }

  private wouldTake(order: NaiveOrder, priceTicks: number): boolean {
    const best = this.visible(order)[0];
    return best !== undefined && crosses(order.side, priceTicks, best.priceTicks);
  }

  /** The dry run of `fok`. */
  private fillable(taker: NaiveOrder): boolean {
    let found = 0;
    for (const maker of this.visible(taker)) {
      if (!crosses(taker.side, taker.priceTicks, maker.priceTicks)) break;
      if (maker.party === taker.party && taker.stpMode === StpMode.cancelMaker) continue;
      if (maker.party === taker.party && taker.stpMode !== StpMode.none) break;
      found += remaining(maker);
    }
    return found >= taker.sizeLots;
  }

  private match(taker: NaiveOrder): NaiveResult {
    const isMarket = taker.orderType === OrderType.market;
    const byAmount = isMarket && taker.side === Side.buy;
    const limit = isMarket ? this.bandTicks(taker.side) : taker.priceTicks;
    const trades: NaiveTrade[] = [];
    const makersCancelled: number[] = [];
    const end = (reason: CancelReason) =>
      reason === CancelReason.none
        ? ended(taker, OrderStatus.filled, reason, trades, makersCancelled)
        : ended(taker, OrderStatus.cancelled, reason, trades, makersCancelled);

    for (;;) {
      const maker = this.visible(taker)[0];
      if (maker === undefined || !crosses(taker.side, limit, maker.priceTicks)) {
        if (isMarket) return end(maker === undefined ? CancelReason.iocNotFull : CancelReason.slippage);
        if (taker.timeInForce === TimeInForce.ioc) return end(CancelReason.iocNotFull);
        return this.rest(taker, trades, makersCancelled);
      }
      // Money that buys nothing ends the order before self-trade prevention asks: no trade would occur (rules 1.8).
      const room = byAmount ? Math.floor(taker.budget / maker.priceTicks) : remaining(taker);
      if (room === 0) return end(taker.filledLots > 0 ? CancelReason.none : CancelReason.tradeCountTooSmall);
      if (maker.party === taker.party && taker.stpMode !== StpMode.none) {
        if (taker.stpMode !== StpMode.cancelTaker) {
          this.drop(maker.id);
          makersCancelled.push(maker.id);
        }
        if (taker.stpMode !== StpMode.cancelMaker) return end(CancelReason.stp);
        continue;
      }
      const lots = Math.min(room, remaining(maker));
      taker.filledLots += lots;
      taker.budget -= lots * maker.priceTicks;
      maker.filledLots += lots;
      this.lastTicks = maker.priceTicks;
      trades.push({ makerId: maker.id, priceTicks: maker.priceTicks, lots });
      if (remaining(maker) === 0) this.drop(maker.id);
      const done = byAmount ? taker.budget === 0 : remaining(taker) === 0;
      if (done) return end(CancelReason.none);
      if (trades.length === MATCHES_PER_ORDER_MAX_BEFORE) return end(CancelReason.tradeTooManyTimes);
    }
  }
}

function crosses(side: Side, limitTicks: number, oppositeTicks: number): boolean {
  return side === Side.buy ? oppositeTicks <= limitTicks : oppositeTicks >= limitTicks;
}

function ended(
  order: NaiveOrder,
  status: OrderStatus,
  reason: CancelReason,
  trades: NaiveTrade[],
  makersCancelled: number[],
): NaiveResult {
  return { trades, makersCancelled, end: { status, reason, filledLots: order.filledLots } };
}

function cancelled(order: NaiveOrder, reason: CancelReason): NaiveResult {
  return ended(order, OrderStatus.cancelled, reason, [], []);
}
