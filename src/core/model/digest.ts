/** 2^-32: a product by a power of two is exact, and cheaper than a quotient. */
const HIGH_HALF = 2 ** -32;

/**
 * A running 52-bit digest of every result. Two exchanges that applied the same commands have the same digest; the
 * writer puts it into the log now and then, so that a replay that went another way is caught at that very command.
 */
export class Digest {
  private high = 0x9e3779b9 | 0;
  private low = 0x85ebca6b | 0;

  fold(value: number): void {
    const bits = (value | 0) ^ Math.imul((value * HIGH_HALF) | 0, 0x27d4eb2f);
    this.low = (Math.imul(this.low ^ bits, 0x01000193) + 0x3c6ef372) | 0;
    this.high = Math.imul(this.high ^ this.low ^ (this.low >>> 15), 0x2c1b3c6d);
  }

  get value(): number {
    return (this.high >>> 0) * 0x100000 + ((this.low >>> 12) & 0xfffff);
  }

  save(): [number, number] {
    return [this.high, this.low];
  }

  restore(saved: readonly [number, number]): void {
    this.high = saved[0];
    this.low = saved[1];
  }
}
