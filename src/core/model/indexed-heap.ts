/** A heap whose items know their place: the first one is at hand, and an item that changes is moved or taken out. */
export class IndexedHeap<T> {
  private readonly items: T[] = [];
  private readonly places = new Map<T, number>();
  private readonly before: (a: T, b: T) => boolean;

  /** `before` must order any two items, so that equal ranks do not depend on how the heap came about. */
  constructor(before: (a: T, b: T) => boolean) {
    this.before = before;
  }

  get size(): number {
    return this.items.length;
  }

  first(): T | undefined {
    return this.items[0];
  }

  add(item: T): void {
    const place = this.items.push(item) - 1;
    this.places.set(item, place);
    this.rise(place, item);
  }

  /** After an item's rank has changed. */
  settle(item: T): void {
    const place = this.places.get(item)!;
    if (this.rise(place, item) === place) this.sink(place, item);
  }

  remove(item: T): void {
    const place = this.places.get(item);
    if (place === undefined) return;
    this.places.delete(item);
    const last = this.items.pop()!;
    if (last === item) return;
    this.put(place, last);
    this.settle(last);
  }

  private rise(from: number, item: T): number {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.before(item, this.items[parent]!)) break;
      this.put(at, this.items[parent]!);
      at = parent;
    }
    if (at !== from) this.put(at, item);
    return at;
  }

  private sink(from: number, item: T): void {
    const { items } = this;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.before(items[child + 1]!, items[child]!)) child++;
      if (!this.before(items[child]!, item)) break;
      this.put(at, items[child]!);
      at = child;
    }
    if (at !== from) this.put(at, item);
  }

  private put(place: number, item: T): void {
    this.items[place] = item;
    this.places.set(item, place);
  }
}
