/** The last columns of orders and fills. */
import type { FeeDetail } from '../../views/fee-detail.ts';
import type { Row, RowValues } from './table.ts';

export const FEE_AND_TIMES = ['fee_coin', 'fee', 'created_time', 'updated_time'] as const;

/** An order that bought and sold nothing has no fee coin. */
export function feeAndTimes(fees: readonly FeeDetail[], createdTime: number, updatedTime: number): RowValues {
  const [fee] = fees;
  return [fee?.feeCoin ?? '', fee?.fee ?? '0', createdTime, updatedTime];
}

export function readFeeAndTimes(row: Row): {
  readonly feeDetail: readonly FeeDetail[];
  readonly createdTime: string;
  readonly updatedTime: string;
} {
  const [feeCoin, fee, createdTime, updatedTime] = row.slice(-FEE_AND_TIMES.length).map(String);
  return {
    feeDetail: feeCoin === '' ? [] : [{ feeCoin: feeCoin!, fee: fee! }],
    createdTime: createdTime!,
    updatedTime: updatedTime!,
  };
}
