/**
 * Index prices of an exchange without a market. A price of the operator counts for 15 minutes (rules 13.6), so those that
 * a test has set are reported again while it moves the clock.
 */

import type { State } from '../core/state/state.ts';
import { followedIndices } from '../simulator/feed/price-feed.ts';
import type { Operator } from './operator.ts';

const DECIMALS = 8;

export class HeldPrices {
  readonly #operator: Operator;
  readonly #prices = new Map<string, string>();
  /** Indices by their base coin. */
  readonly #ofCoin: ReadonlyMap<string, readonly string[]>;

  /** Those of the catalogue hold until others are set. */
  constructor(state: State, operator: Operator) {
    this.#operator = operator;
    const indices = followedIndices(state);
    for (const { name, price } of indices) this.#prices.set(name, String(price));
    this.#ofCoin = new Map(
      [...Map.groupBy(indices, ({ base }) => base)].map(([coin, each]) => [
        coin,
        each.map(({ name }) => name),
      ]),
    );
  }

  get names(): readonly string[] {
    return [...this.#prices.keys()];
  }

  get coins(): readonly string[] {
    return [...this.#ofCoin.keys()];
  }

  async set(index: string, price: string): Promise<void> {
    await this.#operator.post('/admin/prices', { index, price });
    this.#prices.set(index, price);
  }

  async reportAll(): Promise<void> {
    for (const [index, price] of this.#prices) await this.#operator.post('/admin/prices', { index, price });
  }

  /** Multiplies the prices of a coin; false when it has none. */
  async move(coin: string, factor: number): Promise<boolean> {
    const indices = this.#ofCoin.get(coin);
    if (indices === undefined) return false;
    for (const index of indices) await this.set(index, scaled(this.#prices.get(index)!, factor));
    return true;
  }
}

/** Prices of a test are given and moved, not booked: a floating-point product rounded to the digits of a price is enough. */
function scaled(price: string, factor: number): string {
  const product = Number(price) * factor;
  return product.toFixed(DECIMALS).replace(/\.?0+$/, '');
}
