/** Schemas of wallet responses (wire 4.3, 4.4). */
import { Type } from '../../../validation/schema.ts';
import { TRANSFER_FIELDS } from '../../../views/transfer-view.ts';
import { WALLET_RECORD_FIELDS } from '../../../views/wallet-record-view.ts';
import { texts } from '../../wire/responses.ts';

export const TransferIds = Type.Object(texts('transferId', 'clientOid'));

export const FundingAsset = Type.Object(texts('coin', 'available', 'frozen', 'balance'));
export const MaxTransferable = Type.Object(texts('coin', 'maxTransfer', 'borrowMaxTransfer'));
export const MaxWithdrawal = Type.Object(
  texts('coin', 'otcMaxWithdrawal', 'spotMaxWithdrawal', 'utaMaxWithdrawal', 'totalMaxWithdrawal'),
);

const SubTransfer = Type.Object(texts(...TRANSFER_FIELDS, 'oldTransferId'));
/** One client reads `items`, the other `list`. */
export const SubTransfers = Type.Object({
  list: Type.Array(SubTransfer),
  items: Type.Array(SubTransfer),
  cursor: Type.String({ description: 'smallest id of the page' }),
});

export const OldTransfer = Type.Object(
  texts(
    'coin',
    'status',
    'fromType',
    'fromSymbol',
    'toType',
    'toSymbol',
    'size',
    'ts',
    'clientOid',
    'transferId',
  ),
);

export const DepositAddress = Type.Object(texts('address', 'chain', 'coin', 'tag', 'url'));

const OF_WITHDRAWALS: readonly string[] = ['clientOid', 'fee', 'tag'];
export const DepositRecord = Type.Object(
  texts(...WALLET_RECORD_FIELDS.filter((field) => !OF_WITHDRAWALS.includes(field))),
);
export const WithdrawalRecord = Type.Object(texts(...WALLET_RECORD_FIELDS, 'confirm'));
