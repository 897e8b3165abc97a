/**
 * The index of a pair: a weighted mean of prices of other exchanges, protected against stopped and wrong ones (rules
 * 5.14). Prices are integers of 10^-8; time is the exchange's clock.
 */
import type { Fields } from '../model/bytes.ts';
import { divHalf, larger, smaller } from '../model/units.ts';
import { MinuteMean } from './minute-mean.ts';

/** A component is excluded when its price has not changed for this long. */
const UNCHANGED_MS = 15 * 60_000;
/** A feed without a report over this many sampled seconds has stopped (rules 13.6). */
const SILENT_SECONDS = 60;
/** The same by the clock: nothing is lent or paid out at a price whose last report is older. */
const SILENT_MS = 60_000;
/** An index with two components reported within this time, of which fewer than two are live, is thin. */
const RECENTLY_REPORTED_MS = 24 * 60 * 60_000;
/** Farther from the median than the first, in 1/1000: out; back in only when no farther than the second. */
const OUT_PERMILLE = 50n;
const BACK_PERMILLE = 20n;
/** A change of the components that moves the index by more than this is spread over a minute. */
const SMOOTH_PERMILLE = 1n;
const SMOOTH_MS = 60_000;
/** Interval at which the weights follow the volumes. */
export const WEIGHTS_MS = 4 * 60 * 60_000;

export interface Component {
  readonly exchange: string;
  readonly spotPair: string;
  /** 10^-12, as published; those of excluded components are shared by the others. */
  weight: bigint;
  /** 10^-8; 0 = no price yet. */
  price: bigint;
  /** 24-hour volume as reported, 0 = not known. */
  volume: bigint;
  changedTime: number;
  /** Time of the last report, number of seconds sampled by then, and whether the operator made it (rules 13.6). */
  reportedTime: number;
  reportedSeen: number;
  byOperator: boolean;
  /** Out for being far from the others. */
  outlier: boolean;
}

export class IndexPrice {
  readonly name: string;
  readonly components: Component[];
  /** 10^-8; 0 = none yet. */
  price = 0n;
  /** No component is usable: the last price stays, and no account is liquidated at it. */
  stale = true;
  /** Only one component is left of several: the price follows it, and no account is liquidated at it (rules 13.6). */
  thin = false;
  /** Of the last minute. */
  private readonly minute = new MinuteMean();
  /** When any of its components was last reported. */
  private lastReported = 0;
  /** Number of seconds at which the price was sampled. */
  private seen = 0;
  /** Which components made the price, a bit each. */
  private members = 0;
  /** Sum of their weights in the mean; each counts with its share of this sum. */
  private weightInUse = 0n;
  /** Rest of the jump by a change of members that is still to be spread. */
  private offset = 0n;
  private offsetTime = 0;

  constructor(name: string, components: Component[]) {
    this.name = name;
    this.components = components;
  }

  /**
   * Takes a reported price. A feed that repeats a price may have stopped, so a repetition does not make it fresh; a
   * repetition by the operator does.
   */
  report(component: number, price: bigint, volume: bigint, time: number, byOperator: boolean): void {
    const at = this.components[component]!;
    if (at.price !== price || byOperator) {
      at.price = price;
      at.changedTime = time;
    }
    at.volume = volume;
    at.reportedTime = time;
    this.lastReported = Math.max(this.lastReported, time);
    at.reportedSeen = this.seen;
    at.byOperator = byOperator;
  }

  /** Does no component or only one make the price? Then there are no forced closes at it. */
  get isUnsafe(): boolean {
    return this.stale || this.thin;
  }

  /** Is a change of the components still being spread? Then the price is not what they say. */
  get isSpread(): boolean {
    return this.offset !== 0n;
  }

  /** When the latest of its live components was reported; 0 = none is live. */
  reportedAt(time: number): number {
    let latest = 0;
    for (const component of this.components)
      if (this.isLive(component, time)) latest = Math.max(latest, component.reportedTime);
    return latest;
  }

  /**
   * Has there been no report for a minute of the clock, downtime included, and is there no valid price of the operator? After
   * a downtime the price is the one from before it until a feed reports (rules 13.6 (d)).
   */
  isSilent(time: number): boolean {
    if (time - this.lastReported <= SILENT_MS) return false;
    return !this.components.some((component) => component.byOperator && this.isLive(component, time));
  }

  /** The price of now or the mean of the last minute, whichever is higher or lower. */
  get highest(): bigint {
    return larger(this.price, this.minute.mean);
  }

  get lowest(): bigint {
    return this.minute.isEmpty ? this.price : smaller(this.price, this.minute.mean);
  }

  /** Reports made under the first edition count as the operator's, made when the price last changed (rules 13.12). */
  enterSecondEdition(): void {
    for (const component of this.components) {
      component.reportedTime = component.changedTime;
      component.byOperator = true;
    }
    this.lastReported = this.latestReport();
  }

  /** Once a second under the rules of live components, so many seconds after the last time. */
  updateLive(time: number, seconds: number): void {
    this.seen++;
    const recent = this.components.filter(
      ({ price, reportedTime }) => price > 0n && time - reportedTime < RECENTLY_REPORTED_MS,
    );
    const live = this.components.filter((component) => this.isLive(component, time));
    this.thin = live.length < 2 && recent.length >= 2;
    this.takePrice(live, time, this.stale);
    if (this.price > 0n) this.minute.add(this.price, seconds);
  }

  /** A price of the operator is valid for 15 minutes; a feed must keep reporting, and its price must change. */
  isLive(component: Component, time: number): boolean {
    if (!isFresh(component, time)) return false;
    return component.byOperator || this.seen - component.reportedSeen <= SILENT_SECONDS;
  }

  /** Last time at which a component changed or the operator confirmed it. */
  get changedTime(): number {
    return this.components.reduce(
      (latest, { price, changedTime }) => (price > 0n ? Math.max(latest, changedTime) : latest),
      0,
    );
  }

  /** Time at which the price becomes stale if no component changes. */
  get freshUntil(): number {
    return this.changedTime + UNCHANGED_MS;
  }

  /** During downtime the price stays, but it may become stale. */
  age(time: number): void {
    if (!this.components.some((component) => isFresh(component, time))) this.stale = true;
  }

  /** Once a second. */
  update(time: number): void {
    this.takePrice(
      this.components.filter((component) => isFresh(component, time)),
      time,
    );
  }

  /** `anew`: the index was stale, so there is no earlier price to smooth from. */
  private takePrice(fresh: readonly Component[], time: number, anew = false): void {
    if (fresh.length === 0) {
      this.stale = true;
      return;
    }
    const middle = median(fresh.map((c) => c.price));
    for (const component of fresh) {
      const allowed = component.outlier ? BACK_PERMILLE : OUT_PERMILLE;
      component.outlier = distance(component.price, middle) * 1000n > allowed * middle;
    }
    const inside = fresh.filter((c) => !c.outlier);
    this.set(inside.length === 0 ? fresh : inside, time, anew);
  }

  /** Every four hours; only when the volumes of all components are known. */
  reweigh(): void {
    const total = this.components.reduce((sum, c) => sum + c.volume, 0n);
    if (this.components.some((c) => c.volume === 0n)) return;
    for (const component of this.components) component.weight = divHalf(component.volume * 10n ** 12n, total);
  }

  /** I43: parts of the whole that the components in use make up sum to exactly one. */
  get weightsSumToOne(): boolean {
    const used = this.components.filter((_, n) => (this.members & (1 << n)) !== 0);
    return used.length > 0 && used.reduce((sum, c) => sum + c.weight, 0n) === this.weightInUse;
  }

  /** For snapshots. */
  fields(f: Fields): void {
    this.price = f.money(this.price);
    this.stale = f.flag(this.stale);
    this.members = f.i32(this.members);
    this.weightInUse = f.money(this.weightInUse);
    this.offset = f.money(this.offset);
    this.offsetTime = f.f64(this.offsetTime);
    for (const component of this.components) {
      component.weight = f.money(component.weight);
      component.price = f.money(component.price);
      component.volume = f.money(component.volume);
      component.changedTime = f.f64(component.changedTime);
      component.outlier = f.flag(component.outlier);
    }
  }

  secondEditionFields(f: Fields): void {
    this.thin = f.flag(this.thin);
    this.seen = f.f64(this.seen);
    this.minute.fields(f);
    for (const component of this.components) {
      component.reportedTime = f.f64(component.reportedTime);
      component.reportedSeen = f.f64(component.reportedSeen);
      component.byOperator = f.flag(component.byOperator);
    }
    this.lastReported = this.latestReport();
  }

  private latestReport(): number {
    return this.components.reduce((latest, { reportedTime }) => Math.max(latest, reportedTime), 0);
  }

  private set(used: readonly Component[], time: number, anew: boolean): void {
    const { mean, weightInUse } = weightedMean(used);
    const members = used.reduce((bits, c) => bits | (1 << this.components.indexOf(c)), 0);
    const before = this.price;
    const jumps = before !== 0n && distance(mean, before) * 1000n > SMOOTH_PERMILLE * before;
    if (anew) this.offset = 0n;
    else if (jumps && members !== this.members) {
      this.offset = before - mean;
      this.offsetTime = time;
    }
    const left = SMOOTH_MS - (time - this.offsetTime);
    if (left <= 0) this.offset = 0n;
    this.members = members;
    this.weightInUse = weightInUse;
    this.stale = false;
    this.price = this.offset === 0n ? mean : mean + divHalf(this.offset * BigInt(left), BigInt(SMOOTH_MS));
  }
}

function isFresh({ price, changedTime }: Component, time: number): boolean {
  return price > 0n && time - changedTime < UNCHANGED_MS;
}

/** Normalises the weights to a sum of one: published ones are rounded, and excluded components are missing. */
function weightedMean(components: readonly Component[]): { mean: bigint; weightInUse: bigint } {
  let sum = 0n;
  let weightInUse = 0n;
  for (const { price, weight } of components) {
    sum += price * weight;
    weightInUse += weight;
  }
  const mean = weightInUse === 0n ? median(components.map((c) => c.price)) : divHalf(sum, weightInUse);
  return { mean, weightInUse };
}

/** The middle value; the mean of the middle two when their number is even. */
export function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : divHalf(sorted[half - 1]! + sorted[half]!, 2n);
}

function distance(a: bigint, b: bigint): bigint {
  return a < b ? b - a : a - b;
}
