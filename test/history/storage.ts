/** What the contracts of a history share: a storage, sessions with it, and short words. */
import type { Event, OrderRecord } from '../../src/core/model/event.ts';
import type { History } from '../../src/history/history.ts';
import { parseId } from '../../src/views/format.ts';
import { orderView } from '../../src/views/order-view.ts';
import { COINS, coinName, INSTRUMENTS } from './example-events.ts';

/** One storage, empty at first. */
export interface HistoryStorage {
  open(): Promise<History>;
  remove(): Promise<void>;
}

export interface Contract {
  /** A statement about a storage, and what shows it. */
  readonly contract: (name: string, run: (storage: HistoryStorage) => Promise<void>) => void;
  /** For the many that need one session only. */
  readonly session: (name: string, run: (history: History) => Promise<void>) => void;
  /** For those that open the storage again after it was closed. */
  readonly restart: (name: string, run: (storage: HistoryStorage) => Promise<void>) => void;
}

export const ALL_TIME = { startTime: 0, endTime: Number.MAX_SAFE_INTEGER };

export async function openDescribed(storage: HistoryStorage): Promise<History> {
  const history = await storage.open();
  history.describe(INSTRUMENTS, COINS);
  return history;
}

export function orderEvent(order: OrderRecord): Event {
  return { type: 'order', order };
}

export function viewOf(order: OrderRecord) {
  return orderView(order, INSTRUMENTS[order.instrument]!, coinName);
}

export const orderKey = (order: { orderId: string }) => parseId(order.orderId)!;
export const fillKey = (fill: { execId: string }) => parseId(fill.execId)!;
export const transferKey = (transfer: { transferId: string }) => parseId(transfer.transferId)!;
export const lineKey = (line: { id: string }) => parseId(line.id)!;
