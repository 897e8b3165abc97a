/** The four tables of loan records: their columns, rows from events, and pages by number (interface 4.6). */
import type { SQLInputValue } from 'node:sqlite';
import type { LoanChanged, LoanReduced, LoanRepaid, PledgeRevised } from '../core/event.ts';
import type { CoinName } from '../record/fee-detail.ts';
import { formatId } from '../record/ids.ts';
import {
  type BorrowView,
  borrowView,
  type PledgeRateView,
  pledgeRateView,
  type ReduceView,
  type RepayView,
  reduceView,
  repayView,
} from '../record/loan-view.ts';
import type { LoanQuery, LoanRecordKind } from './history.ts';
import { columnName, insertInto, type Row, readTexts } from './sqlite-rows.ts';

/** Events that history keeps. */
export type LoanRow = LoanChanged | LoanRepaid | PledgeRevised | LoanReduced;

interface LoanTable {
  readonly name: string;
  /** Its own id; the loan's is `order_id`, which for loans is the same. */
  readonly key: string;
  readonly time: string;
  /** The field of the record that the time is. */
  readonly timeField: string;
  readonly texts: readonly string[];
  /** The column that a filter may choose by. */
  readonly choice?: string;
}

const table = <View>(row: LoanTable & { readonly texts: readonly (keyof View)[] }): LoanTable => row;

export const LOAN_TABLES: Readonly<Record<LoanRecordKind, LoanTable>> = {
  borrow: table<BorrowView>({
    name: 'closed_loans',
    key: 'order_id',
    time: 'borrow_time',
    timeField: 'borrowTime',
    texts: [
      'loanCoin',
      'pledgeCoin',
      'initPledgeAmount',
      'initLoanAmount',
      'hourRate',
      'pledgeDays',
      'daily',
      'status',
    ],
    choice: 'status',
  }),
  repay: table<RepayView>({
    name: 'loan_repayments',
    key: 'repay_id',
    time: 'repay_time',
    timeField: 'repayTime',
    texts: ['loanCoin', 'pledgeCoin', 'repayAmount', 'payInterest', 'repayLoanAmount', 'repayUnlockAmount'],
  }),
  pledgeRate: table<PledgeRateView>({
    name: 'pledge_revisions',
    key: 'revise_id',
    time: 'revise_time',
    timeField: 'reviseTime',
    texts: ['loanCoin', 'pledgeCoin', 'reviseSide', 'reviseAmount', 'afterPledgeRate', 'beforePledgeRate'],
    choice: 'revise_side',
  }),
  reduce: table<ReduceView>({
    name: 'loan_reductions',
    key: 'reduce_id',
    time: 'reduce_time',
    timeField: 'reduceTime',
    texts: [
      'loanCoin',
      'pledgeCoin',
      'pledgeRate',
      'pledgePrice',
      'status',
      'pledgeAmount',
      'reduceFee',
      'residueAmount',
      'runlockAmount',
      'repayLoanAmount',
    ],
    choice: 'status',
  }),
};

/** The time first, the loan second, then the texts; ids and times of their own come last. */
function columns({ key, time, texts }: LoanTable): string[] {
  const own = key === 'order_id' ? ['updated_time'] : [key];
  return [time, 'order_id', ...texts.map(columnName), 'uid', ...own];
}

export function insertLoan(kind: LoanRecordKind): string {
  const row = LOAN_TABLES[kind];
  return insertInto(row.name, columns(row), row.key);
}

/** Which table an event belongs to, and its row there. */
export function loanValues(
  event: LoanRow,
  coinName: CoinName,
): { kind: LoanRecordKind; values: SQLInputValue[] } {
  switch (event.type) {
    case 'loan':
      return valuesOf('borrow', event, event.borrowTime, borrowView(event, coinName), event.updatedTime);
    case 'loanRepaid':
      return valuesOf('repay', event, event.time, repayView(event, coinName), event.repayId);
    case 'pledgeRevised':
      return valuesOf('pledgeRate', event, event.time, pledgeRateView(event, coinName), event.reviseId);
    case 'loanReduced':
      return valuesOf('reduce', event, event.time, reduceView(event, coinName), event.reduceId);
  }
}

function valuesOf(
  kind: LoanRecordKind,
  { loanId, uid }: { readonly loanId: number; readonly uid: number },
  time: number,
  view: object,
  own: number,
): { kind: LoanRecordKind; values: SQLInputValue[] } {
  const fields = view as Readonly<Record<string, string>>;
  const texts = LOAN_TABLES[kind].texts.map((field) => fields[field]!);
  return { kind, values: [time, loanId, ...texts, uid, own] };
}

export function readLoan(kind: LoanRecordKind, row: Row): Record<string, string> {
  const { texts, timeField } = LOAN_TABLES[kind];
  return {
    orderId: formatId(Number(row[1])),
    ...readTexts(row, texts, 2),
    [timeField]: String(row[0]),
  };
}

/** One page of one account, newest first. */
export function selectLoans(
  kind: LoanRecordKind,
  query: LoanQuery,
): { sql: string; values: SQLInputValue[] } {
  const row = LOAN_TABLES[kind];
  const conditions = ['uid = ?', `${row.time} BETWEEN ? AND ?`];
  const values: SQLInputValue[] = [query.uid, query.startTime, query.endTime];
  if (query.endedSince !== undefined && kind === 'borrow') {
    conditions[1] = `(${conditions[1]} OR (borrow_time < ? AND updated_time BETWEEN ? AND ?))`;
    values.push(query.endedSince, query.startTime, query.endTime);
  }
  const filters = {
    order_id: query.loanId,
    loan_coin: query.loanCoin,
    pledge_coin: query.pledgeCoin,
    ...(row.choice !== undefined && { [row.choice]: query.choice }),
  };
  for (const [column, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    conditions.push(`${column} = ?`);
    values.push(value);
  }
  const sql = `SELECT ${columns(row).join(', ')} FROM ${row.name} INDEXED BY ${row.name}_by_time
    WHERE ${conditions.join(' AND ')} ORDER BY ${row.time} DESC, ${row.key} DESC LIMIT ? OFFSET ?`;
  return { sql, values: [...values, query.limit, query.skip] };
}
