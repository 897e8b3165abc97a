/** A small seeded generator (xorshift): the same flow on every machine. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0 || 1;
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Distances that are mostly short and sometimes long, with this mean. */
  distance(mean: number): number {
    return Math.floor(-Math.log(1 - this.next()) * mean);
  }
}
