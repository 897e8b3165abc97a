/** Deposits (wire 4.3); the operator credits them. */

import type { Static } from '../../../validation/schema.ts';
import { Type } from '../../../validation/schema.ts';
import { type Call, type Route, route, type Services } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import {
  CoinName,
  findChain,
  findCoin,
  findOwnSub,
  lacksRight,
  Uid,
  unknownCoin,
} from '../../wire/money-input.ts';
import { WireError } from '../../wire/wire-error.ts';
import { depositAddress } from './deposit-address.ts';
import { RecordQuery, readRecords, recordFields } from './wallet-records.ts';
import * as responses from './wallet-responses.ts';

const group = 'Deposits';

const AddressQuery = {
  coin: CoinName,
  chain: Type.Optional(
    Type.String({ maxLength: 32, description: 'network; the first open one when absent' }),
  ),
  size: Type.Optional(fields.Decimal),
};

const SubRecordQuery = Type.Object({ subUid: Uid, coin: Type.Optional(CoinName), ...recordFields });

export function addressOf(
  { sequencer, addressKey }: Services,
  uid: number,
  coinName: string,
  chainName?: string,
) {
  const coin = findCoin(sequencer.state, coinName);
  if (coin === undefined) return unknownCoin();
  const chain = findChain(coin, chainName, 'rechargeable');
  if (chain instanceof WireError) return chain;
  const { address, tag } = depositAddress(addressKey, uid, coin.spec.coin, chain);
  return { address, chain: chain.chain, coin: coin.spec.coin, tag, url: '' };
}

function subDeposits(call: Call<unknown, unknown>, query: Static<typeof SubRecordQuery>) {
  const sub = findOwnSub(call.identity, call.caller.user, query.subUid);
  return sub instanceof WireError ? sub : readRecords(call, sub.uid, 'deposit', query);
}

export const depositRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/account/deposit-address',
    summary: 'Where to send a deposit; the operator credits it',
    group,
    access: 'mgt_read',
    perSecond: 10,
    query: Type.Object(AddressQuery),
    data: responses.DepositAddress,
    handle: (call) =>
      lacksRight(call.caller.user, 'deposit') ??
      addressOf(call, call.caller.user.uid, call.query.coin, call.query.chain),
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/sub-deposit-address',
    summary: 'Where to send a deposit for a sub-account',
    group,
    access: 'main_read',
    perSecond: 10,
    query: Type.Object({ subUid: Uid, ...AddressQuery }),
    data: responses.DepositAddress,
    handle: (call) => {
      const { subUid, coin, chain } = call.query;
      const sub = findOwnSub(call.identity, call.caller.user, subUid);
      return sub instanceof WireError ? sub : addressOf(call, sub.uid, coin, chain);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/deposit-records',
    summary: 'Deposits, newest first',
    group,
    access: 'mgt_read',
    perSecond: 10,
    query: RecordQuery,
    data: Type.Array(responses.DepositRecord),
    handle: (call) => readRecords(call, call.caller.user.uid, 'deposit', call.query),
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/sub-deposit-records',
    summary: 'Deposits of a sub-account, newest first',
    group,
    access: 'main_read',
    perSecond: 10,
    query: SubRecordQuery,
    data: Type.Array(responses.DepositRecord),
    handle: (call) => subDeposits(call, call.query),
  }),

  route({
    method: 'POST',
    path: '/api/v3/account/sub-deposit-records',
    summary: 'Deposits of a sub-account, newest first, for clients that send the question as a body',
    group,
    access: 'main_read',
    perSecond: 10,
    body: SubRecordQuery,
    data: Type.Array(responses.DepositRecord),
    handle: (call) => subDeposits(call, call.body),
  }),
];
