/** A sorted list of which mostly the beginning is wanted: items are put in order when they are asked for. */
export class LazyOrder<T> implements Iterable<T> {
  private readonly isBefore: (a: T, b: T) => boolean;
  /** A heap of those that are not in order yet, the first of them on top. */
  private readonly heap: T[];
  private readonly sorted: T[] = [];

  /** `isBefore` must decide between any two items, by what does not change. The items become the list's own. */
  constructor(items: T[], isBefore: (a: T, b: T) => boolean) {
    this.isBefore = isBefore;
    this.heap = items;
    for (let at = (items.length >> 1) - 1; at >= 0; at--) this.sink(items[at]!, at);
  }

  /** The item of this place, from 0; undefined behind the last one. */
  at(place: number): T | undefined {
    const { heap, sorted } = this;
    while (sorted.length <= place && heap.length > 0) {
      sorted.push(heap[0]!);
      const last = heap.pop()!;
      if (heap.length > 0) this.sink(last, 0);
    }
    return sorted[place];
  }

  *[Symbol.iterator](): Generator<T> {
    for (let place = 0; ; place++) {
      const item = this.at(place);
      if (item === undefined) return;
      yield item;
    }
  }

  /** Puts an item where it belongs, at this place of the heap or below it. */
  private sink(item: T, from: number): void {
    const { heap, isBefore } = this;
    let at = from;
    for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, item)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = item;
  }
}
