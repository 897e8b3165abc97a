/**
 * The lots that each level of a book has in one of its two queues. An order has at most 2^40 lots, but eight thousand orders of
 * that size fit a level at the lowest price: a sum beyond exact numbers is NaN and stands in a table of big integers, until
 * it is exact again.
 */
import { assert } from '../model/units.ts';

export class LevelLots {
  private numbers: Float64Array;
  private readonly large = new Map<number, bigint>();

  constructor(levels: number) {
    this.numbers = new Float64Array(levels);
  }

  /** Rounded where it is not exact. */
  of(level: number): number {
    const lots = this.numbers[level]!;
    return Number.isNaN(lots) ? Number(this.large.get(level)!) : lots;
  }

  add(level: number, lots: number): void {
    const sum = this.numbers[level]! + lots;
    if (sum <= Number.MAX_SAFE_INTEGER) this.numbers[level] = sum;
    else this.set(level, this.exact(level) + BigInt(lots));
  }

  take(level: number, lots: number): void {
    const left = this.numbers[level]! - lots;
    if (left >= 0) this.numbers[level] = left;
    else this.set(level, this.exact(level) - BigInt(lots));
  }

  /** A level begins; one that ended has no lots. */
  begin(level: number): void {
    this.numbers[level] = 0;
  }

  grow(levels: number): void {
    const grown = new Float64Array(levels);
    grown.set(this.numbers);
    this.numbers = grown;
  }

  private exact(level: number): bigint {
    return this.large.get(level) ?? BigInt(this.numbers[level]!);
  }

  private set(level: number, lots: bigint): void {
    assert(lots >= 0n, 'I15: a level has fewer lots than its orders');
    const isExact = lots <= Number.MAX_SAFE_INTEGER;
    this.numbers[level] = isExact ? Number(lots) : Number.NaN;
    if (isExact) this.large.delete(level);
    else this.large.set(level, lots);
  }
}
