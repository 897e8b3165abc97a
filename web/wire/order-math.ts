/** What an order would cost and risk, worked out in the page between the answers of the exchange. */
import {
  add,
  amount,
  compare,
  type Decimal,
  decimal,
  divide,
  floorTo,
  multiply,
  nearest,
  ONE,
  rescale,
  sign,
  subtract,
  textOf,
  ZERO,
} from './decimal.ts';
import { type Instrument, isFutures, isInverse, lotOf, type Side, tickOf } from './types.ts';

const MONEY_DIGITS = 8;

/** Units in which a person may enter a size. */
export type SizeUnit = 'base' | 'quote' | 'lots';

/** An entered size in the base coin, cut to the lot of the instrument; empty when it is not a number. */
export function baseSize(entered: string, unit: SizeUnit, price: Decimal, instrument: Instrument): string {
  const value = decimal(entered);
  if (value === undefined) return '';
  const lot = amount(lotOf(instrument));
  const digits = Number(instrument.quantityPrecision);
  const size =
    unit === 'base' ? value : unit === 'lots' ? multiply(value, lot) : divide(value, price, digits + 2);
  return textOf(rescale(floorTo(size, lot), digits));
}

/** The worth of a size in the quote coin, with no more digits than the exchange takes. */
export function quoteWorth(size: string, price: Decimal, { quotePrecision }: Instrument): string {
  return textOf(rescale(multiply(amount(size), price), Number(quotePrecision || MONEY_DIGITS)));
}

/** A price on a tick of the instrument. */
export function onTick(price: Decimal, instrument: Instrument): string {
  return textOf(rescale(nearest(price, amount(tickOf(instrument))), Number(instrument.pricePrecision)));
}

export interface OrderFacts {
  readonly instrument: Instrument;
  readonly side: Side;
  readonly size: string;
  readonly price: Decimal;
  readonly leverage: Decimal;
  readonly feeRate: Decimal;
}

export interface OrderEstimate {
  /** In quote coin: the worth of the order. */
  readonly value: Decimal;
  /** Margin of a contract, money of a spot order. */
  readonly cost: Decimal;
  readonly fee: Decimal;
}

export function estimate({ instrument, size, price, leverage, feeRate }: OrderFacts): OrderEstimate {
  const value = multiply(amount(size), price);
  const fee = multiply(value, feeRate);
  const margin = isFutures(instrument.category) ? divide(value, leverage, MONEY_DIGITS) : value;
  return { value, cost: margin, fee };
}

/** The account before the order: worth that counts as margin, and what positions must keep. */
export interface Cushion {
  readonly equity: Decimal;
  readonly maintenance: Decimal;
  /** Maintenance rate of the position. */
  readonly rate: Decimal;
  readonly isolated: boolean;
}

/**
 * About where the order alone would bring a liquidation: the loss of its size eats the cushion (crossed: the account's,
 * isolated: its own margin) down to the maintenance of the position. Undefined where no price does.
 */
export function liquidationEstimate(facts: OrderFacts, cushion: Cushion): Decimal | undefined {
  const { instrument, side, price, size, leverage } = facts;
  const lots = amount(size);
  if (sign(lots) <= 0 || sign(price) <= 0 || isInverse(instrument.category)) return undefined;
  const value = multiply(lots, price);
  const money = cushion.isolated
    ? divide(value, leverage, MONEY_DIGITS)
    : subtract(cushion.equity, cushion.maintenance);
  if (sign(money) <= 0) return undefined;
  // Long: size * (price - p) = money - rate * size * p; short with the signs the other way round.
  const over = side === 'buy' ? subtract(value, money) : add(value, money);
  const keep = side === 'buy' ? subtract(ONE, cushion.rate) : add(ONE, cushion.rate);
  const at = divide(over, multiply(lots, keep), Number(instrument.pricePrecision));
  return compare(at, ZERO) > 0 ? at : undefined;
}

/** A share of the most that can be opened, on a lot. */
export function shareOf(most: string, percent: number, instrument: Instrument): string {
  const share = divide(
    multiply(amount(most), { units: BigInt(percent), scale: 0 }),
    { units: 100n, scale: 0 },
    12,
  );
  return textOf(rescale(floorTo(share, amount(lotOf(instrument))), Number(instrument.quantityPrecision)));
}
