/**
 * The outside world: what each coin is worth in dollars. The venue hears of it by its feeds; the family, the makers and the
 * strangers simply know it.
 */
import type { Instrument } from '../../src/core/model/instrument.ts';
import { COIN } from './families-venue.ts';

export class World {
  /** Dollars by coin. */
  readonly prices: number[] = [1, 1, 1, 60_000, 3000];

  set(coin: number, price: number): void {
    this.prices[coin] = price;
  }

  /** One coin in another, as a feed tells it: 10^-8. */
  units(base: number, quote: number): bigint {
    return BigInt(Math.round((this.prices[base]! / this.prices[quote]!) * 1e8));
  }

  /** What an instrument is worth, in its quote coin. */
  priceOf({ base, quote }: Pick<Instrument, 'base' | 'quote'>): number {
    return this.prices[base]! / this.prices[quote]!;
  }

  /** No coin falls out of the range in which the venue can follow it: stablecoins are believed from 0.90 to 1.02. */
  within(coin: number, price: number): number {
    if (coin === COIN.usdt || coin === COIN.usdc) return Math.min(1.01, Math.max(0.92, price));
    const home = coin === COIN.btc ? 60_000 : 3000;
    return Math.min(home * 1.6, Math.max(home * 0.6, price));
  }
}
