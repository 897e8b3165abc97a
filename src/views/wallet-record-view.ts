/** A deposit or withdrawal on the wire (wire 4.3). */
import type { WalletRecord } from '../core/model/event.ts';
import { formatMoney } from '../core/model/units.ts';
import type { CoinName, StringFields } from './format.ts';
import { formatId } from './format.ts';

export const WALLET_RECORD_FIELDS = [
  'orderId',
  // The transaction id once there is one, else the order id.
  'recordId',
  'clientOid',
  'coin',
  'type',
  'dest',
  // Credited to or debited from the account, including a withdrawal's fee.
  'size',
  'status',
  'fromAddress',
  'toAddress',
  'chain',
  // Negative when charged.
  'fee',
  'tag',
  'createdTime',
  'updatedTime',
] as const;
export type WalletRecordView = StringFields<typeof WALLET_RECORD_FIELDS>;

const TYPES = { deposit: 'deposit', withdrawal: 'withdraw' } as const;
export type WalletRecordType = (typeof TYPES)[keyof typeof TYPES];

export function walletRecordView(record: WalletRecord, coinName: CoinName): WalletRecordView {
  const orderId = formatId(record.recordId);
  const inside = record.counterUid !== 0;
  const paidOutside = !inside && record.status === 'success' && record.reference !== '';
  return {
    orderId,
    recordId: paidOutside ? record.reference : orderId,
    clientOid: record.clientOid,
    coin: coinName(record.coin),
    type: TYPES[record.kind],
    dest: inside ? 'internal_transfer' : 'on_chain',
    size: formatMoney(record.amount),
    status: record.status,
    ...addresses(record),
    chain: record.chain,
    fee: formatMoney(-record.fee),
    tag: record.tag,
    createdTime: String(record.createdTime),
    updatedTime: String(record.updatedTime),
  };
}

/** Inside the exchange an address is a uid. */
function addresses(record: WalletRecord): Pick<WalletRecordView, 'fromAddress' | 'toAddress'> {
  const { uid, counterUid, kind, address } = record;
  if (counterUid === 0) return { fromAddress: '', toAddress: address };
  const [from, to] = kind === 'deposit' ? [counterUid, uid] : [uid, counterUid];
  return { fromAddress: String(from), toAddress: String(to) };
}
