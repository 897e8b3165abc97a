/** The dollar price of a stablecoin: a mean of a minute, within limits (rules 13.3). */
import type { Fields } from '../model/bytes.ts';
import { clamp, larger, MONEY_ONE, smaller } from '../model/units.ts';
import { MinuteMean } from './minute-mean.ts';

/** Without a vote the last value is repeated for so long; then the coin is a dollar again. */
const REPEAT_MS = 15 * 60_000;
const LOWEST = (MONEY_ONE * 90n) / 100n;
const HIGHEST = (MONEY_ONE * 102n) / 100n;

export class StablecoinPrice {
  private readonly minute = new MinuteMean();
  /** Time of the last value. */
  private votedTime = 0;

  /** 10^-8 dollars. */
  get price(): bigint {
    return this.minute.isEmpty ? MONEY_ONE : clamp(this.minute.mean, LOWEST, HIGHEST);
  }

  /** What it was worth in the last second, before the mean. */
  get last(): bigint {
    return this.minute.last || MONEY_ONE;
  }

  /** The mean or the last second, whichever is higher or lower: conversions use the one that is worse for the owner (rules 13.6). */
  get highest(): bigint {
    return clamp(larger(this.price, this.last), LOWEST, HIGHEST);
  }

  get lowest(): bigint {
    return clamp(smaller(this.price, this.last), LOWEST, HIGHEST);
  }

  /** Each second: the value now, undefined when no index gives one. */
  add(value: bigint | undefined, time: number, seconds: number): void {
    if (value !== undefined) this.votedTime = time;
    const repeated = time - this.votedTime < REPEAT_MS ? this.minute.last || MONEY_ONE : MONEY_ONE;
    this.minute.add(value ?? repeated, seconds);
  }

  fields(f: Fields): void {
    this.minute.fields(f);
    this.votedTime = f.f64(this.votedTime);
  }
}
