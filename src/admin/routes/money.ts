/** Deposits that have arrived, and withdrawals to pay or reject. */

import { DEFAULT_WALLET } from '../../core/model/command.ts';
import { Wallet } from '../../core/model/enums.ts';
import type { PendingWithdrawal } from '../../core/model/pending-withdrawal.ts';
import { formatMoney, MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import { depositWallet } from '../../core/reads/reads.ts';
import type { State } from '../../core/state/state.ts';
import type { FamilyRecordView } from '../../history/history.ts';
import { Type } from '../../validation/schema.ts';
import { formatId, parseId } from '../../views/format.ts';
import { AdminError } from '../admin-error.ts';
import { AccountText, CoinName, CommandSeq, closed, DecimalText, Text } from '../fields.ts';
import { findAccount, findCoin, findUser } from '../lookup.ts';
import { LimitText, limitOf } from '../page-limit.ts';
import { type Call, type OperatorRoute, operatorRoute } from '../route.ts';

const DEPOSITS = 100;
const WALLETS = { unified: Wallet.unified, funding: Wallet.funding } as const;
const WALLET_NAMES = ['unified', 'funding'] as const;

const WithdrawalView = Type.Object({
  id: Type.String(),
  uid: Type.Integer(),
  coin: Type.String(),
  /** Debited from the account, including the fee. */
  amount: Type.String(),
  fee: Type.String(),
  /** Paid to the address. */
  toPay: Type.String(),
  chain: Type.String(),
  address: Type.String(),
  tag: Type.String(),
  created: Type.Integer(),
});
const WithdrawalParams = Type.Object({ id: Type.String({ maxLength: 19 }) });
const Ended = Type.Object({ withdrawal: WithdrawalView, outcome: Type.String(), command: CommandSeq });

function viewOf(state: State, withdrawal: PendingWithdrawal) {
  const { id, uid, coin, fee, fromFunding, fromUnified, chain, address, tag, createdTime } = withdrawal;
  const amount = fromFunding + fromUnified;
  return {
    id: formatId(id),
    uid,
    coin: state.coins[coin]!.coin,
    amount: formatMoney(amount),
    fee: formatMoney(fee),
    toPay: formatMoney(amount - fee),
    chain,
    address,
    tag,
    created: createdTime,
  };
}

const DepositView = Type.Object({
  id: Type.String(),
  uid: Type.Integer(),
  coin: Type.String(),
  amount: Type.String(),
  /** Of the outside world; of a deposit from another account its id. */
  reference: Type.String(),
  /** The account that it came from; empty when it came from outside. */
  from: Type.String(),
  chain: Type.String(),
  address: Type.String(),
  created: Type.Integer(),
});

function depositView({ orderId, uid, coin, size, recordId, ...record }: FamilyRecordView) {
  const { fromAddress, toAddress, chain, createdTime } = record;
  return {
    id: orderId,
    uid: Number(uid),
    coin,
    amount: size,
    reference: recordId,
    from: fromAddress,
    chain,
    address: fromAddress === '' ? toAddress : '',
    created: Number(createdTime),
  };
}

async function end(
  { sequencer, params, audited }: Call<{ id: string }, unknown, unknown>,
  paid: boolean,
  reference: string,
) {
  const { state } = sequencer;
  const withdrawal = state.withdrawals.get(parseId(params.id) ?? 0);
  if (withdrawal === undefined) {
    return new AdminError(
      'unknown_withdrawal',
      `there is no pending withdrawal ${params.id}; it may be settled already`,
    );
  }
  const view = viewOf(state, withdrawal);
  const withdrawalId = withdrawal.id;
  const result = await audited.submit({
    type: 'endWithdrawal',
    withdrawalId,
    uid: 0,
    paid,
    reference,
  });
  if (result instanceof AdminError) return result;
  return { withdrawal: view, outcome: paid ? 'settled' : 'refused', command: audited.command };
}

export const moneyRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/deposits',
    query: Type.Object(
      {
        account: Type.Optional(AccountText),
        before: Type.Optional(Type.String({ pattern: '^[0-9]{1,19}$' })),
        limit: Type.Optional(LimitText),
      },
      closed,
    ),
    /** The newest first. */
    answer: Type.Object({ deposits: Type.Array(DepositView) }),
    handle: async ({ sequencer, identity, query }) => {
      const limit = limitOf(query.limit, DEPOSITS);
      if (limit instanceof AdminError) return limit;
      const user = query.account === undefined ? undefined : findUser(identity, query.account);
      if (user instanceof AdminError) return user;
      // An id that no deposit can have comes before none.
      const beforeId = query.before === undefined ? undefined : (parseId(query.before) ?? 0);
      await sequencer.durable();
      const records = await sequencer.history.familyWalletRecords({
        uids: user && [user.uid],
        type: 'deposit',
        startTime: 0,
        endTime: sequencer.clock.now(),
        limit,
        ...(beforeId !== undefined && { beforeId }),
      });
      return { deposits: records.map(depositView) };
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/deposits',
    body: Type.Object(
      {
        account: AccountText,
        coin: CoinName,
        amount: DecimalText,
        /** Reference of the outside world; counts once per account and coin. */
        reference: Text,
        /** When absent: the owner's choice for the coin. */
        wallet: Type.Optional(Type.Enum([...WALLET_NAMES])),
        chain: Type.Optional(Type.String({ maxLength: 32 })),
        address: Type.Optional(Type.String({ maxLength: 128 })),
      },
      closed,
    ),
    answer: Type.Object({
      id: Type.String(),
      uid: Type.Integer(),
      coin: Type.String(),
      amount: Type.String(),
      wallet: Type.String(),
      reference: Type.String(),
      command: CommandSeq,
    }),
    auditDetail: ({ uid, id }) => `deposit ${id} to account ${uid}`,
    action: 'deposit',
    auditArguments: ({ body: { account, coin, amount, reference, wallet } }) => ({
      account,
      coin,
      amount,
      reference,
      wallet,
    }),
    handle: async ({ sequencer, identity, body, audited }) => {
      const { state } = sequencer;
      const account = findAccount(identity, state, body.account);
      if (account instanceof AdminError) return account;
      const coin = findCoin(state, body.coin);
      if (coin instanceof AdminError) return coin;
      const amount = parseUnits(body.amount, MONEY_SCALE);
      if (amount === undefined) {
        return new AdminError(
          'invalid_request',
          `amount ${body.amount} has more than ${MONEY_SCALE} decimal places`,
        );
      }
      const { reference, chain = '', address = '' } = body;
      const wallet = body.wallet ?? WALLET_NAMES[depositWallet(account, coin, Wallet.unified)];
      const result = await audited.submit({
        type: 'deposit',
        uid: account.uid,
        coin,
        amount,
        reference,
        wallet: body.wallet === undefined ? DEFAULT_WALLET : WALLETS[body.wallet],
        chain,
        address,
      });
      if (result instanceof AdminError) return result;
      const credited = formatMoney(amount);
      const { uid } = account;
      return {
        id: formatId(result.orderId),
        uid,
        coin: body.coin,
        amount: credited,
        wallet,
        reference,
        command: audited.command,
      };
    },
  }),

  operatorRoute({
    method: 'GET',
    path: '/admin/withdrawals',
    answer: Type.Object({ withdrawals: Type.Array(WithdrawalView) }),
    handle: ({ sequencer: { state } }) => ({
      withdrawals: [...state.withdrawals.values()].map((withdrawal) => viewOf(state, withdrawal)),
    }),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/withdrawals/:id/settle',
    params: WithdrawalParams,
    body: Type.Object({ txId: Text }, closed),
    answer: Ended,
    auditDetail: ({ withdrawal }) => `${withdrawal.amount} ${withdrawal.coin} of account ${withdrawal.uid}`,
    action: 'withdrawal.settle',
    auditArguments: ({ params, body }) => ({ id: params.id, txId: body.txId }),
    handle: (call) => end(call, true, call.body.txId),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/withdrawals/:id/refuse',
    params: WithdrawalParams,
    body: Type.Object({ reason: Text }, closed),
    answer: Ended,
    auditDetail: ({ withdrawal }) => `${withdrawal.amount} ${withdrawal.coin} of account ${withdrawal.uid}`,
    action: 'withdrawal.refuse',
    auditArguments: ({ params, body }) => ({ id: params.id, reason: body.reason }),
    handle: (call) => end(call, false, call.body.reason),
  }),
];
