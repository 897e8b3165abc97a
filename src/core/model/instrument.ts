/** What can be traded, in the integers that the exchange works with, and what prices and sizes of it come to. */

import type { Amount } from './amount.ts';
import { Category, type InstrumentStatus, Side } from './enums.ts';
import { PRICE_TICKS_MAX } from './limits.ts';
import type { InstrumentSpec } from './listing-spec.ts';
import type { MarginScale } from './margin-fractions.ts';
import type { MarginTier } from './margin-tiers.ts';
import { exact } from './safe-integers.ts';
import { divCeil, divFloor, divHalf, MONEY_SCALE, powerOfTen, RATE_ONE } from './units.ts';

/** What a futures contract adds to its instrument. */
export interface FuturesTerms {
  /** Coin that profit, margin and fees are paid in. */
  readonly settle: number;
  /** Coin-margined: sized in base coin, counted in dollars, paid in coin (rules 5.2, model B). */
  readonly coinMargined: boolean;
  readonly minLeverage: number;
  readonly maxLeverage: number;
  readonly fundIntervalMs: number;
  readonly minFundingRate: bigint;
  readonly maxFundingRate: bigint;
  /** What funding charges for the money itself in eight hours, 10^-12: nothing for stocks (rules 5.10). */
  readonly interestRate: bigint;
  readonly delivery: { readonly startTime: number; readonly time: number } | undefined;
  readonly tiers: readonly MarginTier[];
  /** Rates and tiers for exact numbers; undefined when they are too fine. */
  readonly scale: MarginScale | undefined;
  /** 10^-12: enlarge the reserve of orders, never the fee charged. */
  readonly feeReserveRate: bigint;
  readonly costReserveRate: bigint;
}

/** What a margin pair adds to its instrument (rules 6.9); ratios in 10^-12. */
export interface MarginTerms {
  readonly maxLeverage: number;
  readonly warningRatio: bigint;
  readonly liquidationRatio: bigint;
  /** The smallest amount that is lent. */
  readonly minBorrow: bigint;
}

/** When an instrument opens, takes no more openings and goes offline; Infinity = not set. */
export interface InstrumentCalendar {
  readonly launchTime: number;
  readonly limitOpenTime: number;
  readonly offTime: number;
}

export interface Instrument {
  readonly index: number;
  /** Changes only where a delivery moves the quarters along. */
  spec: InstrumentSpec;
  readonly symbol: string;
  readonly category: Category;
  /** Coin indices. */
  readonly base: number;
  readonly quote: number;
  /** SPOT and MARGIN of one symbol share one book (rules 1.1). */
  readonly book: number;
  readonly pricePrecision: number;
  readonly quantityPrecision: number;
  readonly quotePrecision: number;
  /** Prices and sizes are multiples of these. */
  readonly tickStep: number;
  readonly lotStep: number;
  /** 10^-8 quote units of one tick times one lot; exact by the listing check. */
  readonly valuePerTickLot: bigint;
  /** The same as a `number`, for products that stay below 2^53. */
  readonly valuePerTickLotNumber: number;
  /** 10^-8 base units of one lot. */
  readonly unitsPerLot: bigint;
  readonly unitsPerLotNumber: number;
  readonly minLots: number;
  /** 0 = no limit. */
  readonly maxLots: number;
  readonly maxMarketLots: number;
  readonly minAmount: bigint;
  readonly buyBandRate: bigint;
  readonly sellBandRate: bigint;
  readonly openingTicks: number;
  readonly makerRate: bigint;
  readonly takerRate: bigint;
  /** Name of the index it follows: base and quote coin. */
  readonly indexName: string;
  readonly futures: FuturesTerms | undefined;
  readonly margin: MarginTerms | undefined;
  /** 0 = no limit of its own. */
  readonly maxSymbolOrders: number;
  readonly maxProductOrders: number;
  readonly maxPositions: number;
  readonly calendar: InstrumentCalendar;
  status: InstrumentStatus;
  /** The shortfall of the house in the coin is above its limit: only closing orders, whatever the status (rules 13.2). */
  closeOnly: boolean;
  /** Coin-margined, and its index is stale or silent: no order trades (rules 13.2 (f)). */
  paused: boolean;
}

/** Highest buy price at the reference (rules 1.9); a very low buy harms no one. */
export function maxBuyTicks(instrument: Instrument, referenceTicks: number): number {
  const exact = BigInt(referenceTicks) * (RATE_ONE + instrument.buyBandRate);
  const step = BigInt(instrument.tickStep);
  const ticks = Number(divFloor(exact, RATE_ONE * step) * step);
  return Math.min(ticks, PRICE_TICKS_MAX);
}

/** Lowest sell price at the reference, never below one tick. */
export function minSellTicks(instrument: Instrument, referenceTicks: number): number {
  const exact = BigInt(referenceTicks) * (RATE_ONE - instrument.sellBandRate);
  const step = BigInt(instrument.tickStep);
  return Math.max(Number(divCeil(exact, RATE_ONE * step) * step), instrument.tickStep);
}

/**
 * A price in 10^-8 on the grid of the instrument; 0 when there is none. `least`: one of less than half a step is one step and
 * not none (rules 19.5).
 */
export function ticksOfPrice(instrument: Instrument, price: bigint, least: boolean): number {
  return ticksOfMean(instrument, price, 1, least);
}

/** The same of the mean of so many prices, given by their sum. */
export function ticksOfMean(
  { pricePrecision, tickStep }: Instrument,
  sum: bigint,
  count: number,
  least: boolean,
): number {
  const step = BigInt(tickStep);
  const ticks = Number(divHalf(sum, BigInt(count) * powerOfTen(MONEY_SCALE - pricePrecision) * step) * step);
  return ticks === 0 && sum > 0n && least ? tickStep : ticks;
}

/** Exact trade value in 10^-8 of the quote coin. */
export function tradeAmount(instrument: Instrument, priceTicks: number, sizeLots: number): Amount {
  const product = priceTicks * sizeLots * instrument.valuePerTickLotNumber;
  if (product <= Number.MAX_SAFE_INTEGER) return product;
  return BigInt(priceTicks) * BigInt(sizeLots) * instrument.valuePerTickLot;
}

export function tradeValue(instrument: Instrument, priceTicks: number, sizeLots: number): bigint {
  return BigInt(tradeAmount(instrument, priceTicks, sizeLots));
}

/** The same as an exact number, NaN when it is not one. */
export function valueNumber(instrument: Instrument, priceTicks: number, sizeLots: number): number {
  return exact(priceTicks * sizeLots * instrument.valuePerTickLotNumber);
}

/** Is the value below the bound? */
export function valueBelow(
  instrument: Instrument,
  priceTicks: number,
  sizeLots: number,
  bound: bigint,
): boolean {
  return tradeAmount(instrument, priceTicks, sizeLots) < bound;
}

/** Quantity in 10^-8 of the base coin. */
export function baseAmount(instrument: Instrument, sizeLots: number): Amount {
  const product = sizeLots * instrument.unitsPerLotNumber;
  if (product <= Number.MAX_SAFE_INTEGER) return product;
  return BigInt(sizeLots) * instrument.unitsPerLot;
}

export function baseUnits(instrument: Instrument, sizeLots: number): bigint {
  return BigInt(baseAmount(instrument, sizeLots));
}

/** The most that an order of so many lots pays: quote for a buy, base for a sell. */
export function payableAmount(
  instrument: Instrument,
  side: Side,
  priceTicks: number,
  sizeLots: number,
): Amount {
  return side === Side.buy ? tradeAmount(instrument, priceTicks, sizeLots) : baseAmount(instrument, sizeLots);
}

export function isFutures(category: Category): boolean {
  return category >= Category.usdtFutures;
}
