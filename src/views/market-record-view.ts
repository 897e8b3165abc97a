/** Public records of a futures market besides trades and candles, on the wire (wire 4.2). */

import { OrderKind, SIDE_NAMES, Side } from '../core/model/enums.ts';
import type { FillRecord, FundingSettled, InsuranceHour } from '../core/model/event.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { formatMoney, formatRate, formatUnits } from '../core/model/units.ts';
import type { StringFields } from './format.ts';

export interface FundingRateView {
  readonly symbol: string;
  readonly fundingRate: string;
  readonly fundingRateTimestamp: string;
}

export function fundingRateView(settled: FundingSettled, instrument: Instrument): FundingRateView {
  return {
    symbol: instrument.symbol,
    fundingRate: formatRate(settled.rate),
    fundingRateTimestamp: String(settled.time),
  };
}

/** The insurance fund of a coin at a full hour. */
export interface InsuranceHourView {
  readonly time: number;
  /** Change since the previous hour with a change. */
  readonly amount: string;
  readonly balance: string;
}

export function insuranceHourView({ time, amount, balance }: InsuranceHour): InsuranceHourView {
  return { time, amount: formatMoney(amount), balance: formatMoney(balance) };
}

/** A fill of an order by which the exchange closed a liquidated position. */
export const LIQUIDATION_FIELDS = ['symbol', 'side', 'price', 'amount', 'ts'] as const;
export type LiquidationView = StringFields<typeof LIQUIDATION_FIELDS>;

export function isLiquidation({ futures }: FillRecord): boolean {
  return futures?.kind === OrderKind.liquidation || futures?.kind === OrderKind.reduce;
}

/** The side is that of the liquidated position: a sell closes a long, which was bought (wire 5.3). */
export function liquidationView(fill: FillRecord, instrument: Instrument): LiquidationView {
  return {
    symbol: instrument.symbol,
    side: SIDE_NAMES[fill.side === Side.sell ? Side.buy : Side.sell],
    price: formatUnits(BigInt(fill.priceTicks), instrument.pricePrecision),
    amount: formatUnits(BigInt(fill.sizeLots), instrument.quantityPrecision),
    ts: String(fill.time),
  };
}
