/** The events that history keeps, sorted by table, on their way to the writer. */
import type { CandleClosed, Event, FillRecord, LedgerLine, OrderRecord } from '../core/event.ts';
import { OrderStatus } from '../core/terms.ts';

export interface RowPack {
  /** The last command whose events are in the pack. */
  seq: number;
  readonly orders: OrderRecord[];
  readonly fills: FillRecord[];
  readonly ledgerLines: LedgerLine[];
  readonly candles: CandleClosed[];
}

export function emptyPack(): RowPack {
  return { seq: 0, orders: [], fills: [], ledgerLines: [], candles: [] };
}

export function packRows(pack: RowPack): number {
  return pack.orders.length + pack.fills.length + pack.ledgerLines.length + pack.candles.length;
}

/** Adds the event when history keeps its kind; says whether it did. */
export function addEvent(pack: RowPack, event: Event): boolean {
  switch (event.type) {
    case 'order':
      if (!isClosed(event.order)) return false;
      pack.orders.push(event.order);
      return true;
    case 'fill':
      pack.fills.push(event.fill);
      return true;
    case 'ledgerLine':
      pack.ledgerLines.push(event);
      return true;
    case 'candle':
      pack.candles.push(event);
      return true;
    default:
      return false;
  }
}

function isClosed(order: OrderRecord): boolean {
  return order.status === OrderStatus.filled || order.status === OrderStatus.cancelled;
}
