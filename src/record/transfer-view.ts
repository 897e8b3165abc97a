/** Money between wallets as those concerned read it (wire.md 4.3, 4.4). */
import type { Transferred } from '../core/event.ts';
import { WALLET_NAMES } from '../core/terms.ts';
import { formatUnits, MONEY_SCALE } from '../core/units.ts';
import type { CoinName } from './fee-detail.ts';
import { formatId } from './ids.ts';

export interface TransferView {
  readonly transferId: string;
  readonly fromType: string;
  readonly toType: string;
  readonly coin: string;
  readonly amount: string;
  readonly fromUserId: string;
  readonly toUserId: string;
  /** Always `Successful`: a transfer happens at once or not at all. */
  readonly status: string;
  readonly clientOid: string;
  readonly createdTime: string;
  readonly updatedTime: string;
}

export const TRANSFERRED = 'Successful';

export function transferView(transfer: Transferred, coinName: CoinName): TransferView {
  const time = String(transfer.time);
  return {
    transferId: formatId(transfer.transferId),
    fromType: WALLET_NAMES[transfer.fromWallet],
    toType: WALLET_NAMES[transfer.toWallet],
    coin: coinName(transfer.coin),
    amount: formatUnits(transfer.amount, MONEY_SCALE),
    fromUserId: String(transfer.fromUid),
    toUserId: String(transfer.toUid),
    status: TRANSFERRED,
    clientOid: transfer.clientOid,
    createdTime: time,
    updatedTime: time,
  };
}
