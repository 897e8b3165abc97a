/** An instrument from its specification; what cannot be traded exactly is rejected (docs/architecture.md, Numbers). */

import { CATEGORY_NAMES, Category, INSTRUMENT_STATUS_NAMES, type InstrumentStatus } from './enums.ts';
import {
  type FuturesTerms,
  type Instrument,
  type InstrumentCalendar,
  isFutures,
  type MarginTerms,
} from './instrument.ts';
import { INDEX_COMPONENTS_MAX, PRICE_TICKS_MAX, SIZE_LOTS_MAX } from './limits.ts';
import type { FuturesSpec, InstrumentSpec } from './listing-spec.ts';
import { marginScale } from './margin-fractions.ts';
import { type MarginTier, readTiers } from './margin-tiers.ts';
import { formatRate, MONEY_SCALE, parseUnits, powerOfTen, RATE_ONE, RATE_SCALE } from './units.ts';

/** Thrown while a specification is read; the exchange rejects the command with this text. */
export class SpecificationError extends Error {
  override name = 'SpecificationError';
}

/** 0.01 %, of everything but stocks. */
const FUNDING_INTEREST = RATE_ONE / 10_000n;

export function parseInstrument(
  spec: InstrumentSpec,
  index: number,
  book: number,
  coinIndex: (coin: string) => number | undefined,
): Instrument {
  const category = CATEGORY_NAMES.indexOf(spec.category);
  require(category >= 0, spec, `category ${spec.category} is not known`);
  const status = INSTRUMENT_STATUS_NAMES.indexOf(spec.status);
  require(status >= 0, spec, `status ${spec.status} is not known`);
  require(/^[A-Z0-9_-]{2,32}$/.test(spec.symbol), spec, 'symbol must be 2 to 32 of A-Z, 0-9, _ and -');
  require(spec.indexComponents.length <=
    INDEX_COMPONENTS_MAX, spec, `indexComponents must be at most ${INDEX_COMPONENTS_MAX}`);
  const base = coinIndex(spec.baseCoin);
  const quote = coinIndex(spec.quoteCoin);
  require(base !== undefined, spec, `base coin ${spec.baseCoin} is not listed`);
  require(quote !== undefined, spec, `quote coin ${spec.quoteCoin} is not listed`);

  const pricePrecision = precision(spec, 'pricePrecision', spec.pricePrecision);
  const quantityPrecision = precision(spec, 'quantityPrecision', spec.quantityPrecision);
  require(pricePrecision + quantityPrecision <=
    MONEY_SCALE, spec, `pricePrecision + quantityPrecision must be at most ${MONEY_SCALE}, so that price x quantity is exact`);
  const valueScale = MONEY_SCALE - pricePrecision - quantityPrecision;
  const tickStep = step(spec, 'priceMultiplier', spec.futures?.priceMultiplier, pricePrecision);
  const lotStep = step(spec, 'quantityMultiplier', spec.futures?.quantityMultiplier, quantityPrecision);
  const openingTicks = Number(decimal(spec, 'openingPrice', spec.openingPrice, pricePrecision));
  require(openingTicks > 0 &&
    openingTicks <=
      PRICE_TICKS_MAX /
        4, spec, `openingPrice must lie between one tick and ${Math.floor(PRICE_TICKS_MAX / 4)} ticks`);
  const quotePrecision =
    spec.quotePrecision === '' ? 0 : precision(spec, 'quotePrecision', spec.quotePrecision);
  const valuePerTickLot = powerOfTen(valueScale);
  const unitsPerLot = powerOfTen(MONEY_SCALE - quantityPrecision);

  return {
    index,
    spec,
    symbol: spec.symbol,
    category: category as Category,
    base,
    quote,
    book,
    pricePrecision,
    quantityPrecision,
    quotePrecision,
    tickStep,
    lotStep,
    valuePerTickLot,
    valuePerTickLotNumber: Number(valuePerTickLot),
    unitsPerLot,
    unitsPerLotNumber: Number(unitsPerLot),
    minLots: lots(spec, 'minOrderQty', spec.minOrderQty, quantityPrecision),
    maxLots: lots(spec, 'maxOrderQty', spec.maxOrderQty, quantityPrecision),
    maxMarketLots: lots(spec, 'maxMarketOrderQty', spec.futures?.maxMarketOrderQty ?? '', quantityPrecision),
    minAmount:
      spec.minOrderAmount === '' ? 0n : decimal(spec, 'minOrderAmount', spec.minOrderAmount, MONEY_SCALE),
    buyBandRate: ratio(spec, 'buyLimitPriceRatio', spec.buyLimitPriceRatio),
    sellBandRate: ratio(spec, 'sellLimitPriceRatio', spec.sellLimitPriceRatio),
    openingTicks,
    makerRate: feeRate(spec, 'makerFeeRate', spec.makerFeeRate),
    takerRate: feeRate(spec, 'takerFeeRate', spec.takerFeeRate),
    maxSymbolOrders: count(spec, 'maxSymbolOrderNum', spec.maxSymbolOrderNum),
    maxProductOrders: count(spec, 'maxProductOrderNum', spec.maxProductOrderNum),
    maxPositions: count(spec, 'maxPositionNum', spec.maxPositionNum),
    indexName: spec.baseCoin + spec.quoteCoin,
    futures: futuresTerms(spec, category as Category, base, quote),
    margin: marginTerms(spec, category as Category),
    calendar: calendarOf(spec),
    status: status as InstrumentStatus,
    closeOnly: false,
    paused: false,
  };
}

function futuresTerms(
  spec: InstrumentSpec,
  category: Category,
  base: number,
  quote: number,
): FuturesTerms | undefined {
  const { futures } = spec;
  if (!isFutures(category)) return undefined;
  require(futures !== undefined, spec, 'a futures contract needs its futures terms');
  const coinMargined = category === Category.coinFutures;
  const hours = count(spec, 'fundInterval', futures.fundInterval);
  require(futures.type === 'delivery' ||
    [1, 2, 4, 8].includes(hours), spec, 'fundInterval must be 1, 2, 4 or 8 hours');
  const minLeverage = count(spec, 'minLeverage', futures.minLeverage);
  const maxLeverage = count(spec, 'maxLeverage', futures.maxLeverage);
  require(minLeverage >= 1 && maxLeverage >= minLeverage, spec, 'leverage must run from at least 1 upwards');
  const tiers = marginTiers(spec, futures, maxLeverage);
  const feeReserveRate = decimal(spec, 'feeRateUpRatio', futures.feeRateUpRatio || '0', RATE_SCALE);
  return {
    settle: coinMargined ? base : quote,
    coinMargined,
    minLeverage,
    maxLeverage,
    fundIntervalMs: hours * 3_600_000,
    minFundingRate: decimal(spec, 'minFundingRate', futures.minFundingRate ?? '-0.003', RATE_SCALE),
    maxFundingRate: decimal(spec, 'maxFundingRate', futures.maxFundingRate ?? '0.003', RATE_SCALE),
    interestRate: spec.symbolType === 'stock' ? 0n : FUNDING_INTEREST,
    tiers,
    scale: marginScale(tiers, feeRate(spec, 'takerFeeRate', spec.takerFeeRate), feeReserveRate),
    feeReserveRate,
    costReserveRate: decimal(spec, 'openCostUpRatio', futures.openCostUpRatio || '0', RATE_SCALE),
    delivery:
      futures.type === 'delivery'
        ? {
            startTime: instant(spec, 'deliveryStartTime', futures.deliveryStartTime),
            time: instant(spec, 'deliveryTime', futures.deliveryTime),
          }
        : undefined,
  };
}

function marginTerms(spec: InstrumentSpec, category: Category): MarginTerms | undefined {
  if (category !== Category.margin) return undefined;
  const { margin } = spec;
  require(margin !== undefined, spec, 'margin is missing');
  const maxLeverage = Number(margin.maxCrossedLeverage);
  require(Number.isInteger(maxLeverage) &&
    maxLeverage >= 1 &&
    maxLeverage <=
      125, spec, `maxCrossedLeverage "${margin.maxCrossedLeverage}" must be a whole number from 1 to 125`);
  const warningRatio = decimal(spec, 'warningRiskRatio', margin.warningRiskRatio, RATE_SCALE);
  const liquidationRatio = decimal(spec, 'liquidationRiskRatio', margin.liquidationRiskRatio, RATE_SCALE);
  require(warningRatio > 0n &&
    warningRatio <= liquidationRatio &&
    liquidationRatio <=
      RATE_ONE, spec, 'warningRiskRatio must be above 0 and at most liquidationRiskRatio, and that at most 1');
  const minBorrow = decimal(spec, 'userMinBorrow', margin.userMinBorrow, MONEY_SCALE);
  return { maxLeverage, warningRatio, liquidationRatio, minBorrow };
}

function marginTiers(spec: InstrumentSpec, futures: FuturesSpec, maxLeverage: number): readonly MarginTier[] {
  const whole = {
    upTo: '1000000000',
    maxLeverage: String(maxLeverage),
    mmr: formatRate(RATE_ONE / BigInt(2 * maxLeverage)),
  };
  const tiers = readTiers(futures.tiers ?? [whole]);
  require(tiers !== undefined, spec, 'tiers must rise: upTo and mmr ascending, leverage at least 1');
  return tiers;
}

function calendarOf(spec: InstrumentSpec): InstrumentCalendar {
  const { launchTime } = spec;
  const { limitOpenTime = '', offTime = '' } = spec.futures ?? {};
  const limitOpen = instantIfSet(spec, 'limitOpenTime', limitOpenTime);
  const off = instantIfSet(spec, 'offTime', offTime);
  const launch = instantIfSet(spec, 'launchTime', launchTime);
  require(limitOpen <= off ||
    offTime === '' ||
    limitOpenTime === '', spec, 'offTime must not come before limitOpenTime');
  const end = Math.min(limitOpen, off);
  require(launch < end || launchTime === '', spec, 'launchTime must come before limitOpenTime and offTime');
  return { launchTime: launch, limitOpenTime: limitOpen, offTime: off };
}

function instantIfSet(spec: InstrumentSpec, field: string, text: string): number {
  return text === '' ? Number.POSITIVE_INFINITY : instant(spec, field, text);
}

function instant(spec: InstrumentSpec, field: string, text: string): number {
  require(/^[0-9]{1,16}$/.test(text), spec, `${field} "${text}" must be Unix time in milliseconds`);
  return Number(text);
}

function require(condition: boolean, spec: InstrumentSpec, message: string): asserts condition {
  if (!condition) throw new SpecificationError(`${spec.category} ${spec.symbol}: ${message}`);
}

function decimal(spec: InstrumentSpec, field: string, text: string, scale: number): bigint {
  const value = parseUnits(text, scale);
  require(value !== undefined, spec, `${field} "${text}" must be a decimal with at most ${scale} places`);
  return value;
}

function precision(spec: InstrumentSpec, field: string, text: string): number {
  require(/^[0-8]$/.test(text), spec, `${field} "${text}" must be a whole number from 0 to 8`);
  return Number(text);
}

function count(spec: InstrumentSpec, field: string, text: string): number {
  require(/^[0-9]{0,9}$/.test(text), spec, `${field} "${text}" must be a whole number or empty`);
  return text === '' ? 0 : Number(text);
}

function lots(spec: InstrumentSpec, field: string, text: string, scale: number): number {
  if (text === '') return 0;
  const value = decimal(spec, field, text, scale);
  require(value >= 0n && value <= BigInt(SIZE_LOTS_MAX), spec, `${field} "${text}" is out of range`);
  return Number(value);
}

function step(spec: InstrumentSpec, field: string, text: string | undefined, scale: number): number {
  if (text === undefined || text === '') return 1;
  const value = decimal(spec, field, text, scale);
  require(value >= 1n && value <= 1_000_000_000n, spec, `${field} "${text}" is out of range`);
  return Number(value);
}

function ratio(spec: InstrumentSpec, field: string, text: string): bigint {
  const value = decimal(spec, field, text, RATE_SCALE);
  require(value > 0n && value < RATE_ONE, spec, `${field} "${text}" must lie between 0 and 1`);
  return value;
}

function feeRate(spec: InstrumentSpec, field: string, text: string): bigint {
  const value = decimal(spec, field, text, RATE_SCALE);
  require(value > -RATE_ONE / 10n && value < RATE_ONE / 10n, spec, `${field} "${text}" must be below 10 %`);
  return value;
}
