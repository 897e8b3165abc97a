/** Withdrawals (wire 4.3); the operator pays or rejects them. */

import { Wallet } from '../../../core/model/enums.ts';
import { parseOrderId } from '../../../core/model/order-id.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { formatMoney } from '../../../core/model/units.ts';
import { freeBalance, pendingWithdrawal } from '../../../core/reads/reads.ts';
import { Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { CoinName, findCoin, MovementOid, unknownCoin } from '../../wire/money-input.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import { OrderIds, Success } from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { RecordQuery, readRecords } from './wallet-records.ts';
import * as responses from './wallet-responses.ts';
import { requestWithdrawal } from './withdrawal-request.ts';

const group = 'Withdrawals';

const WithdrawalBody = Type.Object({
  coin: CoinName,
  transferType: Type.Enum(['on_chain', 'internal_transfer'] as const),
  address: Type.String({
    pattern: '^[!-~]{1,128}$',
    description: 'on_chain: the address; internal_transfer: the uid of the receiver',
  }),
  size: Type.String({ ...fields.Decimal, description: 'what leaves the account, the network fee included' }),
  chain: Type.Optional(Type.String({ maxLength: 32, description: 'network, required on_chain' })),
  innerToType: Type.Optional(Type.Enum(['uid'] as const)),
  tag: Type.Optional(
    Type.String({ pattern: '^[!-~]{1,64}$', description: 'memo, where the network needs one' }),
  ),
  remark: Type.Optional(Type.String({ maxLength: 128 })),
  clientOid: Type.Optional(MovementOid),
  accountType: Type.Optional(
    Type.String({
      maxLength: 32,
      description: 'wallets to pay from: funding, uta; default both, funding first',
    }),
  ),
});

function withdrawalRoute(path: string): Route {
  return route({
    method: 'POST',
    path,
    summary:
      'Asks for money to be paid out: to a network, when the operator settles it, or to another account at once',
    group,
    access: 'withdraw',
    perSecond: 1,
    body: WithdrawalBody,
    data: OrderIds,
    handle: (call) => requestWithdrawal(call, call.caller.user, call.body),
  });
}

export const withdrawalRoutes: readonly Route[] = [
  withdrawalRoute('/api/v3/account/withdrawal'),
  withdrawalRoute('/api/v3/account/withdraw'),

  route({
    method: 'POST',
    path: '/api/v3/account/cancel-withdrawal',
    summary: 'Takes back a withdrawal that the operator has not settled yet; orderId wins over clientOid',
    group,
    access: 'withdraw',
    perSecond: 1,
    body: Type.Object({
      orderId: Type.Optional(fields.OrderId),
      clientOid: Type.Optional(MovementOid),
    }),
    data: Success,
    handle: async ({ sequencer, caller: { user }, body }) => {
      const { orderId, clientOid } = body;
      if (orderId === undefined && clientOid === undefined) {
        return wireError('40019', 'orderId or clientOid must be given');
      }
      const id = orderId === undefined ? 0 : (parseOrderId(orderId) ?? -1);
      const withdrawalId = pendingWithdrawal(sequencer.state, user.uid, id, clientOid ?? '')?.id ?? 0;
      const result = await sequencer.submit({
        type: 'endWithdrawal',
        withdrawalId,
        uid: user.uid,
        paid: false,
        reference: 'taken back by the owner',
      });
      return result.rejectReason === RejectReason.none ? 'success' : rejectError(sequencer.state, result);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/withdrawal-records',
    summary: 'Withdrawals, newest first',
    group,
    access: 'mgt_read',
    perSecond: 10,
    query: RecordQuery,
    data: Type.Array(responses.WithdrawalRecord),
    handle: async (call) => {
      const records = await readRecords(call, call.caller.user.uid, 'withdraw', call.query);
      return records instanceof WireError ? records : records.map((each) => ({ ...each, confirm: '0' }));
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/max-withdrawal',
    summary: 'How much of a coin can be withdrawn from each wallet',
    group,
    access: 'mgt_read',
    perSecond: 10,
    query: Type.Object({ coin: CoinName }),
    data: responses.MaxWithdrawal,
    handle: ({ sequencer: { state }, caller: { user }, query }) => {
      const coin = findCoin(state, query.coin);
      if (coin === undefined) return unknownCoin();
      const funding = freeBalance(state, user.uid, coin.index, Wallet.funding);
      const unified = freeBalance(state, user.uid, coin.index, Wallet.unified);
      return {
        coin: coin.spec.coin,
        otcMaxWithdrawal: '0',
        spotMaxWithdrawal: formatMoney(funding),
        utaMaxWithdrawal: formatMoney(unified),
        totalMaxWithdrawal: formatMoney(funding + unified),
      };
    },
  }),
];
