/**
 * The resting orders of a party in one book. A deep book has more orders of others there than the party has accounts to ask,
 * a large party more accounts than the book has orders: it is walked first, for as many steps as there are accounts.
 */

import { FLAG_RPI, NIL } from '../book/order-slab.ts';
import { Side } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

export interface PriceZone {
  readonly side: Side;
  /** Orders at this price are better than the zone, in ticks. */
  readonly after: number;
  /** The worst price in it. */
  readonly last: number;
}

/** Steps through the book that cost no more than to ask one account. */
const LEAST_STEPS = 64;

/** Normal orders of the account's party in a zone of the book, best first; undefined when there are more than `most`. */
export function ownOrders(
  state: State,
  account: Account,
  instrument: Instrument,
  zone: PriceZone,
  most: number,
): readonly number[] | undefined {
  const main = state.accounts[account.party]!;
  const own =
    fromBook(state, account.party, instrument, zone, LEAST_STEPS + main.subAccounts.length) ??
    fromAccounts(state, [main, ...main.subAccounts], instrument, zone, most);
  return own.length > most ? undefined : own;
}

/** Undefined when that takes too many steps. */
function fromBook(
  state: State,
  party: number,
  instrument: Instrument,
  { side, after, last }: PriceZone,
  steps: number,
): number[] | undefined {
  const { slab } = state;
  const own: number[] = [];
  const buys = side === Side.buy;
  let left = steps;
  state.market(instrument).book.eachLevel(side, (price, _normalLots, _rpiLots, normal) => {
    if (buys ? price < last : price > last) return false;
    left--;
    if (buys ? price >= after : price <= after) return left >= 0;
    for (let slot = normal; slot !== NIL && left >= 0; slot = slab.next[slot]!) {
      left--;
      if (slab.party[slot] === party) own.push(slot);
    }
    return left >= 0;
  });
  return left < 0 ? undefined : own;
}

/** No more than are enough to say that there are too many. */
function fromAccounts(
  { slab, openOrders }: State,
  accounts: readonly Account[],
  { index }: Instrument,
  { side, after, last }: PriceZone,
  most: number,
): number[] {
  const own: number[] = [];
  // The worse the price, the larger.
  const sign = side === Side.buy ? -1 : 1;
  const isWithin = (price: number) => sign * price > sign * after && sign * price <= sign * last;
  for (const account of accounts) {
    if (own.length > most) break;
    if (openOrders.of(account.index, index) === 0) continue;
    for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
      const isHere = slab.instrument[slot] === index && slab.side[slot] === side && slab.level[slot] !== NIL;
      if (isHere && (slab.flags[slot]! & FLAG_RPI) === 0 && isWithin(slab.price[slot]!)) own.push(slot);
    }
  }
  const { price, prioritySeq } = slab;
  return own.sort((a, b) => sign * (price[a]! - price[b]!) || prioritySeq[a]! - prioritySeq[b]!);
}
