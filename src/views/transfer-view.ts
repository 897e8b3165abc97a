/** A transfer between wallets on the wire (wire 4.3, 4.4). */

import { WALLET_NAMES } from '../core/model/enums.ts';
import type { Transferred } from '../core/model/event.ts';
import { formatMoney } from '../core/model/units.ts';
import type { CoinName, StringFields } from './format.ts';
import { formatId } from './format.ts';

export const TRANSFER_FIELDS = [
  'transferId',
  'fromType',
  'toType',
  'coin',
  'amount',
  'fromUserId',
  'toUserId',
  // Always `Successful`: a transfer happens at once or not at all.
  'status',
  'clientOid',
  'createdTime',
  'updatedTime',
] as const;
export type TransferView = StringFields<typeof TRANSFER_FIELDS>;

export const TRANSFERRED = 'Successful';

export function transferView(transfer: Transferred, coinName: CoinName): TransferView {
  const time = String(transfer.time);
  return {
    transferId: formatId(transfer.transferId),
    fromType: WALLET_NAMES[transfer.fromWallet],
    toType: WALLET_NAMES[transfer.toWallet],
    coin: coinName(transfer.coin),
    amount: formatMoney(transfer.amount),
    fromUserId: String(transfer.fromUid),
    toUserId: String(transfer.toUid),
    status: TRANSFERRED,
    clientOid: transfer.clientOid,
    createdTime: time,
    updatedTime: time,
  };
}
