/** Deposits and withdrawals with their present status. */
import type { WalletRecord } from '../../core/model/event.ts';
import { formatId } from '../../views/format.ts';
import {
  WALLET_RECORD_FIELDS,
  type WalletRecordType,
  type WalletRecordView,
  walletRecordView,
} from '../../views/wallet-record-view.ts';
import type { FamilyRecordQuery, FamilyRecordView, WalletRecordQuery } from '../history.ts';
import type { Read, SelectValue } from '../read.ts';
import type { NameResolver } from './name-resolver.ts';
import type { Pages } from './pages.ts';
import { type Row, type RowValues, textsAmong, UserTable } from './table.ts';

export const WALLET_RECORDS = new UserTable({
  name: 'wallet_records',
  id: 'order_id',
  created: 'created_time',
  updated: 'updated_time',
  before: ['order_id', 'uid'],
  texts: textsAmong(WALLET_RECORD_FIELDS, ['orderId', 'createdTime', 'updatedTime']),
  after: ['reference', 'created_time', 'updated_time'],
  // A pending withdrawal may still change; an ended one stays, however often it is projected.
  open: { column: 'status', value: 'pending' },
});

export function walletRow(record: WalletRecord, names: NameResolver): RowValues {
  const { recordId, uid, reference, createdTime, updatedTime } = record;
  const view = walletRecordView(record, names.coin);
  return WALLET_RECORDS.row([recordId, uid], view, [reference, createdTime, updatedTime]);
}

function readRecord(row: Row): WalletRecordView {
  return {
    orderId: formatId(Number(row[0])),
    ...WALLET_RECORDS.textsOf(row),
    createdTime: String(row.at(-2)),
    updatedTime: String(row.at(-1)),
  };
}

export function* walletRecords(pages: Pages, query: WalletRecordQuery): Read<WalletRecordView[]> {
  const { uid, type, coin, clientOid, status, orderId } = query;
  const filters = { uid, type, coin, client_oid: clientOid, status, order_id: orderId };
  const rows = yield* pages.page(WALLET_RECORDS, indexFor(query), query, filters);
  return rows.map(readRecord);
}

function indexFor({ coin, clientOid }: WalletRecordQuery): string {
  if (clientOid !== undefined) return 'wallet_records_by_client_oid';
  return coin === undefined ? 'wallet_records_by_type' : 'wallet_records_by_coin';
}

const TYPES: readonly WalletRecordType[] = ['deposit', 'withdraw'];

/** Reads every record of the accounts in the period; those of all accounts along the primary key. */
export function* familyWalletRecords(pages: Pages, query: FamilyRecordQuery): Read<FamilyRecordView[]> {
  const { uids, type, startTime, endTime, beforeId = Number.MAX_SAFE_INTEGER, status, limit } = query;
  const conditions = ['type IN ?', 'created_time BETWEEN ? AND ?', 'order_id < ?'];
  const values: SelectValue[] = [type === undefined ? TYPES : [type], startTime, endTime, beforeId];
  if (uids !== undefined) {
    conditions.unshift('uid IN ?');
    values.unshift(uids);
  }
  if (status !== undefined) {
    conditions.push('status = ?');
    values.push(status);
  }
  const rows = yield* pages.records(WALLET_RECORDS, {
    index: uids === undefined ? undefined : 'wallet_records_by_type',
    text: `WHERE ${conditions.join(' AND ')} ORDER BY order_id DESC LIMIT ?`,
    values: [...values, limit],
  });
  return rows.map((row) => ({ ...readRecord(row), uid: String(row[1]) }));
}
