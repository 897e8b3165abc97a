/** Splits a fill of a contract into the part that closes and the part that opens, with their values. Books nothing. */

import { futuresSetting } from '../margin/margin.ts';
import { baseUnits, type Instrument, tradeValue } from '../model/instrument.ts';
import type { Position } from '../model/position.ts';
import { divFloor, powerOfTen } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** One side's part of a trade that either closes or opens. */
export interface Part {
  readonly lots: number;
  readonly value: bigint;
  readonly closing: boolean;
}

/** First the closing part, then the opening part: a reversed position ends and another begins (rules 1.11). */
export function splitFill(
  position: Position | undefined,
  buying: boolean,
  lots: number,
  value: bigint,
): readonly Part[] {
  const closing = position === undefined || position.long === buying ? 0 : Math.min(position.lots, lots);
  if (closing === 0 || closing === lots) return [{ lots, value, closing: closing !== 0 }];
  const closingValue = divFloor(value * BigInt(closing), BigInt(lots));
  return [
    { lots: closing, value: closingValue, closing: true },
    { lots: lots - closing, value: value - closingValue, closing: false },
  ];
}

/** What the fee of a part is charged on: its value, of coin-margined contracts its size in coin. */
export function feeBase(instrument: Instrument, part: Part): bigint {
  return instrument.futures!.coinMargined ? baseUnits(instrument, part.lots) : part.value;
}

/** Profit is linear in the quote coin; coin-margined contracts pay it in coin at the price of the trade. */
export function inCoinAt(instrument: Instrument, quoteAmount: bigint, priceTicks: number): bigint {
  if (!instrument.futures!.coinMargined) return quoteAmount;
  return divFloor(quoteAmount * powerOfTen(instrument.pricePrecision), BigInt(priceTicks));
}

/**
 * The price at which a result in dollars becomes coin: that of the trade, or the mark where this is worse for the account
 * (rules 13.2 (e)). So no trade raises what the house would lack: two accounts of one owner that trade back and forth
 * between the ends of the price band would win 1 % of the size in coin each time, for 0.16 % of fees.
 */
export function resultTicks(
  state: State,
  instrument: Instrument,
  realised: bigint,
  priceTicks: number,
): number {
  const { markTicks } = state.market(instrument).futures!;
  if (!state.rules.clearingShortfall || markTicks === 0) return priceTicks;
  return realised > 0n ? Math.max(priceTicks, markTicks) : Math.min(priceTicks, markTicks);
}

/** Margin of a position that was moved with its cost basis: that of its value at the mark, and its loss so far. */
export function receivedMargin(
  account: Account,
  instrument: Instrument,
  buying: boolean,
  { lots, value: basis }: Part,
  priceTicks: number,
): bigint {
  const value = tradeValue(instrument, priceTicks, lots);
  const gain = buying ? value - basis : basis - value;
  const loss = gain < 0n ? -inCoinAt(instrument, gain, priceTicks) : 0n;
  return openingMargin(account, instrument, buying, value, priceTicks) + loss;
}

/** Initial margin of the opening part of a fill: its value divided by the leverage, in the settlement coin. */
export function openingMargin(
  account: Account,
  instrument: Instrument,
  buying: boolean,
  value: bigint,
  priceTicks: number,
): bigint {
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  return inCoinAt(instrument, divFloor(value, BigInt(buying ? longLeverage : shortLeverage)), priceTicks);
}
