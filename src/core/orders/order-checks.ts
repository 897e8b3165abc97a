/** Checks that placing and amending share (rules 1.2 numbers 5 to 8), each in its documented place. */
import { OFF_GRID, OUT_OF_RANGE } from '../model/command.ts';
import { type Instrument, maxBuyTicks, minSellTicks, valueBelow } from '../model/instrument.ts';
import { MONEY_MAX, PRICE_TICKS_MAX, SIZE_LOTS_MAX } from '../model/limits.ts';
import { type Outcome, refused } from '../model/command-result.ts';
import { Refusal } from '../model/reject-reason.ts';
import type { Market } from '../state/state.ts';
import { Side } from '../model/enums.ts';
import { divHalf, MONEY_SCALE, powerOfTen } from '../model/units.ts';

export function checkPrice(instrument: Instrument, priceTicks: number): Outcome | undefined {
  if (priceTicks === OFF_GRID) return refused(Refusal.priceOffTick);
  if (priceTicks === OUT_OF_RANGE || priceTicks <= 0 || priceTicks > PRICE_TICKS_MAX) {
    return refused(Refusal.priceOutOfRange, PRICE_TICKS_MAX);
  }
  if (priceTicks % instrument.tickStep !== 0) return refused(Refusal.priceOffTick);
  return undefined;
}

export function checkSize(instrument: Instrument, sizeLots: number, maxLots: number): Outcome | undefined {
  if (sizeLots === OFF_GRID) return refused(Refusal.sizeOffStep);
  if (sizeLots === OUT_OF_RANGE || sizeLots > SIZE_LOTS_MAX)
    return refused(Refusal.sizeTooLarge, SIZE_LOTS_MAX);
  const leastLots = Math.max(instrument.minLots, instrument.lotStep);
  if (sizeLots <= 0) return refused(Refusal.sizeTooSmall, leastLots);
  if (sizeLots % instrument.lotStep !== 0) return refused(Refusal.sizeOffStep);
  if (sizeLots < leastLots) return refused(Refusal.sizeTooSmall, leastLots);
  if (maxLots !== 0 && sizeLots > maxLots) return refused(Refusal.sizeTooLarge, maxLots);
  return undefined;
}

export function checkAmount(
  instrument: Instrument,
  priceTicks: number,
  sizeLots: number,
): Outcome | undefined {
  if (valueBelow(instrument, priceTicks, sizeLots, instrument.minAmount))
    return refused(Refusal.belowMinimumAmount);
  return undefined;
}

/** Quote money of a market buy, which has a precision of its own (rules 1.6). */
export function checkQuoteAmount(instrument: Instrument, amount: bigint): Outcome | undefined {
  if (amount === BigInt(OFF_GRID)) return refused(Refusal.amountOffPrecision, instrument.quotePrecision);
  if (amount === BigInt(OUT_OF_RANGE) || amount > MONEY_MAX) return refused(Refusal.amountOutOfRange);
  if (amount <= 0n || amount < instrument.minAmount) return refused(Refusal.belowMinimumAmount);
  return undefined;
}

/** Reference of the band: the last trade, before the first one the index, else the opening price (rules 1.9). */
export function referenceTicks(instrument: Instrument, market: Market): number {
  const { futures, index, day } = market;
  if (futures !== undefined) return futures.markTicks || futures.indexTicks || instrument.openingTicks;
  return day.lastTicks || indexTicks(instrument, index?.price ?? 0n) || instrument.openingTicks;
}

/** An index price on the instrument's grid; 0 when there is none. */
function indexTicks({ pricePrecision, tickStep }: Instrument, price: bigint): number {
  const step = BigInt(tickStep);
  return Number(divHalf(price, powerOfTen(MONEY_SCALE - pricePrecision) * step) * step);
}

/** Highest buy and lowest sell price now. Most orders meet the reference of the order before them. */
export function bandOf(instrument: Instrument, market: Market): Market['band'] {
  const { band } = market;
  const reference = referenceTicks(instrument, market);
  if (band.referenceTicks !== reference || band.instrument !== instrument.index) {
    band.instrument = instrument.index;
    band.referenceTicks = reference;
    band.maxBuyTicks = maxBuyTicks(instrument, reference);
    band.minSellTicks = minSellTicks(instrument, reference);
  }
  return band;
}

export function checkBand(
  instrument: Instrument,
  market: Market,
  side: Side,
  priceTicks: number,
): Outcome | undefined {
  const { maxBuyTicks: highest, minSellTicks: lowest } = bandOf(instrument, market);
  if (side === Side.buy) return priceTicks > highest ? refused(Refusal.buyAboveBand, highest) : undefined;
  return priceTicks < lowest ? refused(Refusal.sellBelowBand, lowest) : undefined;
}
