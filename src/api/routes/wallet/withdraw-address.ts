/** The address book of withdrawals (wire 4.3); its owner changes it through the operator. */

import { ADDRESS_TYPES, type BookedAddress } from '../../../identity/identity.ts';
import { Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { CoinName } from '../../wire/money-input.ts';
import { pageLimit } from '../../wire/paging.ts';
import { texts } from '../../wire/responses.ts';
import { WireError } from '../../wire/wire-error.ts';

const Entry = Type.Object(
  texts('coin', 'chain', 'address', 'countryCode', 'label', 'memo', 'type', 'internalType', 'createdTime'),
);

export const withdrawAddressRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/account/withdraw-address',
    summary: 'The address book, newest first; a sub-account uses that of its main account',
    group: 'Withdrawals',
    access: 'mgt_read',
    perSecond: 1,
    query: Type.Object({
      coin: Type.Optional(CoinName),
      type: Type.Optional(
        Type.Enum(['evm', ...ADDRESS_TYPES] as const, {
          description: 'regular: one coin; universal: every coin of a network; internal: an account here',
        }),
      ),
      limit: Type.Optional(fields.Limit),
      cursor: Type.Optional(
        Type.String({ pattern: '^[0-9]{1,15}$', description: 'cursor of the page before' }),
      ),
    }),
    data: Type.Object({ addressList: Type.Array(Entry), cursor: Type.String() }),
    handle: ({ identity, caller: { user }, query: { coin, type, limit, cursor } }) => {
      const most = pageLimit(limit);
      if (most instanceof WireError) return most;
      const page = identity.addresses.list(user.mainUid ?? user.uid, {
        limit: most,
        ...(coin !== undefined && { coin: coin.toUpperCase() }),
        ...(type !== undefined && { type }),
        ...(cursor !== undefined && { beforeId: Number(cursor) }),
      });
      return { addressList: page.map(entryOf), cursor: page.length === 0 ? '' : String(page.at(-1)!.id) };
    },
  }),
];

function entryOf({ coin, chain, address, label, memo, type, createdTime }: BookedAddress) {
  return {
    coin,
    chain,
    address,
    countryCode: '',
    label,
    memo,
    type,
    internalType: type === 'internal' ? 'uid' : '',
    createdTime: String(createdTime),
  };
}
