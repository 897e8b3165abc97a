/** The port for outside prices. Whatever feed stands behind it, they enter as `componentPrice` commands. */
import type { State } from '../../core/state/state.ts';

/** Price of a pair at an outside exchange. */
export interface Report {
  /** Number of the index in the exchange's table. */
  readonly index: number;
  /** Its number in the index, or `EVERY_COMPONENT`. */
  readonly component: number;
  /** 10^-8 of the quote coin. */
  readonly price: bigint;
  /** Of 24 hours in 10^-8 of the base coin; 0 = not known. */
  readonly volume: bigint;
}

/** An index that needs prices. */
export interface FollowedIndex {
  readonly index: number;
  readonly name: string;
  readonly base: string;
  readonly quote: string;
  /** Published weights, which add up to one. */
  readonly weights: readonly number[];
  /** Decimal places of prices on the exchange's own books. */
  readonly pricePrecision: number;
  /** The index price now; before the first one the opening price of the listing. */
  readonly price: number;
}

export interface PriceFeed {
  /** Short description. */
  readonly name: string;
  /** Called when the simulator starts and when the table of indices has grown. */
  follow(indices: readonly FollowedIndex[], now: number): void;
  /** All prices known by `now` that were not reported yet. */
  reports(now: number): readonly Report[];
  /** Moves the price of a coin by a factor within a time; false when this feed cannot. */
  shock(coin: string, factor: number, overMs: number): boolean;
  close(): void;
}

/** Every index of the exchange, each once. */
export function followedIndices(state: State): FollowedIndex[] {
  const followed = new Map<number, FollowedIndex>();
  for (const instrument of state.instruments) {
    const index = state.indexByName.get(instrument.indexName);
    if (index === undefined || followed.has(index)) continue;
    const { components, name, price } = state.indices[index]!;
    followed.set(index, {
      index,
      name,
      base: instrument.spec.baseCoin,
      quote: instrument.spec.quoteCoin,
      weights: components.map(({ weight }) => Number(weight) / 1e12),
      pricePrecision: instrument.pricePrecision,
      price: price === 0n ? Number(instrument.spec.openingPrice) : Number(price) / 1e8,
    });
  }
  return [...followed.values()];
}

/** A price with this many decimals, at least one unit of the last. */
export function priceUnits(price: number, precision: number): bigint {
  const scale = 10 ** precision;
  return BigInt(Math.max(1, Math.round(price * scale))) * 10n ** BigInt(8 - precision);
}
