/** Numbers of an explanation as decimal text. */
import { EXPLICIT_ZERO, OFF_GRID, OUT_OF_RANGE } from '../model/command.ts';
import { CATEGORY_NAMES } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { formatMoney, formatUnits, MONEY_SCALE, powerOfTen, RATE_ONE } from '../model/units.ts';
import type { State } from '../state/state.ts';

export type Facts = Readonly<Record<string, string>>;

/** What the API could not put on the grid of the instrument is not in the command. */
const CODES: ReadonlyMap<number, string> = new Map([
  [OFF_GRID, 'more decimals than the instrument has'],
  [OUT_OF_RANGE, 'beyond what the exchange can count'],
  [EXPLICIT_ZERO, '0'],
]);

export function priceText({ pricePrecision }: Pick<Instrument, 'pricePrecision'>, ticks: number): string {
  return CODES.get(ticks) ?? formatUnits(BigInt(ticks), pricePrecision);
}

export function qtyText({ quantityPrecision }: Pick<Instrument, 'quantityPrecision'>, lots: number): string {
  return CODES.get(lots) ?? formatUnits(BigInt(lots), quantityPrecision);
}

/** The quote amount of a market buy, which may be a code. */
export const quoteText = (amount: bigint): string => CODES.get(Number(amount)) ?? formatMoney(amount);

export function coinName(state: State, coin: number): string {
  return state.coins[coin]?.coin ?? `number ${coin}`;
}

export function amountText(state: State, coin: number, amount: bigint): string {
  return `${formatMoney(amount)} ${coinName(state, coin)}`;
}

export const usdText = (amount: bigint): string => `${formatMoney(amount)} USD`;

export function instrumentName({ symbol, category }: Instrument): string {
  return `${CATEGORY_NAMES[category]} ${symbol}`;
}

export const yesNo = (is: boolean): string => (is ? 'yes' : 'no');

/** Unix ms, as everywhere on the wire. */
export const timeText = (ms: number): string => String(ms);

/** A share of one as a percentage, `floor` at 10^-6 of a percent. */
export function percentText(part: bigint, whole: bigint): string {
  if (whole <= 0n) return part > 0n ? 'above every bound' : '0 %';
  return `${formatUnits((part * powerOfTen(MONEY_SCALE)) / whole, MONEY_SCALE - 2)} %`;
}

export const rateText = (rate: bigint): string => percentText(rate, RATE_ONE);
