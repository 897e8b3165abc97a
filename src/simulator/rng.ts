/**
 * Seeded random numbers. Every feed and every agent has a generator of its own, so one more number for one changes
 * none of the others.
 */
import { log } from './deterministic-math.ts';

export class Rng {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;
  private spare: number | undefined;

  /** The same seed and name give the same numbers on every machine. */
  constructor(seed: number, name: string) {
    let hash = 0x811c_9dc5 ^ seed;
    for (let n = 0; n < name.length; n++) hash = Math.imul(hash ^ name.charCodeAt(n), 0x0100_0193);
    this.a = hash | 0;
    this.b = Math.imul(hash ^ 0x9e37_79b9, 0x85eb_ca6b) | 0;
    this.c = Math.imul(seed | 0, 0xc2b2_ae35) ^ 0x27d4_eb2f;
    for (let n = 0; n < 15; n++) this.next();
  }

  /** From 0 up to, not including, 1 (the generator sfc32). */
  next(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  /** Mean 0, deviation 1 (the polar method: needs no sine). */
  normal(): number {
    if (this.spare !== undefined) {
      const { spare } = this;
      this.spare = undefined;
      return spare;
    }
    for (;;) {
      const x = 2 * this.next() - 1;
      const y = 2 * this.next() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const scale = Math.sqrt((-2 * log(square)) / square);
      this.spare = y * scale;
      return x * scale;
    }
  }

  /** Waiting times of a Poisson process. */
  exponential(mean: number): number {
    return -log(1 - this.next()) * mean;
  }
}
