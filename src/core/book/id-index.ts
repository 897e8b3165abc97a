/** Order id to slot: open addressing in typed arrays, because a `Map` of a million numbers is a million boxes. */
const EMPTY = 0;

export class IdIndex {
  private keys = new Float64Array(2048);
  private slots = new Int32Array(2048);
  private mask = 2047;
  private count = 0;

  get(id: number): number {
    const keys = this.keys;
    for (let at = hash(id) & this.mask; ; at = (at + 1) & this.mask) {
      const key = keys[at]!;
      if (key === id) return this.slots[at]!;
      if (key === EMPTY) return -1;
    }
  }

  set(id: number, slot: number): void {
    if (++this.count * 2 > this.mask) this.resize((this.mask + 1) * 2);
    this.place(id, slot);
  }

  delete(id: number): void {
    let at = hash(id) & this.mask;
    while (this.keys[at] !== id) {
      if (this.keys[at] === EMPTY) return;
      at = (at + 1) & this.mask;
    }
    this.count--;
    this.closeGap(at);
  }

  clear(): void {
    this.keys.fill(EMPTY);
    this.count = 0;
  }

  /** Moves later entries of the run back, so that no tombstones pile up under churn. */
  private closeGap(gap: number): void {
    const { keys, slots, mask } = this;
    for (let at = (gap + 1) & mask; keys[at] !== EMPTY; at = (at + 1) & mask) {
      const home = hash(keys[at]!) & mask;
      if (((at - home) & mask) >= ((at - gap) & mask)) {
        keys[gap] = keys[at]!;
        slots[gap] = slots[at]!;
        gap = at;
      }
    }
    keys[gap] = EMPTY;
  }

  private place(id: number, slot: number): void {
    let at = hash(id) & this.mask;
    while (this.keys[at] !== EMPTY) at = (at + 1) & this.mask;
    this.keys[at] = id;
    this.slots[at] = slot;
  }

  private resize(capacity: number): void {
    const { keys, slots } = this;
    this.keys = new Float64Array(capacity);
    this.slots = new Int32Array(capacity);
    this.mask = capacity - 1;
    for (let at = 0; at < keys.length; at++) if (keys[at] !== EMPTY) this.place(keys[at]!, slots[at]!);
  }
}

/** Ids are consecutive: spread them by a multiplicative hash of the low bits. */
function hash(id: number): number {
  return Math.imul(id | 0, 0x9e3779b1) >>> 7;
}
