/** A feed for some indices, over another that provides prices for the rest. */
import type { FollowedIndex, PriceFeed, Report } from './price-feed.ts';

/** Prices of some indices; the others are left to the feed below. */
export interface PartialFeed {
  readonly name: string;
  /** Does it have prices for this index? */
  covers(index: FollowedIndex): boolean;
  reports(indices: readonly FollowedIndex[], now: number): readonly Report[];
  close(): void;
}

export class LayeredFeed implements PriceFeed {
  private readonly upper: PartialFeed;
  private readonly lower: PriceFeed;
  private covered: FollowedIndex[] = [];
  private coveredNumbers = new Set<number>();

  constructor(upper: PartialFeed, lower: PriceFeed) {
    this.upper = upper;
    this.lower = lower;
  }

  get name(): string {
    return this.upper.name;
  }

  follow(indices: readonly FollowedIndex[], now: number): void {
    this.covered = indices.filter((index) => this.upper.covers(index));
    this.coveredNumbers = new Set(this.covered.map(({ index }) => index));
    this.lower.follow(indices, now);
  }

  reports(now: number): readonly Report[] {
    const rest = this.lower.reports(now).filter(({ index }) => !this.coveredNumbers.has(index));
    return [...this.upper.reports(this.covered, now), ...rest];
  }

  /** Real prices cannot be shocked. */
  shock(coin: string, factor: number, overMs: number): boolean {
    if (this.covered.some(({ base }) => base === coin)) return false;
    return this.lower.shock(coin, factor, overMs);
  }

  close(): void {
    this.upper.close();
    this.lower.close();
  }
}

const DOLLARS = ['USDT', 'USD', 'USDC'];

/** Other names of the pair: its own, then the same coin against another dollar. */
export function pairNames({ base, quote }: FollowedIndex): string[] {
  const quotes = DOLLARS.includes(quote) ? [quote, ...DOLLARS.filter((each) => each !== quote)] : [quote];
  return quotes.map((each) => `${base}/${each}`);
}
