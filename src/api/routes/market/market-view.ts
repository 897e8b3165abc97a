/** Instruments, tickers and trades in public responses (interface 2.6, 2.7, 2.9). */

import { Category, INSTRUMENT_STATUS_NAMES, SIDE_NAMES } from '../../../core/model/enums.ts';
import type { Traded } from '../../../core/model/event.ts';
import { type Instrument, tradeValue } from '../../../core/model/instrument.ts';
import { DELIVERY_QUIET_MS, shownStatus } from '../../../core/model/instrument-status.ts';
import type { FuturesSpec, InstrumentSpec, MarginSpec } from '../../../core/model/listing-spec.ts';
import { divHalf, formatMoney, formatRate, formatUnits } from '../../../core/model/units.ts';
import { depth } from '../../../core/reads/reads.ts';
import type { State } from '../../../core/state/state.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { formatId } from '../../../views/format.ts';

const HOUR_MS = 3_600_000;

export function instrumentView(state: State, instrument: Instrument): Record<string, string> {
  const { spec } = instrument;
  const { futures, margin } = spec;
  return {
    symbol: spec.symbol,
    category: spec.category,
    baseCoin: spec.baseCoin,
    quoteCoin: spec.quoteCoin,
    buyLimitPriceRatio: spec.buyLimitPriceRatio,
    sellLimitPriceRatio: spec.sellLimitPriceRatio,
    minOrderQty: spec.minOrderQty,
    maxOrderQty: spec.maxOrderQty,
    minOrderAmount: spec.minOrderAmount,
    pricePrecision: spec.pricePrecision,
    quantityPrecision: spec.quantityPrecision,
    quotePrecision: spec.quotePrecision,
    maxSymbolOrderNum: spec.maxSymbolOrderNum,
    maxProductOrderNum: spec.maxProductOrderNum,
    maxPositionNum: spec.maxPositionNum,
    status: INSTRUMENT_STATUS_NAMES[shownStatus(instrument)],
    maintainTime: spec.maintainTime,
    launchTime: spec.launchTime,
    symbolType: spec.symbolType,
    ...(futures !== undefined && {
      ...futuresView(futures, spec),
      fundInterval: fundInterval(state, instrument),
    }),
    ...(margin !== undefined && { ...marginView(margin), areaSymbol: spec.areaSymbol ?? 'NO' }),
    // Of a spot pair only where it is YES (interface 2.6).
    ...(spec.category === 'SPOT' && spec.areaSymbol === 'YES' && { areaSymbol: 'YES' }),
  };
}

/** Hours between two settlements, as in force now (rules 13.8); '' of a delivery contract. */
export function fundInterval(state: State, instrument: Instrument): string {
  const { ms } = state.market(instrument).futures!.interval;
  return ms === 0 ? '' : String(ms / HOUR_MS);
}

/** The fields of the interface; tiers and funding bounds have their own endpoints. */
function futuresView(futures: FuturesSpec, spec: InstrumentSpec): Record<string, string> {
  const { tiers: _tiers, minFundingRate: _min, maxFundingRate: _max, ...all } = futures;
  const { deliveryTime, deliveryStartTime, deliveryPeriod, ...shown } = all;
  return {
    ...shown,
    makerFeeRate: spec.makerFeeRate,
    takerFeeRate: spec.takerFeeRate,
    // Only delivery contracts have these three (interface 2.6).
    ...(futures.type === 'delivery' && { deliveryTime, deliveryStartTime, deliveryPeriod }),
  };
}

/** Isolated spot margin is not offered (rules 6.9), whatever the listing was recorded with. */
function marginView(margin: MarginSpec) {
  return { ...margin, isIsolatedBaseBorrowable: 'NO', isIsolatedQuotedBorrowable: 'NO' };
}

export function priceText(instrument: Instrument, ticks: number): string {
  return formatUnits(BigInt(ticks), instrument.pricePrecision);
}

export function sizeText(instrument: Instrument, lots: number): string {
  return formatUnits(BigInt(lots), instrument.quantityPrecision);
}

export function tickerView(
  { state, generated24h }: Pick<Sequencer, 'state' | 'generated24h'>,
  instrument: Instrument,
): Record<string, string> {
  const day = generated24h.statistics(state, instrument);
  const { asks, bids } = depth(state, instrument, 1);
  const [ask, bid] = [asks[0], bids[0]];
  return {
    category: instrument.spec.category,
    symbol: instrument.symbol,
    ts: String(state.now),
    lastPrice: priceText(instrument, day.lastTicks),
    openPrice24h: priceText(instrument, day.openTicks),
    highPrice24h: priceText(instrument, day.highTicks),
    lowPrice24h: priceText(instrument, day.lowTicks),
    ask1Price: ask === undefined ? '' : priceText(instrument, ask.priceTicks),
    ask1Size: ask === undefined ? '0' : sizeText(instrument, ask.lots),
    bid1Price: bid === undefined ? '' : priceText(instrument, bid.priceTicks),
    bid1Size: bid === undefined ? '0' : sizeText(instrument, bid.lots),
    price24hPcnt: change(day.openTicks, day.lastTicks),
    volume24h: sizeText(instrument, day.volumeLots),
    turnover24h: formatMoney(day.turnover),
    ...futuresFields(state, instrument),
  };
}

/** (last - open) / open, `half` to 5 decimals. */
function change(openTicks: number, lastTicks: number): string {
  if (openTicks === 0) return '0';
  return formatUnits(divHalf(BigInt(lastTicks - openTicks) * 100_000n, BigInt(openTicks)), 5);
}

/** Prices of a contract beyond its book; '' while no component has a price. */
export function contractPrices(
  state: State,
  instrument: Instrument,
): { indexPrice: string; markPrice: string; fundingRate: string; openInterest: string } {
  const { indexTicks, markTicks, rate, openInterest } = state.market(instrument).futures!;
  return {
    indexPrice: indexTicks === 0 ? '' : priceText(instrument, indexTicks),
    markPrice: markTicks === 0 ? '' : priceText(instrument, markTicks),
    fundingRate: formatRate(rate),
    openInterest: sizeText(instrument, openInterest),
  };
}

function futuresFields(state: State, instrument: Instrument): Record<string, string> | undefined {
  const { futures } = instrument.spec;
  if (futures === undefined) return undefined;
  const common = contractPrices(state, instrument);
  if (futures.type !== 'delivery') return common;
  const { deliveryStartTime, deliveryTime } = futures;
  return { ...common, deliveryStartTime, deliveryTime, deliveryStatus: deliveryStatus(state, instrument) };
}

/** Status of a delivery contract, by the clock alone (rules 5.15). */
export const DELIVERY_STATUSES = [
  'delivery_config_period',
  'delivery_normal',
  'delivery_before',
  'delivery_period',
] as const;

function deliveryStatus({ now }: State, { futures }: Instrument): (typeof DELIVERY_STATUSES)[number] {
  const { startTime, time } = futures!.delivery!;
  if (now < startTime) return 'delivery_config_period';
  if (now >= time) return 'delivery_period';
  return now >= time - DELIVERY_QUIET_MS ? 'delivery_before' : 'delivery_normal';
}

/** Components of an index with their last price; '' before the first (rules 5.14). */
export function componentViews(state: State, instrument: Instrument) {
  const index = state.indexByName.get(instrument.indexName);
  const components = index === undefined ? [] : state.indices[index]!.components;
  return components.map(({ exchange, spotPair, price, weight }) => ({
    exchange,
    spotPair,
    equivalentPrice: price === 0n ? '' : formatMoney(price),
    weight: formatRate(weight),
  }));
}

export function publicFillView(trade: Traded, instrument: Instrument): Record<string, string> {
  const { priceTicks, sizeLots } = trade;
  return {
    execId: formatId(trade.execId),
    execLinkId: formatId(trade.execLinkId),
    price: priceText(instrument, priceTicks),
    // The size of coin-margined futures is in quote coin (interface 2.9).
    size:
      instrument.category === Category.coinFutures
        ? formatMoney(tradeValue(instrument, priceTicks, sizeLots))
        : sizeText(instrument, sizeLots),
    side: SIDE_NAMES[trade.side],
    ts: String(trade.time),
    isRPI: trade.rpi ? 'yes' : 'no',
  };
}
