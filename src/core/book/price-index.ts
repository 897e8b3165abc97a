/**
 * Finds the level of a price, and the next level above or below one, in six steps whatever the book looks like: a
 * radix tree over the 30 bits of a price, 32 children a node, all in one typed array. Nodes are made and freed with
 * the levels, so distant prices cost a few hundred bytes, not a dense ladder.
 */
import { PRICE_TICKS_MAX } from '../model/limits.ts';
import { assert } from '../model/units.ts';

const DEPTH = 6;
/** One word of occupancy bits, then 32 children. */
const NODE_WORDS = 33;
export const NO_LEVEL = -1;

/** Of an index without levels: a root, which is only read. Most books of a catalogue are empty for long. */
const EMPTY_ROOT = new Int32Array(NODE_WORDS);

export class PriceIndex {
  private words = EMPTY_ROOT;
  private nodeCount = 1;
  private freeNode = 0;
  /** The last node found above the leaves, and the bits of the prices below it; cached, because successive orders have similar prices. */
  private twigNode = 0;
  private twigPrefix = -1;
  /** Nodes on the path from the root to the last price. */
  private readonly path = new Int32Array(DEPTH);

  find(price: number): number {
    const leafNode = this.leafNode(price);
    if (leafNode === 0) return NO_LEVEL;
    const leaf = this.words[leafNode * NODE_WORDS + 1 + ((price >>> 5) & 31)]!;
    return leaf === 0 ? NO_LEVEL : this.words[leaf * NODE_WORDS + 1 + (price & 31)]! - 1;
  }

  insert(price: number, level: number): void {
    assert(price > 0 && price <= PRICE_TICKS_MAX, 'price outside the index');
    if (this.words === EMPTY_ROOT) this.words = new Int32Array(NODE_WORDS * 16);
    let node = 0;
    for (let shift = 25; shift > 0; shift -= 5) {
      const at = node * NODE_WORDS + 1 + ((price >>> shift) & 31);
      let child = this.words[at]!;
      if (child === 0) {
        child = this.newNode();
        this.words[at] = child;
        this.words[node * NODE_WORDS]! |= 1 << ((price >>> shift) & 31);
      }
      node = child;
    }
    this.words[node * NODE_WORDS + 1 + (price & 31)] = level + 1;
    this.words[node * NODE_WORDS]! |= 1 << (price & 31);
  }

  remove(price: number): void {
    const words = this.words;
    const path = this.path;
    let node = 0;
    for (let depth = 0, shift = 25; depth < DEPTH; depth++, shift -= 5) {
      path[depth] = node;
      if (shift > 0) node = words[node * NODE_WORDS + 1 + ((price >>> shift) & 31)]!;
    }
    for (let depth = DEPTH - 1, shift = 0; depth >= 0; depth--, shift += 5) {
      const base = path[depth]! * NODE_WORDS;
      const slot = (price >>> shift) & 31;
      words[base + 1 + slot] = 0;
      words[base]! &= ~(1 << slot);
      if (words[base] !== 0 || depth === 0) return;
      words[base + 1] = this.freeNode;
      this.freeNode = path[depth]!;
      if (this.freeNode === this.twigNode) this.twigPrefix = -1;
    }
  }

  /** Removes the prices up to this one, or from this one on, and returns their levels. Each node is visited once. */
  take(price: number, upTo: boolean): number[] {
    const levels: number[] = [];
    this.twigPrefix = -1;
    this.takePart(0, 25, Math.min(price, PRICE_TICKS_MAX), upTo, levels);
    return levels;
  }

  /** Of a node on the path to the price. */
  private takePart(node: number, shift: number, price: number, upTo: boolean, levels: number[]): void {
    const words = this.words;
    const base = node * NODE_WORDS;
    const slot = (price >>> shift) & 31;
    const bit = 1 << slot;
    const before = bit - 1;
    let taken = words[base]! & (upTo ? before : ~before << 1);
    if (shift === 0) taken |= words[base]! & bit;
    else if ((words[base]! & bit) !== 0) {
      const child = words[base + 1 + slot]!;
      this.takePart(child, shift - 5, price, upTo, levels);
      if (words[child * NODE_WORDS] === 0) taken |= bit;
    }
    this.takeSlots(base, taken, shift, levels);
  }

  /** What is below these slots of a node. */
  private takeSlots(base: number, slots: number, shift: number, levels: number[]): void {
    const words = this.words;
    for (let mask = slots; mask !== 0; mask &= mask - 1) {
      const at = base + 1 + lowestBit(mask);
      const entry = words[at]!;
      words[at] = 0;
      if (shift === 0) {
        levels.push(entry - 1);
        continue;
      }
      const child = entry * NODE_WORDS;
      this.takeSlots(child, words[child]!, shift - 5, levels);
      words[child + 1] = this.freeNode;
      this.freeNode = entry;
    }
    words[base]! &= ~slots;
  }

  /** The level of the highest price below `price`. */
  below(price: number): number {
    const words = this.words;
    const depth = this.descend(price);
    for (let d = depth, shift = 25 - 5 * depth; d >= 0; d--, shift += 5) {
      const base = this.path[d]! * NODE_WORDS;
      const mask = words[base]! & ((1 << ((price >>> shift) & 31)) - 1);
      if (mask !== 0) return this.highest(words[base + 1 + (31 - Math.clz32(mask))]!, shift);
    }
    return NO_LEVEL;
  }

  /** The level of the lowest price above `price`. */
  above(price: number): number {
    const words = this.words;
    const depth = this.descend(price);
    for (let d = depth, shift = 25 - 5 * depth; d >= 0; d--, shift += 5) {
      const base = this.path[d]! * NODE_WORDS;
      const slot = (price >>> shift) & 31;
      const mask = slot === 31 ? 0 : words[base]! & (-1 << (slot + 1));
      if (mask !== 0) return this.lowest(words[base + 1 + lowestBit(mask)]!, shift);
    }
    return NO_LEVEL;
  }

  /** The node of the 1,024 prices around this one; 0 = none of them has a level. */
  private leafNode(price: number): number {
    const prefix = price >>> 10;
    if (prefix === this.twigPrefix) return this.twigNode;
    const words = this.words;
    let node = 0;
    for (let shift = 25; shift > 5; shift -= 5) {
      node = words[node * NODE_WORDS + 1 + ((price >>> shift) & 31)]!;
      if (node === 0) return 0;
    }
    this.twigPrefix = prefix;
    this.twigNode = node;
    return node;
  }

  /** Fills `path` as far as nodes exist and returns the depth of the last one. */
  private descend(price: number): number {
    let node = 0;
    let depth = 0;
    this.path[0] = 0;
    for (let shift = 25; shift > 0; shift -= 5) {
      node = this.words[node * NODE_WORDS + 1 + ((price >>> shift) & 31)]!;
      if (node === 0) return depth;
      this.path[++depth] = node;
    }
    return depth;
  }

  private highest(entry: number, shift: number): number {
    const words = this.words;
    for (let s = shift; s > 0; s -= 5) {
      const base = entry * NODE_WORDS;
      entry = words[base + 1 + (31 - Math.clz32(words[base]!))]!;
    }
    return entry - 1;
  }

  private lowest(entry: number, shift: number): number {
    const words = this.words;
    for (let s = shift; s > 0; s -= 5) {
      const base = entry * NODE_WORDS;
      entry = words[base + 1 + lowestBit(words[base]!)]!;
    }
    return entry - 1;
  }

  private newNode(): number {
    if (this.freeNode !== 0) {
      const node = this.freeNode;
      this.freeNode = this.words[node * NODE_WORDS + 1]!;
      this.words[node * NODE_WORDS + 1] = 0;
      return node;
    }
    const node = this.nodeCount++;
    if (this.nodeCount * NODE_WORDS > this.words.length) {
      const grown = new Int32Array(this.words.length * 2);
      grown.set(this.words);
      this.words = grown;
    }
    return node;
  }
}

function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}
