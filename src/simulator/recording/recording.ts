/** Recorded market data in memory: columns of prices in order of time, each with the size and side of a trade or none. */
import type { Levels } from './formats.ts';

/** `price`: indices follow it, and agents trade around them. `tape`: its trades happen again. `book`: on its own depth. */
export const REPLAY_DEPTHS = ['price', 'tape', 'book'] as const;
export type ReplayDepth = (typeof REPLAY_DEPTHS)[number];

export interface Recording {
  /** Of the first row, in milliseconds since 1970. */
  readonly start: number;
  /** Milliseconds after the first row, ascending. */
  readonly times: Float64Array;
  /** Number of the pair. */
  readonly pairs: Uint16Array;
  /** In the quote coin. */
  readonly prices: Float64Array;
  /** In the base coin; 0 where no size is known. */
  readonly sizes: Float64Array;
  /** Of the taker: `TAKER_BUYS`, `TAKER_SELLS`, or 0. */
  readonly sides: Uint8Array;
  /** `BASE/QUOTE` by number. */
  readonly names: readonly string[];
  /** Of books; empty when the recording has none. */
  readonly books: readonly (Levels | undefined)[];
  /** Rows that were left out because they could not be read. */
  readonly skipped: number;
}

/**
 * The exchange's time at which the first row happens: that of the row itself when the exchange is within the recorded time,
 * so that it goes on after a restart or a revert where it was; else the present.
 */
export function replayStart({ start, times }: Recording, now: number): number {
  return now >= start && now <= start + times.at(-1)! ? start : now;
}

const FIRST_ROWS = 1024;

/** Columns that grow. */
export class Columns {
  times = new Float64Array(FIRST_ROWS);
  pairs = new Uint16Array(FIRST_ROWS);
  prices = new Float64Array(FIRST_ROWS);
  sizes = new Float64Array(FIRST_ROWS);
  sides = new Uint8Array(FIRST_ROWS);
  readonly books: (Levels | undefined)[] = [];
  rows = 0;

  add(time: number, pair: number, price: number, size = 0, side = 0, levels?: Levels): void {
    const row = this.rows++;
    if (levels !== undefined) this.books[row] = levels;
    if (row === this.times.length) this.#grow(2 * row);
    this.times[row] = time;
    this.pairs[row] = pair;
    this.prices[row] = price;
    this.sizes[row] = size;
    this.sides[row] = side;
  }

  #grow(rows: number): void {
    const grown = <Column extends Float64Array | Uint16Array | Uint8Array>(next: Column, last: Column) => {
      next.set(last);
      return next;
    };
    this.times = grown(new Float64Array(rows), this.times);
    this.pairs = grown(new Uint16Array(rows), this.pairs);
    this.prices = grown(new Float64Array(rows), this.prices);
    this.sizes = grown(new Float64Array(rows), this.sizes);
    this.sides = grown(new Uint8Array(rows), this.sides);
  }

  /** In order of time; rows of one time stay in theirs. */
  arranged(names: readonly string[], skipped: number): Recording {
    const { rows } = this;
    const order = Uint32Array.from({ length: rows }, (_, n) => n);
    if (!this.#isSorted()) order.sort((a, b) => this.times[a]! - this.times[b]! || a - b);
    const start = this.times[order[0]!]!;
    return {
      start,
      times: Float64Array.from(order, (n) => this.times[n]! - start),
      pairs: Uint16Array.from(order, (n) => this.pairs[n]!),
      prices: Float64Array.from(order, (n) => this.prices[n]!),
      sizes: Float64Array.from(order, (n) => this.sizes[n]!),
      sides: Uint8Array.from(order, (n) => this.sides[n]!),
      books: this.books.length === 0 ? [] : Array.from(order, (n) => this.books[n]),
      names,
      skipped,
    };
  }

  #isSorted(): boolean {
    for (let n = 1; n < this.rows; n++) if (this.times[n]! < this.times[n - 1]!) return false;
    return true;
  }
}
