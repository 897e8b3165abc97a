/** Transfers between wallets of an account and between accounts of one owner (wire 4.3, 4.4). */

import { Wallet, type WalletName } from '../../../core/model/enums.ts';
import { formatOrderId } from '../../../core/model/order-id.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { formatMoney } from '../../../core/model/units.ts';
import { freeBalance } from '../../../core/reads/reads.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import type { TransferView } from '../../../views/transfer-view.ts';
import { type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import {
  CoinName,
  findCoin,
  findOwnSub,
  lacksRight,
  MovementOid,
  moneyOf,
  ownAccount,
  Uid,
  unknownCoin,
  WalletType,
  walletOf,
} from '../../wire/money-input.ts';
import { historyPage, pageOf, WINDOW_MS } from '../../wire/paging.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import * as responses from './wallet-responses.ts';

const group = 'Transfers';

const movementFields = {
  fromType: WalletType,
  toType: WalletType,
  amount: fields.Decimal,
  coin: CoinName,
  clientOid: Type.Optional(MovementOid),
  allowBorrow: Type.Optional(
    Type.Enum(['yes', 'no'] as const, { description: 'nothing is lent for a transfer' }),
  ),
};
const Movement = Type.Object(movementFields);

interface Ends {
  readonly initiatorUid: number;
  readonly fromUid: number;
  readonly toUid: number;
}

async function transfer(sequencer: Sequencer, ends: Ends, body: Static<typeof Movement>) {
  const coin = findCoin(sequencer.state, body.coin);
  if (coin === undefined) return unknownCoin();
  const amount = moneyOf(body.amount, 'amount');
  if (amount instanceof WireError) return amount;
  const result = await sequencer.submit({
    type: 'transfer',
    ...ends,
    fromWallet: walletOf(body.fromType),
    toWallet: walletOf(body.toType),
    coin: coin.index,
    amount,
    clientOid: body.clientOid ?? '',
  });
  if (result.rejectReason === RejectReason.insufficientBalance) {
    const most = `${formatMoney(result.available ?? 0n)} ${coin.spec.coin}`;
    return wireError('43117', `amount is above the maximum transferable: ${most}`);
  }
  if (result.rejectReason !== RejectReason.none) return rejectError(sequencer.state, result);
  return { transferId: formatOrderId(result.orderId), clientOid: result.clientOid };
}

function oldTransfer(transfer: TransferView) {
  const { coin, status, fromType, toType, amount, clientOid, transferId, createdTime } = transfer;
  const names = { coin, status, fromType, toType, fromSymbol: '', toSymbol: '' };
  return { ...names, size: amount, ts: createdTime, clientOid, transferId };
}

/** Wallets of the older interface: the unified account holds what these held, and the others nobody has. */
const IN_UNIFIED = ['usdt_futures', 'usdc_futures', 'coin_futures', 'crossed_margin'] as const;
const NOBODY_HAS = ['isolated_margin', 'p2p'] as const;
const OldWalletType = Type.Enum(['spot', 'uta', ...IN_UNIFIED, ...NOBODY_HAS] as const, {
  description:
    'spot is the funding wallet, uta the unified account, which older names of futures and crossed margin mean too',
});

function oldWallet(name: Static<typeof OldWalletType>): WalletName | undefined {
  if (name === 'spot' || name === 'uta') return name;
  return (IN_UNIFIED as readonly string[]).includes(name) ? 'uta' : undefined;
}

export const transferRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v3/account/transfer',
    summary: 'Moves money between the funding wallet and the unified account',
    group,
    access: 'mgt_write',
    perSecond: 5,
    body: Movement,
    data: responses.TransferIds,
    handle: ({ sequencer, caller: { user }, body }) => {
      const { uid } = user;
      return (
        lacksRight(user, 'transfer') ??
        transfer(sequencer, { initiatorUid: uid, fromUid: uid, toUid: uid }, body)
      );
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/account/sub-transfer',
    summary: 'Moves money between the main account and its sub-accounts, or among these',
    group,
    access: 'main_write',
    perSecond: 5,
    body: Type.Object({ ...movementFields, clientOid: MovementOid, fromUserId: Uid, toUserId: Uid }),
    data: responses.TransferIds,
    handle: ({ sequencer, identity, caller: { user }, body }) => {
      const from = ownAccount(identity, user, body.fromUserId, 'fromUserId');
      if (from instanceof WireError) return from;
      const to = ownAccount(identity, user, body.toUserId, 'toUserId');
      if (to instanceof WireError) return to;
      return transfer(sequencer, { initiatorUid: user.uid, fromUid: from.uid, toUid: to.uid }, body);
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/account/sub-master-transfer',
    summary: 'A sub-account sends money up to its main account',
    group,
    access: 'mgt_write',
    perSecond: 5,
    body: Movement,
    data: responses.TransferIds,
    handle: ({ sequencer, caller: { user }, body }) => {
      if (user.mainUid === undefined) return wireError('25002', 'only a sub-account may call this');
      const ends = { initiatorUid: user.uid, fromUid: user.uid, toUid: user.mainUid };
      return lacksRight(user, 'transfer') ?? transfer(sequencer, ends, body);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/sub-transfer-record',
    summary: 'Transfers between the main account and its sub-accounts, seen from one of them, newest first',
    group,
    access: 'mgt_read',
    perSecond: 5,
    query: Type.Object({
      subUid: Type.Optional(Uid),
      role: Type.Optional(
        Type.Enum(['initiator', 'receiver'] as const, {
          description: 'the account has sent the money (default), or received it',
        }),
      ),
      coin: Type.Optional(CoinName),
      clientOid: Type.Optional(MovementOid),
      ...fields.pageFields,
    }),
    data: responses.SubTransfers,
    handle: async ({ sequencer, identity, clock, caller: { user }, query }) => {
      const of = query.subUid === undefined ? user : findOwnSub(identity, user, query.subUid);
      if (of instanceof WireError) return of;
      const page = historyPage(query, clock.now(), WINDOW_MS);
      if (page instanceof WireError) return page;
      await sequencer.durable();
      const transfers = await sequencer.history.transfers({
        uid: of.uid,
        role: query.role === 'receiver' ? 'receiver' : 'sender',
        betweenAccounts: true,
        ...page,
        ...(query.coin !== undefined && { coin: query.coin.toUpperCase() }),
        ...(query.clientOid !== undefined && { clientOid: query.clientOid }),
      });
      const rows = transfers.map((each) => ({ ...each, oldTransferId: each.transferId }));
      const { list, cursor } = pageOf(rows, (each) => each.transferId);
      return { list, items: list, cursor };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v2/spot/account/transferRecords',
    summary: 'Transfers out of a wallet of the account, newest first',
    group,
    access: 'mgt_read',
    perSecond: 20,
    query: Type.Object({
      coin: Type.Optional(CoinName),
      fromType: Type.Optional(OldWalletType),
      clientOid: Type.Optional(MovementOid),
      idLessThan: Type.Optional(fields.Cursor),
      startTime: Type.Optional(fields.Time),
      endTime: Type.Optional(fields.Time),
      limit: Type.Optional(fields.Limit),
    }),
    data: Type.Array(responses.OldTransfer),
    handle: async ({ sequencer, clock, caller, query }) => {
      const page = historyPage({ ...query, cursor: query.idLessThan }, clock.now(), WINDOW_MS);
      if (page instanceof WireError) return page;
      const fromType = query.fromType === undefined ? undefined : oldWallet(query.fromType);
      if (query.fromType !== undefined && fromType === undefined) return [];
      await sequencer.durable();
      const transfers = await sequencer.history.transfers({
        uid: caller.user.uid,
        role: 'sender',
        ...page,
        ...(query.coin !== undefined && { coin: query.coin.toUpperCase() }),
        ...(fromType !== undefined && { fromType }),
        ...(query.clientOid !== undefined && { clientOid: query.clientOid }),
      });
      return transfers.map(oldTransfer);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/transferable-coins',
    summary: 'Coins that can be moved from one wallet to the other',
    group,
    access: 'mgt_read',
    perSecond: 10,
    query: Type.Object({ fromType: WalletType, toType: WalletType }),
    data: Type.Array(Type.String()),
    handle: ({ sequencer, query }) =>
      query.fromType === query.toType
        ? wireError('40017', 'fromType and toType must differ')
        : sequencer.state.coins.map(({ coin }) => coin),
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/max-transferable',
    summary:
      'How much of a coin can leave the unified account; nobody transfers what is borrowed, so both figures are the same',
    group,
    access: 'mgt_read',
    perSecond: 3,
    query: Type.Object({ coin: CoinName }),
    data: responses.MaxTransferable,
    handle: ({ sequencer, caller, query }) => {
      const coin = findCoin(sequencer.state, query.coin);
      if (coin === undefined) return unknownCoin();
      const most = formatMoney(freeBalance(sequencer.state, caller.user.uid, coin.index, Wallet.unified));
      return { coin: coin.spec.coin, maxTransfer: most, borrowMaxTransfer: most };
    },
  }),
];
