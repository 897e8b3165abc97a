/** Orders, prices and money as people write them on the trading floor. */
import { OFF_GRID, OUT_OF_RANGE } from '../../../src/core/model/command.ts';
import {
  CATEGORY_NAMES,
  type Category,
  type CategoryName,
  OrderType,
  type STP_MODE_NAMES,
  type TIME_IN_FORCE_NAMES,
  TRIGGER_BY_NAMES,
  type TriggerBy,
  type WalletName,
} from '../../../src/core/model/enums.ts';
import type { Instrument } from '../../../src/core/model/instrument.ts';
import { PRICE_TICKS_MAX, SIZE_LOTS_MAX } from '../../../src/core/model/limits.ts';
import { RejectReason } from '../../../src/core/model/reject-reason.ts';
import { NO_LEG, type PresetChange, type TriggerLeg } from '../../../src/core/model/tpsl.ts';
import { formatMoney, formatUnits, MONEY_SCALE, parseUnits } from '../../../src/core/model/units.ts';
import type { CandleNumbers } from '../../../src/views/candle-view.ts';

export interface OrderWords {
  /** Symbol; BTCUSDT when left out. */
  readonly on?: string;
  readonly category?: CategoryName;
  readonly tif?: (typeof TIME_IN_FORCE_NAMES)[number];
  readonly stp?: (typeof STP_MODE_NAMES)[number];
  readonly source?: 'api' | 'retail';
  readonly clientOid?: string;
  /** Futures. */
  readonly posSide?: 'long' | 'short';
  readonly reduceOnly?: boolean;
  /** What its fills shall be protected with. */
  readonly takeProfit?: LegWords;
  readonly stopLoss?: LegWords;
  /** It comes later than its owner allows. */
  readonly expired?: boolean;
}

/** A trigger price, by the last trade and with a market order behind it unless told otherwise. */
export type LegWords =
  | string
  | { readonly at: string; readonly by?: 'market' | 'mark'; readonly limit?: string };

export interface AmendWords {
  readonly price?: string;
  readonly qty?: string;
  readonly autoCancel?: boolean;
  readonly source?: 'api' | 'retail';
  readonly outstanding?: number;
  readonly preset?: PresetChange;
}

export interface WithdrawalInput {
  readonly fee?: string;
  /** Both wallets when left out. */
  readonly from?: readonly WalletName[];
  readonly clientOid?: string;
}

export type RefusalName = keyof typeof RejectReason;

export function refusalName(rejectReason: RejectReason): RefusalName {
  return (Object.keys(RejectReason) as RefusalName[]).find((name) => RejectReason[name] === rejectReason)!;
}

export interface CandleWords {
  readonly openTime: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly turnover: string;
}

export function candleWords(instrument: Instrument, candle: CandleNumbers): CandleWords {
  return {
    openTime: new Date(candle.openTime).toISOString(),
    open: priceText(instrument, candle.openTicks),
    high: priceText(instrument, candle.highTicks),
    low: priceText(instrument, candle.lowTicks),
    close: priceText(instrument, candle.closeTicks),
    volume: qtyText(instrument, candle.volumeLots),
    turnover: money(BigInt(candle.turnover)),
  };
}

export function moneyUnits(amount: string): bigint {
  const units = parseUnits(amount, MONEY_SCALE);
  if (units === undefined) throw new Error(`${amount} is no amount of money`);
  return units;
}

export function walletsOf({ from = ['spot', 'uta'] }: WithdrawalInput) {
  return { fromFunding: from.includes('spot'), fromUnified: from.includes('uta') };
}

export function legOf(instrument: Instrument, words: LegWords | undefined): TriggerLeg {
  if (words === undefined) return NO_LEG;
  const { at, by = 'market', limit } = typeof words === 'string' ? { at: words } : words;
  return {
    triggerTicks: ticksOf(instrument, at) || OUT_OF_RANGE,
    triggerBy: TRIGGER_BY_NAMES.indexOf(by) as TriggerBy,
    orderType: limit === undefined ? OrderType.market : OrderType.limit,
    limitTicks: limit === undefined ? 0 : ticksOf(instrument, limit),
  };
}

export function categoryOf(name: CategoryName): Category {
  return CATEGORY_NAMES.indexOf(name) as Category;
}

/** As the gateway reads numbers: what the grid cannot hold becomes a code. */
export function ticksOf(instrument: Instrument, price: string): number {
  return onGrid(parseUnits(price, instrument.pricePrecision), BigInt(PRICE_TICKS_MAX));
}

export function lotsOf(instrument: Instrument, qty: string): number {
  return onGrid(parseUnits(qty, instrument.quantityPrecision), BigInt(SIZE_LOTS_MAX));
}

function onGrid(units: bigint | undefined, max: bigint): number {
  if (units === undefined) return OFF_GRID;
  return units > max || units < 0n ? OUT_OF_RANGE : Number(units);
}

export function priceText(instrument: Instrument, ticks: number): string {
  return formatUnits(BigInt(ticks), instrument.pricePrecision);
}

export function qtyText(instrument: Instrument, lots: number): string {
  return formatUnits(BigInt(lots), instrument.quantityPrecision);
}

export function money(units: bigint): string {
  return formatMoney(units);
}
