/**
 * Ids of which the smallest is taken first. To build it costs one step an id, and to take one a few: whoever takes a few of
 * tens of thousands does not wait until all are in order.
 */
export class IdHeap {
  private readonly ids: Float64Array;
  private count: number;

  /** The array is its own from now on. */
  constructor(ids: Float64Array) {
    this.ids = ids;
    this.count = ids.length;
    for (let at = (this.count >> 1) - 1; at >= 0; at--) this.sink(ids[at]!, at);
  }

  get size(): number {
    return this.count;
  }

  /** The smallest; undefined when none is left. */
  first(): number | undefined {
    return this.count === 0 ? undefined : this.ids[0];
  }

  takeFirst(): void {
    const last = this.ids[--this.count]!;
    if (this.count > 0) this.sink(last, 0);
  }

  /** All that are left, the smallest first. */
  ascending(): Float64Array {
    return this.ids.slice(0, this.count).sort();
  }

  private sink(id: number, from: number): void {
    const { ids, count } = this;
    let at = from;
    for (let child = 2 * at + 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count && ids[child + 1]! < ids[child]!) child++;
      if (ids[child]! >= id) break;
      ids[at] = ids[child]!;
      at = child;
    }
    ids[at] = id;
  }
}
