/** The order book with the least around it that can take a flow of messages. */
import { Book, MatchEnd, type MatchSink } from '../src/core/book/book.ts';
import { FLAG_RETAIL, FLAG_RPI, NIL, OrderSlab } from '../src/core/book/order-slab.ts';
import { OrderType, Side, TimeInForce } from '../src/core/model/enums.ts';
import { type Flow, MessageKind } from './messages.ts';

/** Takes the place of the exchange around the book: counts trades and frees the slots of makers that left. */
export class BookDriver implements MatchSink<undefined> {
  readonly slab = new OrderSlab();
  readonly book = new Book(this.slab);
  trades = 0;

  traded(): void {
    this.trades++;
  }

  makerLeft(_context: undefined, maker: number): void {
    this.slab.release(maker);
  }

  makerFailed(): void {}

  fillChecks(): undefined {
    return undefined;
  }

  capacity(): number {
    return Number.POSITIVE_INFINITY;
  }

  run(flow: Flow, length: number): void {
    for (let at = 0; at < length; at++) this.send(flow, at);
  }

  send(flow: Flow, at: number): void {
    const kind = flow.kind[at]! as MessageKind;
    if (kind <= MessageKind.rpi) this.place(flow, at, kind);
    else this.change(flow, at, kind);
  }

  rests(order: number): boolean {
    return this.slab.byId.get(order) !== NIL;
  }

  private place(flow: Flow, at: number, kind: MessageKind): void {
    const { slab, book } = this;
    const slot = slab.allocate(flow.order[at]!);
    const side = flow.side[at]! as Side;
    const price = flow.priceTicks[at]!;
    const isRpi = kind === MessageKind.rpi;
    slab.account[slot] = flow.party[at]!;
    slab.party[slot] = flow.party[at]!;
    slab.instrument[slot] = 0;
    slab.side[slot] = side;
    slab.orderType[slot] = OrderType.limit;
    slab.timeInForce[slot] = isRpi
      ? TimeInForce.rpi
      : kind === MessageKind.ioc
        ? TimeInForce.ioc
        : TimeInForce.gtc;
    slab.stpMode[slot] = flow.stpMode[at]!;
    slab.flags[slot] = isRpi ? FLAG_RPI : flow.retail[at] === 1 ? FLAG_RETAIL : 0;
    slab.price[slot] = price;
    slab.size[slot] = flow.lots[at]!;
    slab.remaining[slot] = flow.lots[at]!;
    slab.prioritySeq[slot] = at;
    slab.createdTime[slot] = at;
    slab.updatedTime[slot] = at;
    if (isRpi) {
      const opposite = book.bestTicks(side === Side.buy ? Side.sell : Side.buy, false);
      const crosses = opposite !== 0 && (side === Side.buy ? opposite <= price : opposite >= price);
      if (crosses) slab.release(slot);
      else book.rest(slot);
      return;
    }
    this.match(slot, price, kind !== MessageKind.ioc);
  }

  private match(slot: number, price: number, rests: boolean): void {
    const { slab, book } = this;
    const end = book.match(slot, price, this, undefined, false);
    if (rests && (end === MatchEnd.exhausted || end === MatchEnd.limit)) book.rest(slot);
    else slab.release(slot);
  }

  private change(flow: Flow, at: number, kind: MessageKind): void {
    const { slab, book } = this;
    const slot = slab.byId.get(flow.order[at]!);
    if (slot === NIL) return;
    if (kind === MessageKind.cancel) {
      book.remove(slot);
      slab.release(slot);
      return;
    }
    if (kind === MessageKind.reduce) {
      if (slab.remaining[slot]! > 1) book.reduce(slot, 1);
      return;
    }
    book.remove(slot);
    slab.price[slot] = flow.priceTicks[at]!;
    slab.prioritySeq[slot] = at;
    if ((slab.flags[slot]! & FLAG_RPI) !== 0) book.rest(slot);
    else this.match(slot, flow.priceTicks[at]!, true);
  }
}
