/** Windows and pages of loan records: three months back, numbered pages (interface 4.6, 8). */

import { LOAN_RETENTION_MS, type LoanRecordKind, type LoanRecords } from '../../../history/history.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import type { Call } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { CoinName } from '../../wire/money-input.ts';
import { pageLimit, times } from '../../wire/paging.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { loanIdOf } from './loan-input.ts';

const PAGE_DEFAULT = 10;
const PAGE_MAX = 100;

/** Both times are required. */
export const recordFields = {
  orderId: Type.Optional(fields.OrderId),
  pledgeCoin: Type.Optional(CoinName),
  startTime: Type.String({ ...fields.Time, description: 'within the last three months, Unix milliseconds' }),
  endTime: fields.Time,
  pageNum: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,9}$', description: 'number of the page, default 1' }),
  ),
  pageSize: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,9}$', description: 'default 10; more than 100 are capped' }),
  ),
};
export const coinFields = { loanCoin: Type.Optional(CoinName) };

const RecordQuery = Type.Object({ ...recordFields, ...coinFields });
type RecordQuery = Static<typeof RecordQuery>;

interface Period {
  readonly startTime: number;
  readonly endTime: number;
  readonly endedSince: number;
}

/** `choice` is the status or side of the records. */
export async function readLoanRecords<Kind extends LoanRecordKind>(
  { sequencer, clock, caller, query }: Call<RecordQuery, unknown>,
  kind: Kind,
  choice?: string,
): Promise<LoanRecords[Kind][] | WireError> {
  const period = periodOf(query, clock.now());
  if (period instanceof WireError) return period;
  const limit = pageLimit(query.pageSize, PAGE_DEFAULT, PAGE_MAX, 'pageSize');
  if (limit instanceof WireError) return limit;
  const page = Number(query.pageNum ?? '1');
  if (page === 0) return wireError('40020', 'pageNum must be 1 or more');
  await sequencer.durable();
  return sequencer.history.loanRecords(kind, {
    uid: caller.user.uid,
    ...period,
    skip: (page - 1) * limit,
    limit,
    ...(query.orderId !== undefined && { loanId: loanIdOf(query.orderId) }),
    ...(query.loanCoin !== undefined && { loanCoin: query.loanCoin.toUpperCase() }),
    ...(query.pledgeCoin !== undefined && { pledgeCoin: query.pledgeCoin.toUpperCase() }),
    ...(choice !== undefined && { choice }),
  });
}

function periodOf(query: RecordQuery, now: number): Period | WireError {
  const bounds = times(query);
  if (bounds instanceof WireError) return bounds;
  const oldest = now - LOAN_RETENTION_MS;
  const startTime = Number(query.startTime);
  if (startTime < oldest) {
    return wireError('40017', `startTime must lie within the last three months: ${oldest} or later`);
  }
  return { startTime, endTime: Number(query.endTime), endedSince: oldest };
}
