/** What the book of a contract says about its price at one instant: basis and premium (rules 5.10, 5.13, 13.4). */

import { BackedOrders } from '../state/backed-orders.ts';
import type { Market } from '../state/market.ts';
import type { State } from '../state/state.ts';

/** The orders of backed accounts are gathered when the first sample needs them, once for all contracts. */
export class BookSamples {
  private readonly state: State;
  private gathered: BackedOrders | undefined;

  constructor(state: State) {
    this.state = state;
  }

  basis(market: Market, time: number): void {
    const futures = market.futures!;
    if (this.state.rules.backedBooks) futures.sampleBackedBasis(this.backed.quoteOf(market), time);
    else futures.sampleBasis(market.book);
  }

  premium(market: Market): void {
    const futures = market.futures!;
    if (this.state.rules.fundingLimits) futures.sampleBackedPremium(this.backed.quoteOf(market));
    else futures.samplePremium(market.book);
  }

  private get backed(): BackedOrders {
    this.gathered ??= new BackedOrders(this.state);
    return this.gathered;
  }
}
