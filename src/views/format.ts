/** Texts that several views share: ids, average prices, fees. */
import type { Instrument } from '../core/model/instrument.ts';
import { divHalf, formatMoney, formatUnits } from '../core/model/units.ts';

/**
 * Ids on the wire. Inside, orders, fills and ledger lines share one increasing counter; outside, every id is a decimal
 * string of 19 digits, so that ids have the same order as text and as numbers.
 */
export { formatOrderId as formatId, parseOrderId as parseId } from '../core/model/order-id.ts';

/** A record whose fields are all text. Tables, responses and types are derived from the list of its fields. */
export type StringFields<Fields extends readonly string[]> = Readonly<Record<Fields[number], string>>;

/** Value / quantity, `half` to the price precision (rules 0.4). */
export function averagePrice(instrument: Instrument, value: bigint, lots: number): string {
  if (lots === 0) return '0';
  const ticks = divHalf(value, instrument.valuePerTickLot * BigInt(lots));
  return formatUnits(ticks, instrument.pricePrecision);
}

/** A fee of an order or fill: positive = charged, negative = rebate (wire 3.9). */
export interface FeeDetail {
  readonly feeCoin: string;
  readonly fee: string;
}

/** Name of a coin by its index. */
export type CoinName = (coin: number) => string;

export function feeDetail(fee: bigint, feeCoin: string): FeeDetail {
  return { feeCoin, fee: formatMoney(fee) };
}
