/** Candles on the wire (interface 2.8, rules 8.2). */

import type { Amount } from '../core/model/amount.ts';
import { PRICE_KINDS, type PriceKind } from '../core/model/enums.ts';
import type { CandleClosed, PriceCandleClosed } from '../core/model/event.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { formatMoney, formatUnits, MONEY_SCALE, parseUnits } from '../core/model/units.ts';

/** Source of a series of candles: trades, or one of the prices. */
export const CANDLE_TYPES = ['market', ...PRICE_KINDS] as const;
export type CandleType = (typeof CANDLE_TYPES)[number];

const PREMIUM_SCALE = 8;

/** A candle in decimals with its time still a number, for code that fills gaps between candles. */
export interface CandleRow {
  readonly openTime: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** Base coin. */
  readonly volume: string;
  /** Quote coin. */
  readonly turnover: string;
}

/** [open time, open, high, low, close, volume, turnover]. */
export type CandleView = readonly [string, string, string, string, string, string, string];

/** The numbers of a candle, closed or running. */
export interface CandleNumbers extends Omit<CandleClosed, 'type' | 'instrument' | 'interval' | 'turnover'> {
  readonly turnover: Amount;
}

export function candleRow(candle: CandleNumbers, instrument: Instrument): CandleRow {
  const price = (ticks: number) => formatUnits(BigInt(ticks), instrument.pricePrecision);
  return {
    openTime: candle.openTime,
    open: price(candle.openTicks),
    high: price(candle.highTicks),
    low: price(candle.lowTicks),
    close: price(candle.closeTicks),
    volume: formatUnits(BigInt(candle.volumeLots), instrument.quantityPrecision),
    turnover: formatMoney(BigInt(candle.turnover)),
  };
}

/** Candles of prices have no volume. */
export function priceCandleRow(
  candle: Omit<PriceCandleClosed, 'type' | 'kind' | 'instrument' | 'interval'>,
  kind: PriceKind,
  instrument: Instrument,
): CandleRow {
  const scale = kind === 'premium' ? PREMIUM_SCALE : instrument.pricePrecision;
  const text = (ticks: number) => formatUnits(BigInt(ticks), scale);
  return {
    openTime: candle.openTime,
    open: text(candle.openTicks),
    high: text(candle.highTicks),
    low: text(candle.lowTicks),
    close: text(candle.closeTicks),
    volume: '0',
    turnover: '0',
  };
}

/** The candle of an interval without trades: flat at the previous close. */
export function flatCandle(openTime: number, close: string): CandleRow {
  return { openTime, open: close, high: close, low: close, close, volume: '0', turnover: '0' };
}

/** One candle from two parts of the same interval. */
export function joinCandles(earlier: CandleRow, later: CandleRow): CandleRow {
  const units = (text: string) => parseUnits(text, MONEY_SCALE) ?? 0n;
  const sum = (a: string, b: string) => formatMoney(units(a) + units(b));
  return {
    openTime: earlier.openTime,
    open: earlier.open,
    high: units(earlier.high) > units(later.high) ? earlier.high : later.high,
    low: units(earlier.low) < units(later.low) ? earlier.low : later.low,
    close: later.close,
    volume: sum(earlier.volume, later.volume),
    turnover: sum(earlier.turnover, later.turnover),
  };
}

export function candleView(row: CandleRow): CandleView {
  return [String(row.openTime), row.open, row.high, row.low, row.close, row.volume, row.turnover];
}
