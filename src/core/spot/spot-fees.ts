/** Fees of the two sides of a spot trade (rules 4.3, 13.10): the buyer's in base, the seller's in quote coin. */

import type { Amount } from '../model/amount.ts';
import { feeOf, rebateOf } from '../model/fees.ts';
import { divCeil, divFloor, larger, MONEY_ONE, smaller } from '../model/units.ts';
import type { State } from '../state/state.ts';

/** Fee rate of one side; a negative rate is a rebate. */
export function feeRateOf(state: State, slot: number, taker: boolean): bigint {
  const own = state.instrumentOf(slot);
  const rates = state.accountOf(slot).fees.get(own.index) ?? own;
  return taker ? rates.takerRate : rates.makerRate;
}

export interface SpotDeal {
  /** The buyer is the taker. */
  readonly buying: boolean;
  readonly base: Amount;
  readonly value: Amount;
  readonly buyerRate: bigint;
  readonly sellerRate: bigint;
  /** Index price in 10^-8; 0 = none. */
  readonly index: bigint;
}

/** A negative fee is a rebate. */
export interface SpotFees {
  readonly buyer: Amount;
  readonly seller: Amount;
  /** What of each fee the rebate of the other side has taken, in the coin of the fee. */
  readonly takenFromBuyer: Amount;
  readonly takenFromSeller: Amount;
}

/** Of the first edition: whatever the rates say. */
export function spotFees({ base, value, buyerRate, sellerRate }: SpotDeal): SpotFees {
  return {
    buyer: feeOf(base, buyerRate, false),
    seller: feeOf(value, sellerRate, false),
    takenFromBuyer: rebateOf(base, sellerRate),
    takenFromSeller: rebateOf(value, buyerRate),
  };
}

/**
 * A rebate is no more than the taker's fee is worth. The two are of different coins, and the sides choose the price: base
 * is sold for a rebate at the lower of price and index, bought at the higher.
 */
export function flooredSpotFees(deal: SpotDeal): SpotFees {
  const { buying, base, value, buyerRate, sellerRate, index } = deal;
  if (buying) {
    const buyer = feeOf(base, larger(0n, buyerRate), true);
    const wanted = feeOf(value, sellerRate, true);
    if (wanted >= 0) return { buyer, seller: wanted, takenFromBuyer: 0, takenFromSeller: 0 };
    const atIndex = index === 0n ? undefined : { quote: index, base: MONEY_ONE };
    const price = lowerPrice({ quote: BigInt(value), base: BigInt(base) }, atIndex);
    const rebate = smaller(-BigInt(wanted), divFloor(BigInt(buyer) * price.quote, price.base));
    const taken = divCeil(rebate * price.base, price.quote);
    return { buyer, seller: -rebate, takenFromBuyer: taken, takenFromSeller: 0 };
  }
  const seller = feeOf(value, larger(0n, sellerRate), true);
  const wanted = feeOf(base, buyerRate, true);
  if (wanted >= 0) return { buyer: wanted, seller, takenFromBuyer: 0, takenFromSeller: 0 };
  const atIndex = index === 0n ? undefined : { quote: index, base: MONEY_ONE };
  const price = higherPrice({ quote: BigInt(value), base: BigInt(base) }, atIndex);
  const rebate = smaller(-BigInt(wanted), divFloor(BigInt(seller) * price.base, price.quote));
  const taken = divCeil(rebate * price.quote, price.base);
  return { buyer: -rebate, seller, takenFromBuyer: 0, takenFromSeller: taken };
}

/** Exact: so much quote coin for so much base. */
interface Price {
  readonly quote: bigint;
  readonly base: bigint;
}

function lowerPrice(one: Price, other: Price | undefined): Price {
  return other === undefined || one.quote * other.base <= other.quote * one.base ? one : other;
}

function higherPrice(one: Price, other: Price | undefined): Price {
  return other === undefined || one.quote * other.base >= other.quote * one.base ? one : other;
}
