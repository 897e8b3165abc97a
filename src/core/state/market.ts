/** A market: an order book with its market data, triggers and positions. SPOT and MARGIN of one pair share one. */
import { Book } from '../book/book.ts';
import type { OrderSlab } from '../book/order-slab.ts';
import { CandleSeries } from '../marketdata/candle-series.ts';
import type { FuturesMarket } from '../marketdata/futures-market.ts';
import type { IndexPrice } from '../marketdata/index-price.ts';
import { Rolling24h } from '../marketdata/rolling-24h.ts';
import { Tape } from '../marketdata/tape.ts';
import type { RulesInForce } from '../model/edition.ts';
import type { Account } from './account.ts';
import { PositionTable } from './position-table.ts';
import type { TriggerBook } from './trigger-book.ts';

export interface Market {
  readonly book: Book;
  readonly day: Rolling24h;
  readonly candles: CandleSeries;
  readonly tape: Tape;
  /** The instrument whose trades these are (SPOT for a book that MARGIN shares). */
  readonly instrument: number;
  /** The index of the pair, when it has one. */
  readonly index: IndexPrice | undefined;
  /** Prices beyond the book's own, on futures. */
  readonly futures: FuturesMarket | undefined;
  /** Strategy orders that wait for a trade or for a mark of this market; undefined while none ever did. */
  lastTriggers: TriggerBook | undefined;
  markTriggers: TriggerBook | undefined;
  /** Accounts with a position in this market, in no particular order (`position-holders.ts` sorts them). */
  readonly holders: Set<Account>;
  /** The positions of these accounts, in no particular order. */
  readonly positions: PositionTable;
  /** Counts the changes of the displayed book, for readers that follow it. */
  changes: number;
  /** The price band as last computed, and the instrument and reference it holds for. */
  readonly band: { instrument: number; referenceTicks: number; maxBuyTicks: number; minSellTicks: number };
  readonly rules: RulesInForce;
  /** Bounds of the reference of a spot band around the index (rules 13.10), as last computed. */
  readonly indexBounds: { instrument: number; price: bigint; lowestTicks: number; highestTicks: number };
}

/** An empty one. */
export function newMarket(
  rules: RulesInForce,
  slab: OrderSlab,
  instrument: number,
  index: IndexPrice | undefined,
  futures: FuturesMarket | undefined,
): Market {
  return {
    rules,
    indexBounds: { instrument: -1, price: 0n, lowestTicks: 0, highestTicks: 0 },
    book: new Book(slab),
    day: new Rolling24h(),
    candles: new CandleSeries(),
    tape: new Tape(),
    instrument,
    index,
    futures,
    lastTriggers: undefined,
    markTriggers: undefined,
    holders: new Set(),
    positions: new PositionTable(),
    changes: 0,
    band: { instrument: -1, referenceTicks: 0, maxBuyTicks: 0, minSellTicks: 0 },
  };
}

/** When the first of a market's running candles ends, of trades and of prices. */
export function earliestCandleEnd({ candles, futures }: Market): number {
  if (futures === undefined) return candles.earliestEnd();
  const { mark, index, premium } = futures.candles;
  return Math.min(candles.earliestEnd(), mark.earliestEnd(), index.earliestEnd(), premium.earliestEnd());
}
