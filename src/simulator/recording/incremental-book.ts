/**
 * Books that a recording has as changes: a snapshot, then the new size of each level that has changed, 0 for one that
 * has gone. Rows that arrived together are one change; a book is emitted at most ten times a second, as it is by then.
 */
import type { Entry } from './formats.ts';

export interface LevelChange {
  readonly time: number;
  readonly pair: string;
  readonly isSnapshot: boolean;
  readonly isBid: boolean;
  readonly price: number;
  /** In the base coin; 0 takes the level out. */
  readonly size: number;
}

const LEVELS_MAX = 25;
const EMIT_EVERY_MS = 100;

type Side = Map<number, number>;

interface Book {
  readonly bids: Side;
  readonly asks: Side;
  /** Of the rows that arrived last. */
  time: number;
  isSnapshot: boolean;
  isChanged: boolean;
  emittedTime: number;
}

export class IncrementalBooks {
  readonly #books = new Map<string, Book>();

  /** Returns the book as it was before this change, when it is due. */
  change({ time, pair, isSnapshot, isBid, price, size }: LevelChange): Entry | undefined {
    const book = this.#bookOf(pair, time);
    const isDue = time > book.time && book.time - book.emittedTime >= EMIT_EVERY_MS;
    const emitted = isDue ? emit(pair, book) : undefined;
    // A venue begins anew after a disconnection; what was known before is gone.
    if (isSnapshot && !book.isSnapshot) {
      book.bids.clear();
      book.asks.clear();
    }
    const side = isBid ? book.bids : book.asks;
    if (size === 0) side.delete(price);
    else side.set(price, size);
    book.time = time;
    book.isSnapshot = isSnapshot;
    book.isChanged = true;
    return emitted;
  }

  /** Books that are not emitted yet, after the last row. */
  end(): readonly Entry[] {
    return [...this.#books]
      .flatMap(([pair, book]) => emit(pair, book) ?? [])
      .sort((one, other) => one.time - other.time);
  }

  #bookOf(pair: string, time: number): Book {
    const known = this.#books.get(pair);
    if (known !== undefined) return known;
    const made = {
      bids: new Map(),
      asks: new Map(),
      time,
      isSnapshot: false,
      isChanged: false,
      emittedTime: Number.NEGATIVE_INFINITY,
    };
    this.#books.set(pair, made);
    return made;
  }
}

/** Undefined while one of its sides is empty, or a venue that is behind shows them crossed. */
function emit(pair: string, book: Book): Entry | undefined {
  if (!book.isChanged) return undefined;
  const bids = best(book.bids, (one, other) => other - one);
  const asks = best(book.asks, (one, other) => one - other);
  const [bid, ask] = [bids[0]?.[0], asks[0]?.[0]];
  if (bid === undefined || ask === undefined || bid >= ask) return undefined;
  book.emittedTime = book.time;
  book.isChanged = false;
  const values = Float64Array.from([...bids, ...asks].flat());
  return { time: book.time, pair, prices: [(bid + ask) / 2], levels: { bids: bids.length, values } };
}

function best(side: Side, order: (one: number, other: number) => number): readonly [number, number][] {
  return [...side].sort(([one], [other]) => order(one, other)).slice(0, LEVELS_MAX);
}
