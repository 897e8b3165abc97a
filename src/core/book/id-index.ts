/**
 * Order id to slot: open addressing in typed arrays, because a `Map` of a million numbers is a million boxes. A full table is
 * not copied at once, which would hold up one order for all others: its entries move to a larger one a few at a time.
 */
const EMPTY = 0;
const FIRST_CAPACITY = 256;
/** Places of the old table looked at with each new id: it is empty long before the larger one is full. */
const PLACES_MOVED = 8;

export class IdIndex {
  private table = new IdTable(FIRST_CAPACITY);
  /** The table before, while it has entries. */
  private old: IdTable | undefined;
  private count = 0;

  get(id: number): number {
    const slot = this.table.get(id);
    return slot !== -1 || this.old === undefined ? slot : this.old.get(id);
  }

  set(id: number, slot: number): void {
    if (++this.count * 2 > this.table.mask) this.grow();
    this.table.place(id, slot);
    if (this.old?.moveTo(this.table, PLACES_MOVED) === true) this.old = undefined;
  }

  /** Gives an id that is there another slot. */
  replace(id: number, slot: number): void {
    if (!this.table.replace(id, slot)) this.old?.replace(id, slot);
  }

  delete(id: number): void {
    if (this.table.delete(id) || this.old?.delete(id) === true) this.count--;
  }

  clear(): void {
    this.table = new IdTable(FIRST_CAPACITY);
    this.old = undefined;
    this.count = 0;
  }

  private grow(): void {
    this.old?.moveTo(this.table, Number.POSITIVE_INFINITY);
    this.old = this.table;
    this.table = new IdTable((this.old.mask + 1) * 2);
    this.old.beginMove();
  }
}

class IdTable {
  readonly mask: number;
  /** Apart: a search goes over more ids in a line of the processor's cache. */
  private readonly ids: Float64Array;
  private readonly slots: Int32Array;
  /** The next place to move and how many are left. Entries leave from the ends of their runs, so the rest is still found. */
  private moving = 0;
  private left = 0;

  constructor(capacity: number) {
    this.mask = capacity - 1;
    const buffer = new ArrayBuffer(
      (Float64Array.BYTES_PER_ELEMENT + Int32Array.BYTES_PER_ELEMENT) * capacity,
    );
    this.ids = new Float64Array(buffer, 0, capacity);
    this.slots = new Int32Array(buffer, this.ids.byteLength, capacity);
  }

  get(id: number): number {
    const { ids, mask } = this;
    for (let at = hash(id) & mask; ; at = (at + 1) & mask) {
      const key = ids[at]!;
      if (key === id) return this.slots[at]!;
      if (key === EMPTY) return -1;
    }
  }

  /** False when it has no such id. */
  replace(id: number, slot: number): boolean {
    const at = this.find(id);
    if (at < 0) return false;
    this.slots[at] = slot;
    return true;
  }

  place(id: number, slot: number): void {
    const { ids, mask } = this;
    let at = hash(id) & mask;
    while (ids[at] !== EMPTY) at = (at + 1) & mask;
    ids[at] = id;
    this.slots[at] = slot;
  }

  /** False when it has no such id. */
  delete(id: number): boolean {
    const at = this.find(id);
    if (at < 0) return false;
    this.closeGap(at);
    return true;
  }

  /** Its place; -1 when it has no such id. */
  private find(id: number): number {
    const { ids, mask } = this;
    for (let at = hash(id) & mask; ; at = (at + 1) & mask) {
      const key = ids[at]!;
      if (key === id) return at;
      if (key === EMPTY) return -1;
    }
  }

  /** Downwards from a place that is empty: no run goes across it. */
  beginMove(): void {
    let at = 0;
    while (this.ids[at] !== EMPTY) at++;
    this.moving = at;
    this.left = this.mask + 1;
  }

  /** Moves the entries of the next places; true when there are no more. */
  moveTo(larger: IdTable, count: number): boolean {
    const { ids, slots, mask } = this;
    const until = Math.max(0, this.left - count);
    for (; this.left > until; this.left--) {
      const at = this.moving;
      this.moving = (at - 1) & mask;
      const id = ids[at]!;
      if (id === EMPTY) continue;
      larger.place(id, slots[at]!);
      ids[at] = EMPTY;
    }
    return this.left === 0;
  }

  /** Moves later entries of the run back, so that no tombstones pile up under churn. */
  private closeGap(gap: number): void {
    const { ids, slots, mask } = this;
    for (let at = (gap + 1) & mask; ids[at] !== EMPTY; at = (at + 1) & mask) {
      const home = hash(ids[at]!) & mask;
      if (((at - home) & mask) >= ((at - gap) & mask)) {
        ids[gap] = ids[at]!;
        slots[gap] = slots[at]!;
        gap = at;
      }
    }
    ids[gap] = EMPTY;
  }
}

/** Ids are consecutive, or multiples of one number and a little more: both are spread by a product and its high bits. */
function hash(id: number): number {
  const product = Math.imul(id | 0, 0x9e3779b1);
  return product ^ (product >>> 15);
}
