/**
 * Resting orders of backed accounts (rules 13.0): house accounts and market makers, whose orders the operator is liable for.
 * They are found through their owners, so orders of others neither affect a price nor the cost of computing it.
 */
import { FLAG_RPI, NIL } from '../book/order-slab.ts';
import { type ImpactQuote, impactOver } from '../marketdata/impact-price.ts';
import { Side } from '../model/enums.ts';
import type { Market } from './market.ts';
import type { State } from './state.ts';

/** Prices and lots by side, as `[Side.buy]` and `[Side.sell]`; unsorted. */
type Offers = readonly [Offer[], Offer[]];

interface Offer {
  readonly ticks: number;
  readonly lots: number;
}

/** By book: the non-RPI orders of all backed accounts on futures. One pass serves all contracts of an instant. */
export class BackedOrders {
  private readonly state: State;
  private readonly byBook = new Map<number, Offers>();
  private readonly quotes = new Map<Market, ImpactQuote | undefined>();

  constructor(state: State) {
    this.state = state;
    const { slab, backedAccounts } = state;
    for (const account of backedAccounts) {
      if (account.openFutures === 0) continue;
      for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
        const { futures, book } = state.instrumentOf(slot);
        if (futures === undefined || (slab.flags[slot]! & FLAG_RPI) !== 0) continue;
        // An order that is being placed rests nowhere yet.
        if (slab.level[slot] === NIL) continue;
        this.offersOf(book)[slab.side[slot] as Side].push({
          ticks: slab.price[slot]!,
          lots: slab.remaining[slot]!,
        });
      }
    }
  }

  /** Impact prices of a contract; undefined unless both sides have the depth. */
  quoteOf(market: Market): ImpactQuote | undefined {
    if (!this.quotes.has(market)) this.quotes.set(market, this.findQuote(market));
    return this.quotes.get(market);
  }

  private findQuote(market: Market): ImpactQuote | undefined {
    const instrument = this.state.instruments[market.instrument]!;
    const offers = this.byBook.get(instrument.book);
    if (offers === undefined) return undefined;
    const value = market.futures!.impactValue;
    const impactOf = (side: Side) => {
      const best = side === Side.buy ? -1 : 1;
      const sorted = offers[side].sort((a, b) => best * (a.ticks - b.ticks));
      return impactOver(
        (visit) => void sorted.every(({ ticks, lots }) => visit(ticks, lots)),
        instrument,
        value,
      );
    };
    const bid = impactOf(Side.buy);
    const ask = impactOf(Side.sell);
    return bid === undefined || ask === undefined ? undefined : { bid, ask };
  }

  private offersOf(book: number): Offers {
    const known = this.byBook.get(book);
    if (known !== undefined) return known;
    const offers: Offers = [[], []];
    this.byBook.set(book, offers);
    return offers;
  }
}
