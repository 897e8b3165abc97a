/**
 * Small whole numbers with a rank each, the one of the lowest rank at hand, of equal ranks the smallest: a heap in typed
 * arrays. A map from items to places would stop everything for milliseconds whenever it grows.
 */
import { IndexedHeap } from './indexed-heap.ts';

const NOWHERE = -1;
const FIRST_CAPACITY = 64;

export class NumberHeap {
  private readonly items: number[] = [];
  /** By item: its rank, and its place in the heap. */
  private ranks = new Float64Array(FIRST_CAPACITY);
  private places = new Int32Array(FIRST_CAPACITY).fill(NOWHERE);

  get size(): number {
    return this.items.length;
  }

  has(item: number): boolean {
    return item < this.places.length && this.places[item] !== NOWHERE;
  }

  /** Of an item that is in it. */
  rankOf(item: number): number {
    return this.ranks[item]!;
  }

  /** The item of the lowest rank; undefined when it is empty. */
  first(): number | undefined {
    return this.items[0];
  }

  /** In the order of their ranks, found one by one: whoever wants few looks at few. It must not change meanwhile. */
  *ascending(): Generator<number> {
    const { items } = this;
    const rankAt = (place: number) => this.ranks[items[place]!]!;
    const next = new IndexedHeap<number>(
      (a, b) => rankAt(a) < rankAt(b) || (rankAt(a) === rankAt(b) && a < b),
    );
    const offer = (place: number) => {
      if (place < items.length) next.add(place);
    };
    offer(0);
    for (let place = next.first(); place !== undefined; place = next.first()) {
      next.remove(place);
      yield items[place]!;
      offer(2 * place + 1);
      offer(2 * place + 2);
    }
  }

  /** How many have a lower rank. */
  countBelow(rank: number): number {
    let count = 0;
    for (const item of this.upTo(rank, this.size)!) if (this.ranks[item]! < rank) count++;
    return count;
  }

  /**
   * Those whose rank is not higher, in no particular order; undefined when they are more than so many. Looks at no others but
   * those next to them.
   */
  upTo(rank: number, most: number): number[] | undefined {
    const { items, ranks } = this;
    const found: number[] = [];
    const places = [0];
    for (let place = places.pop(); place !== undefined; place = places.pop()) {
      const item = items[place];
      if (item === undefined || ranks[item]! > rank) continue;
      if (found.push(item) > most) return undefined;
      places.push(2 * place + 1, 2 * place + 2);
    }
    return found;
  }

  /** Puts an item in, or gives it another rank. */
  set(item: number, rank: number): void {
    if (item >= this.places.length) this.grow(item + 1);
    this.ranks[item] = rank;
    if (this.places[item] === NOWHERE) this.places[item] = this.items.push(item) - 1;
    this.sink(this.rise(this.places[item]!, item), item);
  }

  remove(item: number): void {
    if (!this.has(item)) return;
    const place = this.places[item]!;
    this.places[item] = NOWHERE;
    const last = this.items.pop()!;
    if (last !== item) this.sink(this.rise(place, last), last);
  }

  private isBefore(a: number, b: number): boolean {
    const { ranks } = this;
    return ranks[a]! < ranks[b]! || (ranks[a] === ranks[b] && a < b);
  }

  private rise(from: number, item: number): number {
    const { items } = this;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.isBefore(item, items[parent]!)) break;
      this.put(at, items[parent]!);
      at = parent;
    }
    this.put(at, item);
    return at;
  }

  private sink(from: number, item: number): void {
    const { items } = this;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.isBefore(items[child + 1]!, items[child]!)) child++;
      if (!this.isBefore(items[child]!, item)) break;
      this.put(at, items[child]!);
      at = child;
    }
    this.put(at, item);
  }

  private put(place: number, item: number): void {
    this.items[place] = item;
    this.places[item] = place;
  }

  private grow(count: number): void {
    const capacity = Math.max(count, 2 * this.places.length);
    const ranks = new Float64Array(capacity);
    ranks.set(this.ranks);
    this.ranks = ranks;
    const places = new Int32Array(capacity).fill(NOWHERE);
    places.set(this.places);
    this.places = places;
  }
}
