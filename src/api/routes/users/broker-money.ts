/** Deposit addresses and withdrawals of a broker's sub-accounts (wire 4.5). */
import { Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { CoinName, findOwnSub, MovementOid, Uid } from '../../wire/money-input.ts';
import { OrderIds, texts } from '../../wire/responses.ts';
import { WireError } from '../../wire/wire-error.ts';
import { addressOf } from '../wallet/deposits.ts';
import { requestWithdrawal } from '../wallet/withdrawal-request.ts';

const group = 'Broker';
const PER_SECOND = 20;
const ChainName = Type.String({ maxLength: 32, description: 'network' });

export const brokerMoneyRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v3/broker/sub-deposit-address',
    summary: 'Where to send a deposit for a sub-account; the operator credits it',
    group,
    access: 'broker_read',
    perSecond: PER_SECOND,
    body: Type.Object({ subUid: Uid, coin: CoinName, chain: Type.Optional(ChainName) }),
    data: Type.Object(texts('subUid', 'coin', 'address', 'chain', 'tag', 'url', 'cTime')),
    handle: (call) => {
      const { subUid, coin, chain } = call.body;
      const sub = findOwnSub(call.identity, call.caller.user, subUid);
      if (sub instanceof WireError) return sub;
      const address = addressOf(call, sub.uid, coin, chain);
      // An address is derived from the uid, so it is as old as the account.
      return address instanceof WireError ? address : { subUid, ...address, cTime: String(sub.regisTime) };
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/broker/sub-withdrawal',
    summary: 'Asks for money of a sub-account to be paid out',
    group,
    access: 'broker_withdraw',
    perSecond: PER_SECOND,
    body: Type.Object({
      subUid: Uid,
      coin: CoinName,
      dest: Type.Enum(['on_chain', 'internal_transfer'] as const),
      address: Type.String({
        pattern: '^[!-~]{1,128}$',
        description: 'the address, or the uid of the receiver',
      }),
      amount: Type.String({
        ...fields.Decimal,
        description: 'what leaves the account, the network fee included',
      }),
      chain: Type.Optional(ChainName),
      tag: Type.Optional(
        Type.String({ pattern: '^[!-~]{1,64}$', description: 'memo, where the network needs one' }),
      ),
      clientOid: Type.Optional(MovementOid),
    }),
    data: OrderIds,
    handle: (call) => {
      const { subUid, dest, amount, ...input } = call.body;
      const sub = findOwnSub(call.identity, call.caller.user, subUid);
      if (sub instanceof WireError) return sub;
      return requestWithdrawal(call, sub, { ...input, transferType: dest, size: amount });
    },
  }),
];
