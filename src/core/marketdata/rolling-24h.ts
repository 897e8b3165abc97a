/**
 * Trades of the last 24 hours of one book (rules 8.1): a ring of buckets, one per millisecond with trades, and
 * two monotonic queues for the highest and lowest price. Sums are kept as buckets come and go. Buckets leave by
 * logical time alone, so the content depends only on the trades and the exchange's clock.
 */
import { type Amount, differenceOf, sumOf } from '../model/amount.ts';
import { WINDOW_BUCKETS_MAX } from '../model/limits.ts';

const DAY = 86_400_000;
/** A value is kept as two numbers, of which the first counts in this unit. */
const VALUE_UNIT = 2 ** 40;
const VALUE_UNIT_BIG = BigInt(VALUE_UNIT);
/** With fewer units a value is an exact number. */
const EXACT_UNITS = 2 ** 13;

export interface DayStatistics {
  readonly lastTicks: number;
  readonly openTicks: number;
  readonly highTicks: number;
  readonly lowTicks: number;
  readonly volumeLots: number;
  readonly turnover: bigint;
}

export interface DayBucket {
  time: number;
  highTicks: number;
  lowTicks: number;
  lastTicks: number;
  lots: number;
  value: Amount;
}

/** Few: most books of a catalogue have no trades for long. */
const FIRST_BUCKETS = 8;

export class Rolling24h {
  lastTicks = 0;
  private firstTicks = 0;
  /** Price of the last trade that has left the window; 0 = none yet. */
  private leftTicks = 0;
  private volumeLots = 0;
  private turnover: Amount = 0;
  /** Trades closer together than this share a bucket; doubled when a day has too many. */
  private resolution = 1;

  // Buckets number `head` to `tail - 1`, each at its number modulo the capacity.
  private head = 0;
  private tail = 0;
  private mask = FIRST_BUCKETS - 1;
  private time = new Float64Array(FIRST_BUCKETS);
  private high = new Int32Array(FIRST_BUCKETS);
  private low = new Int32Array(FIRST_BUCKETS);
  private last = new Int32Array(FIRST_BUCKETS);
  private lots = new Float64Array(FIRST_BUCKETS);
  private valueHigh = new Float64Array(FIRST_BUCKETS);
  private valueLow = new Float64Array(FIRST_BUCKETS);
  private readonly highs = new MonotonicQueue();
  private readonly lows = new MonotonicQueue();

  trade(time: number, ticks: number, lots: number, value: Amount): void {
    this.expire(time);
    if (this.firstTicks === 0) this.firstTicks = ticks;
    this.lastTicks = ticks;
    this.add({ time, highTicks: ticks, lowTicks: ticks, lastTicks: ticks, lots, value });
    if (this.tail - this.head > WINDOW_BUCKETS_MAX) this.downsample();
  }

  statistics(now: number): DayStatistics {
    this.expire(now);
    const open = this.leftTicks !== 0 ? this.leftTicks : this.firstTicks;
    const empty = this.head === this.tail;
    return {
      lastTicks: this.lastTicks,
      openTicks: empty ? this.lastTicks : open,
      highTicks: empty ? this.lastTicks : Math.max(open, this.high[this.highs.first() & this.mask]!),
      lowTicks: empty ? this.lastTicks : Math.min(open, this.low[this.lows.first() & this.mask]!),
      volumeLots: this.volumeLots,
      turnover: BigInt(this.turnover),
    };
  }

  /** Removes buckets that are 24 hours old or older. */
  expire(now: number): void {
    while (this.head < this.tail && this.time[this.head & this.mask]! <= now - DAY) {
      const at = this.head & this.mask;
      this.leftTicks = this.last[at]!;
      this.volumeLots -= this.lots[at]!;
      this.turnover = differenceOf(this.turnover, this.valueAt(at));
      this.highs.dropFirst(this.head);
      this.lows.dropFirst(this.head);
      this.head++;
    }
  }

  save(): {
    firstTicks: number;
    leftTicks: number;
    lastTicks: number;
    resolution: number;
    buckets: DayBucket[];
  } {
    const { firstTicks, leftTicks, lastTicks, resolution } = this;
    const buckets: DayBucket[] = [];
    for (let n = this.head; n < this.tail; n++) buckets.push(this.bucketAt(n & this.mask));
    return { firstTicks, leftTicks, lastTicks, resolution, buckets };
  }

  restore(saved: ReturnType<Rolling24h['save']>): void {
    this.firstTicks = saved.firstTicks;
    this.leftTicks = saved.leftTicks;
    this.lastTicks = saved.lastTicks;
    this.resolution = saved.resolution;
    for (const bucket of saved.buckets) this.add(bucket);
  }

  private add(bucket: DayBucket): void {
    this.volumeLots += bucket.lots;
    this.turnover = sumOf(this.turnover, bucket.value);
    const newest = (this.tail - 1) & this.mask;
    if (this.tail > this.head && bucket.time - this.time[newest]! < this.resolution) {
      if (bucket.highTicks > this.high[newest]!) this.high[newest] = bucket.highTicks;
      if (bucket.lowTicks < this.low[newest]!) this.low[newest] = bucket.lowTicks;
      this.last[newest] = bucket.lastTicks;
      this.lots[newest]! += bucket.lots;
      this.setValue(newest, sumOf(this.valueAt(newest), bucket.value));
      this.highs.dropLast(this.tail - 1);
      this.lows.dropLast(this.tail - 1);
    } else {
      if (this.tail - this.head > this.mask) this.grow();
      const at = this.tail++ & this.mask;
      this.time[at] = bucket.time;
      this.high[at] = bucket.highTicks;
      this.low[at] = bucket.lowTicks;
      this.last[at] = bucket.lastTicks;
      this.lots[at] = bucket.lots;
      this.setValue(at, bucket.value);
    }
    const { high, low, mask } = this;
    const number = this.tail - 1;
    this.highs.push(number, (earlier) => high[earlier & mask]! <= high[number & mask]!);
    this.lows.push(number, (earlier) => low[earlier & mask]! >= low[number & mask]!);
  }

  private downsample(): void {
    const { buckets } = this.save();
    while (this.tail - this.head > WINDOW_BUCKETS_MAX / 2) {
      this.resolution *= 2;
      this.head = 0;
      this.tail = 0;
      this.volumeLots = 0;
      this.turnover = 0;
      this.highs.clear();
      this.lows.clear();
      for (const bucket of buckets) this.add(bucket);
    }
  }

  private bucketAt(at: number): DayBucket {
    return {
      time: this.time[at]!,
      highTicks: this.high[at]!,
      lowTicks: this.low[at]!,
      lastTicks: this.last[at]!,
      lots: this.lots[at]!,
      value: this.valueAt(at),
    };
  }

  private valueAt(at: number): Amount {
    const high = this.valueHigh[at]!;
    const low = this.valueLow[at]!;
    return high < EXACT_UNITS ? high * VALUE_UNIT + low : BigInt(high) * VALUE_UNIT_BIG + BigInt(low);
  }

  private setValue(at: number, value: Amount): void {
    if (typeof value === 'number') {
      const high = Math.floor(value / VALUE_UNIT);
      this.valueHigh[at] = high;
      this.valueLow[at] = value - high * VALUE_UNIT;
    } else {
      this.valueHigh[at] = Number(value / VALUE_UNIT_BIG);
      this.valueLow[at] = Number(value % VALUE_UNIT_BIG);
    }
  }

  private grow(): void {
    const capacity = (this.mask + 1) * 2;
    const { buckets } = this.save();
    this.time = new Float64Array(capacity);
    this.high = new Int32Array(capacity);
    this.low = new Int32Array(capacity);
    this.last = new Int32Array(capacity);
    this.lots = new Float64Array(capacity);
    this.valueHigh = new Float64Array(capacity);
    this.valueLow = new Float64Array(capacity);
    this.mask = capacity - 1;
    buckets.forEach((bucket, n) => {
      const at = (this.head + n) & this.mask;
      this.time[at] = bucket.time;
      this.high[at] = bucket.highTicks;
      this.low[at] = bucket.lowTicks;
      this.last[at] = bucket.lastTicks;
      this.lots[at] = bucket.lots;
      this.setValue(at, bucket.value);
    });
  }
}

/** Bucket numbers whose values only fall (or only rise) from first to last: the first one is the extreme. */
class MonotonicQueue {
  private numbers: number[] = [];
  private start = 0;

  first(): number {
    return this.numbers[this.start]!;
  }

  push(number: number, beatenBy: (earlier: number) => boolean): void {
    while (this.numbers.length > this.start && beatenBy(this.numbers[this.numbers.length - 1]!))
      this.numbers.pop();
    this.numbers.push(number);
  }

  dropLast(number: number): void {
    if (this.numbers.length > this.start && this.numbers[this.numbers.length - 1] === number)
      this.numbers.pop();
  }

  dropFirst(number: number): void {
    if (this.numbers[this.start] !== number) return;
    this.start++;
    if (this.start > 256 && this.start * 2 > this.numbers.length) {
      this.numbers = this.numbers.slice(this.start);
      this.start = 0;
    }
  }

  clear(): void {
    this.numbers = [];
    this.start = 0;
  }
}
