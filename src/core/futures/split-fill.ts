/** Splits a fill of a contract into the part that closes and the part that opens, with their values. Books nothing. */

import { futuresSetting } from '../margin/margin.ts';
import { type Amount, differenceOf, shareOf } from '../model/amount.ts';
import { baseAmount, type Instrument, tradeValue } from '../model/instrument.ts';
import type { Position } from '../model/position.ts';
import { divFloor, powerOfTen } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** One side's part of a trade that either closes or opens. */
export interface Part {
  readonly lots: number;
  readonly value: Amount;
  readonly closing: boolean;
}

/** First the closing part, then the opening part: a reversed position ends and another begins (rules 1.11). */
export function splitFill(
  position: Position | undefined,
  buying: boolean,
  lots: number,
  value: Amount,
): readonly Part[] {
  const closing = position === undefined || position.long === buying ? 0 : Math.min(position.lots, lots);
  if (closing === 0 || closing === lots) return [{ lots, value, closing: closing !== 0 }];
  const closingValue = shareOf(value, closing, lots);
  return [
    { lots: closing, value: closingValue, closing: true },
    { lots: lots - closing, value: differenceOf(value, closingValue), closing: false },
  ];
}

/** What the fee of a part is charged on: its value, of coin-margined contracts its size in coin. */
export function feeBase(instrument: Instrument, part: Part): Amount {
  return instrument.futures!.coinMargined ? baseAmount(instrument, part.lots) : part.value;
}

/** Profit is linear in the quote coin; coin-margined contracts pay it in coin at the price of the trade. */
export function inCoinAt(instrument: Instrument, quoteAmount: Amount, priceTicks: number): Amount {
  if (!instrument.futures!.coinMargined) return quoteAmount;
  return shareOf(quoteAmount, Number(powerOfTen(instrument.pricePrecision)), priceTicks);
}

/**
 * The same for what an order of a user closes. A profit is not paid below the mark, a loss not above it: else the house pays
 * for every trade away from the mark (rules 13.2 (e)).
 */
export function realisedInCoin(
  { rules }: State,
  instrument: Instrument,
  realised: Amount,
  priceTicks: number,
  markTicks: number,
): Amount {
  if (!rules.clearingShortfall || markTicks === 0) return inCoinAt(instrument, realised, priceTicks);
  const ticks = realised > 0 ? Math.max(priceTicks, markTicks) : Math.min(priceTicks, markTicks);
  return inCoinAt(instrument, realised, ticks);
}

/** Margin of a position that was moved with its cost basis: that of its value at the mark, and its loss so far. */
export function receivedMargin(
  account: Account,
  instrument: Instrument,
  buying: boolean,
  { lots, value: moved }: Part,
  priceTicks: number,
): bigint {
  const value = tradeValue(instrument, priceTicks, lots);
  const basis = BigInt(moved);
  const gain = buying ? value - basis : basis - value;
  const loss = gain < 0n ? -BigInt(inCoinAt(instrument, gain, priceTicks)) : 0n;
  return openingMargin(account, instrument, buying, value, priceTicks) + loss;
}

/** Initial margin of the opening part of a fill: its value divided by the leverage, in the settlement coin. */
export function openingMargin(
  account: Account,
  instrument: Instrument,
  buying: boolean,
  value: Amount,
  priceTicks: number,
): bigint {
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const margin = divFloor(BigInt(value), BigInt(buying ? longLeverage : shortLeverage));
  return BigInt(inCoinAt(instrument, margin, priceTicks));
}
