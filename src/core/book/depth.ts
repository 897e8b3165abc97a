/**
 * The book as it is displayed (rules 1.7): all normal orders, then RPI orders oldest first, without those that
 * would cross the levels displayed so far. A hidden RPI order stays active; the displayed book never crosses.
 */

import { Side } from '../model/enums.ts';
import type { Book } from './book.ts';
import { NIL } from './order-slab.ts';

export interface DepthLevel {
  readonly priceTicks: number;
  readonly lots: number;
}
export interface Depth {
  /** Best first. */
  readonly asks: readonly DepthLevel[];
  readonly bids: readonly DepthLevel[];
}

export function displayedDepth(book: Book, levels: number): Depth {
  if (book.rpiOrders === 0) {
    return { asks: topLevels(book, Side.sell, levels), bids: topLevels(book, Side.buy, levels) };
  }
  const shown = shownRpiLots(book);
  return {
    asks: mergedLevels(book, Side.sell, levels, shown[Side.sell]),
    bids: mergedLevels(book, Side.buy, levels, shown[Side.buy]),
  };
}

export interface RpiDepthLevel {
  readonly priceTicks: number;
  readonly normalLots: number;
  readonly rpiLots: number;
}

/** The same levels with the RPI quantity separate. */
export function rpiDepth(book: Book, levels: number): Record<'asks' | 'bids', readonly RpiDepthLevel[]> {
  const shown = shownRpiLots(book);
  return {
    asks: splitLevels(book, Side.sell, levels, shown[Side.sell]),
    bids: splitLevels(book, Side.buy, levels, shown[Side.buy]),
  };
}

function splitLevels(
  book: Book,
  side: Side,
  limit: number,
  rpi: ReadonlyMap<number, number>,
): RpiDepthLevel[] {
  const levels: RpiDepthLevel[] = [];
  book.eachLevel(side, (priceTicks, normalLots) => {
    const rpiLots = rpi.get(priceTicks) ?? 0;
    return normalLots + rpiLots === 0 || levels.push({ priceTicks, normalLots, rpiLots }) < limit;
  });
  return levels;
}

function topLevels(book: Book, side: Side, limit: number): DepthLevel[] {
  const levels: DepthLevel[] = [];
  if (limit === 0) return levels;
  book.eachLevel(side, (priceTicks, lots) => levels.push({ priceTicks, lots }) < limit);
  return levels;
}

function mergedLevels(book: Book, side: Side, limit: number, rpi: ReadonlyMap<number, number>): DepthLevel[] {
  const levels: DepthLevel[] = [];
  if (limit === 0) return levels;
  book.eachLevel(side, (priceTicks, normalLots) => {
    const lots = normalLots + (rpi.get(priceTicks) ?? 0);
    return lots === 0 || levels.push({ priceTicks, lots }) < limit;
  });
  return levels;
}

/** Lots of displayed RPI orders by price, for each side. */
function shownRpiLots(book: Book): [Map<number, number>, Map<number, number>] {
  const { slab } = book;
  const orders: number[] = [];
  // Most books have none, and where there are some they are near the best price.
  for (const side of [Side.buy, Side.sell]) {
    if (orders.length === book.rpiOrders) break;
    book.eachLevel(side, (_price, _normal, _rpi, _first, rpi) => {
      for (let slot = rpi; slot !== NIL; slot = slab.next[slot]!) orders.push(slot);
      return orders.length < book.rpiOrders;
    });
  }
  orders.sort((a, b) => slab.prioritySeq[a]! - slab.prioritySeq[b]!);
  let bestBid = book.bestTicks(Side.buy, false);
  let bestAsk = book.bestTicks(Side.sell, false);
  const shown: [Map<number, number>, Map<number, number>] = [new Map(), new Map()];
  for (const slot of orders) {
    const price = slab.price[slot]!;
    const side = slab.side[slot] as Side;
    if (side === Side.buy ? bestAsk !== 0 && price >= bestAsk : price <= bestBid) continue;
    if (side === Side.buy) bestBid = Math.max(bestBid, price);
    else bestAsk = bestAsk === 0 ? price : Math.min(bestAsk, price);
    shown[side].set(price, (shown[side].get(price) ?? 0) + slab.remaining[slot]!);
  }
  return shown;
}
