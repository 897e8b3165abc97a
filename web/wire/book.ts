/**
 * An order book folded from the stream `books`. Prices are ticks and sizes are lots, whole numbers below 2^53 as in the
 * exchange itself, so sums are exact.
 */
import type { BookPush, Level } from './types.ts';

export interface BookRow {
  readonly priceTicks: number;
  readonly sizeLots: number;
  /** From the best level to this one. */
  readonly sumLots: number;
}

/** Decimal text as a whole number of 10^-digits. */
export function scaled(text: string, digits: number): number {
  const [whole = '', part = ''] = text.split('.');
  return Number(whole + part.padEnd(digits, '0').slice(0, digits));
}

/** The other way; `digits` behind the point. */
export function unscaled(units: number, digits: number): string {
  const text = String(units).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

export class BookFold {
  readonly #priceDigits: number;
  readonly #sizeDigits: number;
  readonly #bids = new Map<number, number>();
  readonly #asks = new Map<number, number>();
  #seq = 0;

  constructor(priceDigits: number, sizeDigits: number) {
    this.#priceDigits = priceDigits;
    this.#sizeDigits = sizeDigits;
  }

  get seq(): number {
    return this.#seq;
  }

  /** False when a push is missing before this one: the book must be asked for anew. */
  apply(action: 'snapshot' | 'update', { a, b, seq, pseq }: BookPush): boolean {
    if (action === 'snapshot') {
      this.#bids.clear();
      this.#asks.clear();
    } else if (pseq !== this.#seq) return false;
    this.#fold(this.#asks, a);
    this.#fold(this.#bids, b);
    this.#seq = seq;
    return true;
  }

  #fold(side: Map<number, number>, levels: readonly Level[]): void {
    for (const [price, size] of levels) {
      const lots = scaled(size, this.#sizeDigits);
      if (lots === 0) side.delete(scaled(price, this.#priceDigits));
      else side.set(scaled(price, this.#priceDigits), lots);
    }
  }

  /** The best levels of a side, `group` ticks to a row: bids are grouped downwards, asks upwards. */
  rows(side: 'bids' | 'asks', count: number, group: number): BookRow[] {
    const levels = side === 'bids' ? this.#bids : this.#asks;
    const sorted = Float64Array.from(levels.keys()).sort();
    if (side === 'bids') sorted.reverse();
    const rows: { priceTicks: number; sizeLots: number; sumLots: number }[] = [];
    let sum = 0;
    for (const ticks of sorted) {
      const priceTicks = (side === 'bids' ? Math.floor(ticks / group) : Math.ceil(ticks / group)) * group;
      const lots = levels.get(ticks)!;
      sum += lots;
      const last = rows.at(-1);
      if (last?.priceTicks === priceTicks) {
        last.sizeLots += lots;
        last.sumLots = sum;
        continue;
      }
      if (rows.length === count) break;
      rows.push({ priceTicks, sizeLots: lots, sumLots: sum });
    }
    return rows;
  }

  best(side: 'bids' | 'asks'): number | undefined {
    return this.rows(side, 1, 1)[0]?.priceTicks;
  }
}
