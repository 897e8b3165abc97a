/** Transfers: money from one wallet to another. */
import type { Transferred } from '../../core/model/event.ts';
import { formatId } from '../../views/format.ts';
import { TRANSFER_FIELDS, TRANSFERRED, type TransferView, transferView } from '../../views/transfer-view.ts';
import type { TransferQuery, TransferRole } from '../history.ts';
import type { Read } from '../read.ts';
import type { NameResolver } from './name-resolver.ts';
import type { Pages } from './pages.ts';
import { type Row, type RowValues, textsAmong, UserTable } from './table.ts';

export const TRANSFERS = new UserTable({
  name: 'transfers',
  id: 'transfer_id',
  created: 'created_time',
  before: ['transfer_id', 'initiator_uid', 'from_user_id', 'to_user_id'],
  texts: textsAmong(TRANSFER_FIELDS, [
    'transferId',
    'fromUserId',
    'toUserId',
    'status',
    'createdTime',
    'updatedTime',
  ]),
  after: ['created_time'],
});

const UID_COLUMN: Readonly<Record<TransferRole, string>> = {
  initiator: 'initiator_uid',
  sender: 'from_user_id',
  receiver: 'to_user_id',
};

export function transferRow(transfer: Transferred, names: NameResolver): RowValues {
  const { transferId, initiatorUid, fromUid, toUid, time } = transfer;
  const view = transferView(transfer, names.coin);
  return TRANSFERS.row([transferId, initiatorUid, fromUid, toUid], view, [time]);
}

function readTransfer(row: Row): TransferView {
  const time = String(row.at(-1));
  return {
    transferId: formatId(Number(row[0])),
    ...TRANSFERS.textsOf(row),
    fromUserId: String(row[2]),
    toUserId: String(row[3]),
    status: TRANSFERRED,
    createdTime: time,
    updatedTime: time,
  };
}

export function* transfers(pages: Pages, query: TransferQuery): Read<TransferView[]> {
  const { uid, role, coin, fromType, clientOid } = query;
  const filters = { [UID_COLUMN[role]]: uid, coin, from_type: fromType, client_oid: clientOid };
  const conditions = query.betweenAccounts === true ? ['from_user_id <> to_user_id'] : [];
  const rows = yield* pages.page(TRANSFERS, `transfers_by_${role}`, query, filters, conditions);
  return rows.map(readTransfer);
}
