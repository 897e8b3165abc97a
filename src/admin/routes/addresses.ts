/** Address books of withdrawals: entries that their owners ask for, and the lock that restricts withdrawals to them. */

import type { State } from '../../core/state/state.ts';
import {
  ADDRESS_TYPES,
  ADDRESSES_PER_BOOK_MAX,
  type BookedAddress,
  type Destination,
  type Identity,
} from '../../identity/identity.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError, refusedByIdentity } from '../admin-error.ts';
import { AccountParams, CoinName, closed, Text } from '../fields.ts';
import { findAccount, findUser } from '../lookup.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const EntryView = Type.Object({
  id: Type.Integer(),
  type: Type.Enum([...ADDRESS_TYPES]),
  coin: Type.String(),
  chain: Type.String(),
  address: Type.String(),
  memo: Type.String(),
  label: Type.String(),
  created: Type.Integer(),
});
const Entered = Type.Object({ uid: Type.Integer(), entry: EntryView });
const entryDetail = ({ uid, entry }: { uid: number; entry: { id: number } }) =>
  `address ${entry.id} of account ${uid}`;

const NewEntry = Type.Object(
  {
    /** An address of a network, or the uid of another account. */
    address: Type.String({ pattern: '^[!-~]{1,128}$' }),
    coin: Type.Optional(CoinName),
    chain: Type.Optional(Type.String({ maxLength: 32 })),
    memo: Type.Optional(Type.String({ pattern: '^[!-~]{1,64}$' })),
    label: Type.Optional(Text),
    internal: Type.Optional(Type.Boolean()),
  },
  closed,
);

interface EntryFields {
  readonly address: string;
  readonly coin?: string;
  readonly chain?: string;
  readonly memo?: string;
  readonly internal?: boolean;
}

function viewOf({ createdTime, ...entry }: BookedAddress) {
  return { ...entry, created: createdTime };
}

/** A sub-account uses the book of its main account. */
function bookOf(identity: Identity, account: string): number | AdminError {
  const user = findUser(identity, account);
  return user instanceof AdminError ? user : (user.mainUid ?? user.uid);
}

function destinationOf(identity: Identity, state: State, fields: EntryFields): Destination | AdminError {
  const { address, coin, chain, memo = '' } = fields;
  if (fields.internal === true) {
    if (coin !== undefined || chain !== undefined || memo !== '') {
      return new AdminError('invalid_request', 'an account of the venue has neither coin, network nor memo');
    }
    const account = findAccount(identity, state, address);
    if (account instanceof AdminError) return account;
    return { type: 'internal', coin: '', chain: '', address: String(account.uid), memo: '' };
  }
  if (chain === undefined) return new AdminError('invalid_request', 'an address needs its network (chain)');
  const coins = state.coins.filter((spec) => coin === undefined || spec.coin === coin);
  if (coins.length === 0) return new AdminError('unknown_coin', `coin ${JSON.stringify(coin)} is not listed`);
  const networks = coins.flatMap(({ chains }) => chains);
  const network = networks.find((each) => each.chain.toLowerCase() === chain.toLowerCase());
  if (network === undefined) {
    const known = [...new Set(networks.map((each) => each.chain))].join(', ');
    return new AdminError('invalid_request', `chain ${JSON.stringify(chain)} must be one of ${known}`);
  }
  if (network.needTag && memo === '') {
    return new AdminError('invalid_request', `addresses of ${network.chain} need a memo`);
  }
  const type = coin === undefined ? 'universal' : 'regular';
  return { type, coin: coin ?? '', chain: network.chain, address, memo };
}

export const addressRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/accounts/:account/addresses',
    params: AccountParams,
    answer: Type.Object({ uid: Type.Integer(), locked: Type.Boolean(), entries: Type.Array(EntryView) }),
    handle: ({ identity, params }) => {
      const uid = bookOf(identity, params.account);
      if (uid instanceof AdminError) return uid;
      const entries = identity.addresses.list(uid, { limit: ADDRESSES_PER_BOOK_MAX }).map(viewOf);
      return { uid, locked: identity.addresses.isLocked(uid), entries };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/addresses',
    params: AccountParams,
    body: NewEntry,
    answer: Entered,
    auditDetail: entryDetail,
    action: 'address.add',
    auditArguments: ({ params, body: { address, coin, chain, memo, label, internal } }) => ({
      account: params.account,
      address,
      coin,
      chain,
      memo,
      label,
      internal,
    }),
    handle: async ({ sequencer, identity, params, body }) => {
      const uid = bookOf(identity, params.account);
      if (uid instanceof AdminError) return uid;
      const to = destinationOf(identity, sequencer.state, body);
      if (to instanceof AdminError) return to;
      const nowMs = sequencer.clock.now();
      const added = await identity.change(({ addresses }) => addresses.add(uid, to, body.label ?? '', nowMs));
      return added.ok ? { uid, entry: viewOf(added.value) } : refusedByIdentity(added);
    },
  }),

  operatorRoute({
    method: 'DELETE',
    path: '/admin/accounts/:account/addresses/:id',
    params: Type.Object({
      account: AccountParams.properties.account,
      id: Type.String({ pattern: '^[0-9]{1,15}$' }),
    }),
    answer: Entered,
    auditDetail: entryDetail,
    action: 'address.remove',
    auditArguments: ({ params }) => params,
    handle: async ({ identity, params }) => {
      const uid = bookOf(identity, params.account);
      if (uid instanceof AdminError) return uid;
      const removed = await identity.change(({ addresses }) => addresses.remove(uid, Number(params.id)));
      return removed.ok ? { uid, entry: viewOf(removed.value) } : refusedByIdentity(removed);
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/address-lock',
    params: AccountParams,
    body: Type.Object({ locked: Type.Boolean() }, closed),
    answer: Type.Object({ uid: Type.Integer(), locked: Type.Boolean() }),
    auditDetail: ({ uid }) => `account ${uid}`,
    action: 'address.lock',
    auditArguments: ({ params, body }) => ({ account: params.account, locked: body.locked }),
    handle: async ({ identity, params, body: { locked } }) => {
      const uid = bookOf(identity, params.account);
      if (uid instanceof AdminError) return uid;
      await identity.change(({ addresses }) => addresses.lock(uid, locked));
      return { uid, locked };
    },
  }),
];
