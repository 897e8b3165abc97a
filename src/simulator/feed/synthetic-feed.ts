/**
 * The default feed: prices generated from a seed. Each index has several components that follow the coins' prices
 * with small deviations of their own and report at their own times, so that the rules of the index are exercised.
 */

import { exp } from '../deterministic-math.ts';
import type { MarketParameters } from '../parameters.ts';
import { Rng } from '../rng.ts';
import { CoinPrices, ornsteinUhlenbeckStep } from './coin-prices.ts';
import { type FollowedIndex, type PriceFeed, priceUnits, type Report } from './price-feed.ts';

/** Deviation between components, as a fraction, and its half-life. */
const DISAGREEMENT = { deviation: 0.00012, halfLifeS: 20 };
/** Daily volume of a component in dollars, before its weight. */
const DAY_VOLUME_USD = 2e9;
/** Mean time between two prices of a component. */
const MAJOR_INTERVAL_MS = 1000;
const OTHER_INTERVAL_MS = 2000;
const MAJORS: ReadonlySet<string> = new Set(['BTC', 'ETH']);

interface ComponentSource {
  readonly index: FollowedIndex;
  readonly component: number;
  readonly rng: Rng;
  /** Logarithm of its price over the market's. */
  off: number;
  volume: number;
  dueMs: number;
}

export interface SyntheticOptions {
  readonly seed: number;
  readonly parameters: MarketParameters;
  /** Multiplies every volatility. */
  readonly intensity: number;
}

export class SyntheticFeed implements PriceFeed {
  readonly name: string;
  readonly prices: CoinPrices;
  private readonly seed: number;
  private sources: ComponentSource[] = [];
  private readonly known = new Set<number>();
  private lastMs = 0;

  constructor({ seed, parameters, intensity }: SyntheticOptions) {
    this.name = `synthetic, seed ${seed}`;
    this.seed = seed;
    this.prices = new CoinPrices(parameters, seed, intensity);
  }

  follow(indices: readonly FollowedIndex[], now: number): void {
    if (this.lastMs === 0) this.lastMs = now;
    for (const coin of ['USDT', 'USDC']) this.prices.add(coin, 1);
    // A dollar pair sets a coin's price; pairs between coins follow from two of those.
    const dollarsFirst = [...indices].sort((a, b) => rank(a) - rank(b));
    for (const { base, quote, price } of dollarsFirst) {
      this.prices.add(base, price * exp(this.prices.level(quote)));
    }
    for (const followed of indices) if (!this.known.has(followed.index)) this.open(followed, now);
  }

  reports(now: number): readonly Report[] {
    const seconds = (now - this.lastMs) / 1000;
    if (seconds > 0) this.prices.step(seconds);
    this.lastMs = now;
    const reports: Report[] = [];
    for (const source of this.sources) if (source.dueMs <= now) reports.push(this.report(source, now));
    return reports;
  }

  shock(coin: string, factor: number, overMs: number): boolean {
    // Components that report one after another would exclude each other from the index for a minute.
    if (overMs === 0) for (const source of this.sources) source.dueMs = 0;
    return this.prices.shock(coin, factor, overMs);
  }

  close(): void {}

  private open(followed: FollowedIndex, now: number): void {
    this.known.add(followed.index);
    for (const component of followed.weights.keys()) {
      const rng = new Rng(this.seed, `venue ${followed.name} ${component}`);
      const off = rng.normal() * DISAGREEMENT.deviation;
      this.sources.push({ index: followed, component, rng, off, volume: rng.normal() * 0.2, dueMs: now });
    }
  }

  private report(source: ComponentSource, now: number): Report {
    const { index, component, rng } = source;
    const { base, quote, pricePrecision, weights } = index;
    const mean = MAJORS.has(base) ? MAJOR_INTERVAL_MS : OTHER_INTERVAL_MS;
    const waited = Math.min(now - source.dueMs + mean, 3_600_000) / 1000;
    source.off = ornsteinUhlenbeckStep(
      source.off,
      DISAGREEMENT.deviation,
      DISAGREEMENT.halfLifeS,
      waited,
      rng.normal(),
    );
    source.volume = ornsteinUhlenbeckStep(source.volume, 0.2, 86_400, waited, rng.normal());
    source.dueMs = now + Math.floor(mean * rng.between(0.7, 1.3));
    const dollars = this.prices.level(base);
    const price = exp(dollars - this.prices.level(quote) + source.off);
    const volume = (DAY_VOLUME_USD * weights[component]! * exp(source.volume)) / exp(dollars);
    return {
      index: index.index,
      component,
      price: priceUnits(price, pricePrecision),
      volume: BigInt(Math.round(volume)) * 100_000_000n + 1n,
    };
  }
}

function rank({ quote }: FollowedIndex): number {
  return ['USDT', 'USD', 'USDC'].indexOf(quote) + 1 || 4;
}
