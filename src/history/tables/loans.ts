/** The four tables of loan records, and pages of them by number (interface 4.6). */
import type { LoanChanged, LoanReduced, LoanRepaid, PledgeRevised } from '../../core/model/event.ts';
import { formatId } from '../../views/format.ts';
import {
  BORROW_FIELDS,
  borrowView,
  PLEDGE_RATE_FIELDS,
  pledgeRateView,
  REDUCE_FIELDS,
  REPAY_FIELDS,
  reduceView,
  repayView,
} from '../../views/loan-view.ts';
import { LOAN_RETENTION_MS, type LoanQuery, type LoanRecordKind } from '../history.ts';
import type { Read } from '../read.ts';
import type { NameResolver } from './name-resolver.ts';
import { chosen, type Pages } from './pages.ts';
import { type Row, type RowValues, textsAmong, UserTable } from './table.ts';

export const CLOSED_LOANS = new UserTable({
  name: 'closed_loans',
  id: 'order_id',
  created: 'borrow_time',
  updated: 'updated_time',
  retentionMs: LOAN_RETENTION_MS,
  before: ['order_id', 'borrow_time', 'uid'],
  texts: textsAmong(BORROW_FIELDS, ['orderId', 'borrowTime']),
  after: ['updated_time'],
});

export const LOAN_REPAYMENTS = new UserTable({
  name: 'loan_repayments',
  id: 'repay_id',
  created: 'repay_time',
  retentionMs: LOAN_RETENTION_MS,
  before: ['order_id', 'repay_time', 'uid', 'repay_id'],
  texts: textsAmong(REPAY_FIELDS, ['orderId', 'repayTime']),
});

export const PLEDGE_REVISIONS = new UserTable({
  name: 'pledge_revisions',
  id: 'revise_id',
  created: 'revise_time',
  retentionMs: LOAN_RETENTION_MS,
  before: ['order_id', 'revise_time', 'uid', 'revise_id'],
  texts: textsAmong(PLEDGE_RATE_FIELDS, ['orderId', 'reviseTime']),
});

export const LOAN_REDUCTIONS = new UserTable({
  name: 'loan_reductions',
  id: 'reduce_id',
  created: 'reduce_time',
  retentionMs: LOAN_RETENTION_MS,
  before: ['order_id', 'reduce_time', 'uid', 'reduce_id'],
  texts: textsAmong(REDUCE_FIELDS, ['orderId', 'reduceTime']),
});

export function closedLoanRow(loan: LoanChanged, names: NameResolver): RowValues {
  const { loanId, borrowTime, uid, updatedTime } = loan;
  return CLOSED_LOANS.row([loanId, borrowTime, uid], borrowView(loan, names.coin), [updatedTime]);
}

export function repaymentRow(repaid: LoanRepaid, names: NameResolver): RowValues {
  const { loanId, time, uid, repayId } = repaid;
  return LOAN_REPAYMENTS.row([loanId, time, uid, repayId], repayView(repaid, names.coin));
}

export function revisionRow(revised: PledgeRevised, names: NameResolver): RowValues {
  const { loanId, time, uid, reviseId } = revised;
  return PLEDGE_REVISIONS.row([loanId, time, uid, reviseId], pledgeRateView(revised, names.coin));
}

export function reductionRow(reduced: LoanReduced, names: NameResolver): RowValues {
  const { loanId, time, uid, reduceId } = reduced;
  return LOAN_REDUCTIONS.row([loanId, time, uid, reduceId], reduceView(reduced, names.coin));
}

interface LoanRecordTable {
  readonly table: UserTable;
  /** The field of the record that holds the time. */
  readonly timeField: string;
  /** The column of the filter. */
  readonly choice?: string;
}

const LOAN_RECORDS: Readonly<Record<LoanRecordKind, LoanRecordTable>> = {
  borrow: { table: CLOSED_LOANS, timeField: 'borrowTime', choice: 'status' },
  repay: { table: LOAN_REPAYMENTS, timeField: 'repayTime' },
  pledgeRate: { table: PLEDGE_REVISIONS, timeField: 'reviseTime', choice: 'revise_side' },
  reduce: { table: LOAN_REDUCTIONS, timeField: 'reduceTime', choice: 'status' },
};

function readLoan({ table, timeField }: LoanRecordTable, row: Row): Record<string, string> {
  return { orderId: formatId(Number(row[0])), ...table.textsOf(row), [timeField]: String(row[1]) };
}

/** One page of one account, newest first. */
export function* loanRecords(
  pages: Pages,
  { kind, query }: { kind: LoanRecordKind; query: LoanQuery },
): Read<Record<string, string>[]> {
  const record = LOAN_RECORDS[kind];
  const { name, created, id } = record.table;
  const { uid, startTime, endTime, endedSince, loanId, loanCoin, pledgeCoin, choice, limit, skip } = query;
  const { conditions, values } = chosen({
    uid,
    order_id: loanId,
    loan_coin: loanCoin,
    pledge_coin: pledgeCoin,
    ...(record.choice !== undefined && { [record.choice]: choice }),
  });
  if (endedSince !== undefined && kind === 'borrow') {
    conditions.push('(borrow_time BETWEEN ? AND ? OR (borrow_time < ? AND updated_time BETWEEN ? AND ?))');
    values.push(startTime, endTime, endedSince, startTime, endTime);
  } else {
    conditions.push(`${created} BETWEEN ? AND ?`);
    values.push(startTime, endTime);
  }
  const rows = yield* pages.records(record.table, {
    index: `${name}_by_time`,
    text: `WHERE ${conditions.join(' AND ')} ORDER BY ${created} DESC, ${id} DESC LIMIT ? OFFSET ?`,
    values: [...values, limit, skip],
  });
  return rows.map((row) => readLoan(record, row));
}
