/** Fees as orders and fills show them: positive = charged, negative = rebate (wire 3.9). */
import { formatMoney } from '../core/model/units.ts';

export interface FeeDetail {
  readonly feeCoin: string;
  readonly fee: string;
}

/** Name of a coin by its index. */
export type CoinName = (coin: number) => string;

export function feeDetail(fee: bigint, feeCoin: string): FeeDetail {
  return { feeCoin, fee: formatMoney(fee) };
}
