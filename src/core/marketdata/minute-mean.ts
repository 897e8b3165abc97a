/** Mean of a price over the last sixty seconds (rules 13.3, 13.6). */
import type { Fields } from '../model/bytes.ts';
import { divHalf } from '../model/units.ts';

const SECONDS = 60;

export class MinuteMean {
  /** Oldest first; the first value ever stands for the whole minute before it. */
  private readonly values: bigint[] = [];
  private sum = 0n;

  get isEmpty(): boolean {
    return this.values.length === 0;
  }

  /** The value of the last second; 0 = none yet. */
  get last(): bigint {
    return this.values.at(-1) ?? 0n;
  }

  /** 0 = none yet. */
  get mean(): bigint {
    return this.isEmpty ? 0n : divHalf(this.sum, BigInt(SECONDS));
  }

  /** The value of a second, so many seconds after the one before; those that nobody saw repeat the last. */
  add(value: bigint, seconds: number): void {
    if (this.isEmpty) this.restart(value, value);
    else if (seconds >= SECONDS) this.restart(this.last, value);
    else {
      const { last } = this;
      for (let n = seconds - 1; n > 0; n--) this.push(last);
      this.push(value);
    }
  }

  /** A whole minute of one value and its last second of another. */
  private restart(before: bigint, value: bigint): void {
    for (let n = 0; n < SECONDS - 1; n++) this.values[n] = before;
    this.values[SECONDS - 1] = value;
    this.sum = before * BigInt(SECONDS - 1) + value;
  }

  private push(value: bigint): void {
    this.values.push(value);
    this.sum += value;
    if (this.values.length > SECONDS) this.sum -= this.values.shift()!;
  }

  fields(f: Fields): void {
    const count = f.u8(this.values.length);
    for (let n = 0; n < count; n++) {
      const value = f.money(this.values[n] ?? 0n);
      if (n >= this.values.length) this.push(value);
    }
  }
}
