/** Checks that placing and amending share (rules 1.2 numbers 5 to 8). The callers run them in the documented order. */
import { OFF_GRID, OUT_OF_RANGE } from '../model/command.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { Side } from '../model/enums.ts';
import { type Instrument, maxBuyTicks, minSellTicks, ticksOfPrice, valueBelow } from '../model/instrument.ts';
import { MONEY_MAX, PRICE_TICKS_MAX, SIZE_LOTS_MAX } from '../model/limits.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { divCeil, divFloor, larger, MONEY_SCALE, powerOfTen, RATE_ONE, smaller } from '../model/units.ts';
import type { Market } from '../state/market.ts';

export function checkPrice(instrument: Instrument, priceTicks: number): CommandResult | undefined {
  if (priceTicks === OFF_GRID) return rejected(RejectReason.priceOffTick);
  if (priceTicks === OUT_OF_RANGE || priceTicks <= 0 || priceTicks > PRICE_TICKS_MAX) {
    return rejected(RejectReason.priceOutOfRange, PRICE_TICKS_MAX);
  }
  if (priceTicks % instrument.tickStep !== 0) return rejected(RejectReason.priceOffTick);
  return undefined;
}

export function checkSize(
  instrument: Instrument,
  sizeLots: number,
  maxLots: number,
): CommandResult | undefined {
  if (sizeLots === OFF_GRID) return rejected(RejectReason.sizeOffStep);
  if (sizeLots === OUT_OF_RANGE || sizeLots > SIZE_LOTS_MAX)
    return rejected(RejectReason.sizeTooLarge, SIZE_LOTS_MAX);
  const leastLots = Math.max(instrument.minLots, instrument.lotStep);
  if (sizeLots <= 0) return rejected(RejectReason.sizeTooSmall, leastLots);
  if (sizeLots % instrument.lotStep !== 0) return rejected(RejectReason.sizeOffStep);
  if (sizeLots < leastLots) return rejected(RejectReason.sizeTooSmall, leastLots);
  if (maxLots !== 0 && sizeLots > maxLots) return rejected(RejectReason.sizeTooLarge, maxLots);
  return undefined;
}

export function checkAmount(
  instrument: Instrument,
  priceTicks: number,
  sizeLots: number,
): CommandResult | undefined {
  if (valueBelow(instrument, priceTicks, sizeLots, instrument.minAmount))
    return rejected(RejectReason.belowMinimumAmount);
  return undefined;
}

/** Checks the quote amount of a market buy, which has its own precision (rules 1.6). */
export function checkQuoteAmount(instrument: Instrument, amount: bigint): CommandResult | undefined {
  if (amount === BigInt(OFF_GRID))
    return rejected(RejectReason.amountOffPrecision, instrument.quotePrecision);
  if (amount === BigInt(OUT_OF_RANGE) || amount > MONEY_MAX) return rejected(RejectReason.amountOutOfRange);
  if (amount <= 0n || amount < instrument.minAmount) return rejected(RejectReason.belowMinimumAmount);
  return undefined;
}

/**
 * Reference of the band (rules 1.9, 13.10). Spot: last trade, else index, else opening price. Futures: mark, else index, else
 * opening price.
 */
export function referenceTicks(instrument: Instrument, market: Market): number {
  const { futures, index, day, rules } = market;
  if (futures !== undefined) return futures.markTicks || futures.indexTicks || instrument.openingTicks;
  if (day.lastTicks === 0)
    return ticksOfPrice(instrument, index?.price ?? 0n, rules.leastTick) || instrument.openingTicks;
  return rules.feeFloors ? heldToIndex(instrument, market) : day.lastTicks;
}

/**
 * The last trade, no farther from the index than the band (rules 13.10): a few trades with oneself, each at the end of the
 * band, would otherwise take the band as far away as one likes.
 */
function heldToIndex(instrument: Instrument, { day, index, indexBounds }: Market): number {
  if (index === undefined || index.stale) return day.lastTicks;
  if (indexBounds.price !== index.price || indexBounds.instrument !== instrument.index) {
    const perTick = RATE_ONE * powerOfTen(MONEY_SCALE - instrument.pricePrecision);
    const step = BigInt(instrument.tickStep);
    const lowest = divCeil(index.price * (RATE_ONE - instrument.sellBandRate), perTick * step) * step;
    const highest = divFloor(index.price * (RATE_ONE + instrument.buyBandRate), perTick * step) * step;
    indexBounds.instrument = instrument.index;
    indexBounds.price = index.price;
    indexBounds.lowestTicks = Number(larger(lowest, step));
    indexBounds.highestTicks = Number(smaller(larger(highest, lowest), BigInt(PRICE_TICKS_MAX)));
  }
  return Math.min(Math.max(day.lastTicks, indexBounds.lowestTicks), indexBounds.highestTicks);
}

/** Highest buy and lowest sell price now. Cached, because the reference rarely changes between two orders. */
export function priceBand(instrument: Instrument, market: Market): Market['band'] {
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
): CommandResult | undefined {
  const { maxBuyTicks: highest, minSellTicks: lowest } = priceBand(instrument, market);
  if (side === Side.buy)
    return priceTicks > highest ? rejected(RejectReason.buyAboveBand, highest) : undefined;
  return priceTicks < lowest ? rejected(RejectReason.sellBelowBand, lowest) : undefined;
}
