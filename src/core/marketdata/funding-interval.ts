/** How often funding is settled: more often while the rate stays at its limit (rules 13.8). */
import type { Fields } from '../model/bytes.ts';
import type { FundingBounds } from './funding-rate.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** So many settlements in a row at the limit halve the interval. */
const ROW = 3;

export class FundingInterval {
  /** That of the catalogue; 0 on delivery contracts. */
  private readonly listedMs: number;
  ms: number;
  /** Settlements in a row at the limit under this interval, negative for the lower one. */
  private row = 0;
  /** The last settlement at half of the limit or beyond; 0 = never. */
  private lastHigh = 0;

  constructor(listedMs: number) {
    this.listedMs = listedMs;
    this.ms = listedMs;
  }

  /** After a settlement at a UTC multiple of the interval. */
  settled(rate: bigint, { minFundingRate, maxFundingRate }: FundingBounds, time: number): void {
    const sign = rate > 0n ? 1 : -1;
    const limit = rate > 0n ? maxFundingRate : -minFundingRate;
    const size = rate > 0n ? rate : -rate;
    if (size !== 0n && size * 2n >= limit) this.lastHigh = time;
    const atLimit = size !== 0n && size >= limit;
    this.row = !atLimit ? 0 : Math.sign(this.row) === sign ? this.row + sign : sign;
    if (Math.abs(this.row) >= ROW) this.change(Math.max(HOUR_MS, this.ms / 2));
    else if (time % this.listedMs === 0 && this.lastHigh <= time - DAY_MS) this.change(this.listedMs);
  }

  private change(ms: number): void {
    if (ms === this.ms) return;
    this.ms = ms;
    this.row = 0;
  }

  fields(f: Fields): void {
    this.ms = f.f64(this.ms);
    this.row = f.i32(this.row);
    this.lastHigh = f.f64(this.lastHigh);
  }
}
