/** Balances of the wallets, and the coin that fees are paid in (wire 4.3). */

import { RejectReason } from '../../../core/model/reject-reason.ts';
import { formatMoney } from '../../../core/model/units.ts';
import { balances } from '../../../core/reads/reads.ts';
import type { User } from '../../../identity/identity.ts';
import { Type } from '../../../validation/schema.ts';
import { type Route, route, type Services } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { CoinName, findCoin, findOwnSub, Uid, unknownCoin } from '../../wire/money-input.ts';
import { pageLimit } from '../../wire/paging.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import { SubAssets } from '../../wire/responses.ts';
import { WireError } from '../../wire/wire-error.ts';
import { assetViews, valueAccount } from '../account/valuation.ts';
import * as responses from './wallet-responses.ts';

const group = 'Wallets';

const SUB_ASSETS_DEFAULT = 10;

const SUB_ASSETS_MAX = 50;

function subAssets({ sequencer }: Services, { uid }: User) {
  const { state } = sequencer;
  return { subUid: String(uid), cursor: String(uid), assets: assetViews(state, valueAccount(state, uid)) };
}

export const walletRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/account/funding-assets',
    summary: 'Coins of the funding wallet',
    group,
    access: 'mgt_read',
    perSecond: 20,
    query: Type.Object({ coin: Type.Optional(CoinName) }),
    data: Type.Array(responses.FundingAsset),
    handle: ({ sequencer: { state }, caller: { user }, query }) => {
      const named = query.coin === undefined ? undefined : findCoin(state, query.coin);
      if (query.coin !== undefined && named === undefined) return unknownCoin();
      return balances(state, user.uid)
        .filter(({ coin, funding }) => (named === undefined ? funding > 0n : coin === named.index))
        .map(({ coin, funding }) => {
          const held = formatMoney(funding);
          return { coin: state.coins[coin]!.coin, available: held, frozen: '0', balance: held };
        });
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/sub-unified-assets',
    summary: 'Coins of the sub-accounts in their unified accounts',
    group,
    access: 'main_read',
    perSecond: 1,
    query: Type.Object({
      subUid: Type.Optional(Uid),
      cursor: Type.Optional(Type.String({ ...Uid, description: 'subUid of the last row before' })),
      limit: Type.Optional(fields.Limit),
    }),
    data: Type.Array(SubAssets),
    handle: (call) => {
      const { identity, caller, query } = call;
      if (query.subUid !== undefined) {
        const sub = findOwnSub(identity, caller.user, query.subUid);
        return sub instanceof WireError ? sub : [subAssets(call, sub)];
      }
      const limit = pageLimit(query.limit, SUB_ASSETS_DEFAULT, SUB_ASSETS_MAX);
      if (limit instanceof WireError) return limit;
      const afterUid = query.cursor === undefined ? undefined : Number(query.cursor);
      const subs = identity.listSubs(caller.user.uid, { limit, ...(afterUid !== undefined && { afterUid }) });
      return subs.map((sub) => subAssets(call, sub));
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/deduct-info',
    summary: 'Whether the account wants fees taken from the deduction coin; no such coin is configured',
    group,
    access: 'mgt_read',
    perSecond: 1,
    data: Type.Object({ deduct: Type.String() }),
    handle: ({ sequencer, caller }) => {
      const on = sequencer.state.accountByUid.get(caller.user.uid)?.feeDeduction ?? false;
      return { deduct: on ? 'on' : 'off' };
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/account/switch-deduct',
    summary:
      'Remembers the wish to pay fees in the deduction coin; no such coin is configured, so nothing changes',
    group,
    access: 'mgt_write',
    perSecond: 1,
    body: Type.Object({ deduct: Type.Enum(['on', 'off'] as const) }),
    data: Type.Literal(true),
    handle: async ({ sequencer, caller, body }) => {
      const on = body.deduct === 'on';
      const result = await sequencer.submit({ type: 'setFeeDeduction', uid: caller.user.uid, on });
      return result.rejectReason === RejectReason.none ? true : rejectError(sequencer.state, result);
    },
  }),
];
