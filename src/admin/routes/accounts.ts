/** Accounts: opening, listing, showing and freezing them. */

import { cancelFrozenOrders } from '../../accounts/cancel-frozen-orders.ts';
import { openMainAccount } from '../../accounts/open-main-account.ts';
import { openSubAccount } from '../../accounts/open-sub-account.ts';
import { CATEGORY_NAMES } from '../../core/model/enums.ts';
import { Bucket } from '../../core/model/ledger-accounts.ts';
import { RejectReason } from '../../core/model/reject-reason.ts';
import { formatMoney, formatUnits } from '../../core/model/units.ts';
import { bucketBalance } from '../../core/reads/ledger-reads.ts';
import { positionViews } from '../../core/reads/position-reads.ts';
import { balances } from '../../core/reads/reads.ts';
import type { State } from '../../core/state/state.ts';
import { QUOTA_CATEGORIES } from '../../identity/identity.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError, refusedByIdentity, rejectedByCore } from '../admin-error.ts';
import { AccountParams, AccountText, closed, Empty } from '../fields.ts';
import { findAccount, findUser } from '../lookup.ts';
import { type Call, type OperatorRoute, operatorRoute } from '../route.ts';
import { searchUsers } from '../search-accounts.ts';
import { AccountView, accountDetail, Changed, viewOf } from './account-view.ts';

const PAGE_MAX = 1000;

const BalanceView = Type.Object({
  coin: Type.String(),
  unified: Type.String(),
  locked: Type.String(),
  funding: Type.String(),
  withdrawing: Type.String(),
  /** Collateral of loans. */
  pledged: Type.String(),
});

/** Money in the margin coin. */
const PositionText = Type.Object({
  category: Type.String(),
  symbol: Type.String(),
  side: Type.Enum(['long', 'short']),
  marginMode: Type.Enum(['crossed', 'isolated']),
  size: Type.String(),
  averagePrice: Type.String(),
  markPrice: Type.String(),
  /** Behind an isolated position; 0 when crossed. */
  margin: Type.String(),
  unrealised: Type.String(),
  /** Funding that an isolated position could not pay yet (rules 13.8). */
  fundingOwed: Type.String(),
});

function positionsOf(state: State, uid: number) {
  return positionViews(state, uid).map((view) => {
    const { instrument, isolated } = view;
    const price = (ticks: number) => formatUnits(BigInt(ticks), instrument.pricePrecision);
    return {
      category: CATEGORY_NAMES[instrument.category],
      symbol: instrument.symbol,
      side: view.long ? ('long' as const) : ('short' as const),
      marginMode: isolated ? ('isolated' as const) : ('crossed' as const),
      size: formatUnits(BigInt(view.totalLots), instrument.quantityPrecision),
      averagePrice: price(view.averageTicks),
      markPrice: price(view.markTicks),
      margin: formatMoney(isolated ? view.balance : 0n),
      unrealised: formatMoney(view.unrealised),
      fundingOwed: formatMoney(view.fundingOwed),
    };
  });
}

function balancesOf(state: State, uid: number) {
  const { index } = state.accountByUid.get(uid)!;
  return balances(state, uid).map(({ coin, cash, locked }) => ({
    coin: state.coins[coin]!.coin,
    unified: formatMoney(cash),
    locked: formatMoney(locked),
    funding: formatMoney(bucketBalance(state, index, coin, Bucket.funding)),
    withdrawing: formatMoney(bucketBalance(state, index, coin, Bucket.withdrawing)),
    pledged: formatMoney(bucketBalance(state, index, coin, Bucket.pledge)),
  }));
}

type AccountCall = Call<{ account: string }, unknown, unknown>;

async function setFrozen({ sequencer, identity, params, audited }: AccountCall, frozen: boolean) {
  const user = findUser(identity, params.account);
  if (user instanceof AdminError) return user;
  const nowMs = sequencer.clock.now();
  const changed = await identity.change((to) => to.setFrozen(user.uid, frozen, nowMs));
  if (!changed.ok) return refusedByIdentity(changed);
  const result = await cancelFrozenOrders(audited.submitter, changed.value);
  if (result !== undefined && result.rejectReason !== RejectReason.none) return rejectedByCore(result);
  return { account: viewOf(sequencer.state, changed.value), command: audited.command };
}

export const accountRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/accounts',
    query: Type.Object(
      {
        afterUid: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
        limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$' })),
        /** A part of uid, name or note. */
        search: Type.Optional(Type.String({ maxLength: 64 })),
        /** Uid of the main account whose sub-accounts are wanted. */
        master: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
      },
      closed,
    ),
    answer: Type.Object({ accounts: Type.Array(AccountView) }),
    handle: async ({ sequencer, identity, query: { afterUid = '0', limit = '', search = '', master } }) => {
      const page = { afterUid: Number(afterUid), limit: Math.min(Number(limit) || PAGE_MAX, PAGE_MAX) };
      const users =
        master !== undefined
          ? identity.listSubs(Number(master), page)
          : await searchUsers(identity, search, page);
      return { accounts: users.map((user) => viewOf(sequencer.state, user)) };
    },
  }),

  operatorRoute({
    method: 'GET',
    path: '/admin/accounts/:account',
    params: AccountParams,
    answer: Type.Object({
      account: AccountView,
      balances: Type.Array(BalanceView),
      positions: Type.Array(PositionText),
      openOrders: Type.Integer(),
      /** Rights of a sub-account; others have all. */
      rights: Type.Array(Type.String()),
      /** Orders a second that a main account and its sub-accounts may share out. */
      quotas: Type.Array(
        Type.Object({ category: Type.String(), given: Type.Integer(), cap: Type.Integer() }),
      ),
    }),
    handle: ({ sequencer, identity, params }) => {
      const { state } = sequencer;
      const account = findAccount(identity, state, params.account);
      if (account instanceof AdminError) return account;
      const { uid, openSpot, openFutures } = account;
      const user = identity.findUser(uid)!;
      return {
        account: viewOf(state, user),
        balances: balancesOf(state, uid),
        positions: positionsOf(state, uid),
        openOrders: openSpot + openFutures,
        rights: user.mainUid === undefined ? [] : [...user.rights],
        quotas: QUOTA_CATEGORIES.map((category) => {
          const { given, cap } = identity.partyQuota(user.mainUid ?? uid, category);
          return { category, given, cap };
        }),
      };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts',
    body: Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 64 }),
        kind: Type.Optional(Type.Enum(['main', 'sub', 'broker'])),
        master: Type.Optional(AccountText),
        marketMaker: Type.Optional(Type.Boolean()),
        note: Type.Optional(Type.String({ maxLength: 256 })),
      },
      closed,
    ),
    answer: Changed,
    auditDetail: accountDetail,
    action: 'account.create',
    auditArguments: ({ body: { name, kind, master, marketMaker } }) => ({ name, kind, master, marketMaker }),
    handle: async ({ sequencer, identity, body, audited }) => {
      const { name, kind = 'main', marketMaker = false, note = '' } = body;
      if ((kind === 'sub') !== (body.master !== undefined)) {
        return new AdminError(
          'invalid_request',
          'a sub-account needs its master, and only a sub-account has one',
        );
      }
      if (kind === 'sub' && marketMaker) {
        return new AdminError('invalid_request', 'open the sub-account first, then make it a market maker');
      }
      const master = body.master === undefined ? undefined : findUser(identity, body.master);
      if (master instanceof AdminError) return master;
      const shortage = sequencer.shortage();
      if (shortage !== undefined) return new AdminError('unavailable', shortage.reason);
      const services = { sequencer: audited.submitter, identity };
      const nowMs = sequencer.clock.now();
      const broker = kind === 'broker';
      const opened =
        master === undefined
          ? await openMainAccount(services, { name, broker, marketMaker, note, nowMs })
          : await openSubAccount(services, master.uid, { name, nowMs, note });
      if (!opened.ok)
        return 'rejected' in opened ? rejectedByCore(opened.rejected) : refusedByIdentity(opened);
      // A part of the same act, which the audit line of the account covers.
      if (broker) await sequencer.submit({ type: 'setBroker', uid: opened.value.uid, broker: true });
      return { account: viewOf(sequencer.state, opened.value), command: audited.command };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/freeze',
    params: AccountParams,
    body: Empty,
    answer: Changed,
    auditDetail: accountDetail,
    action: 'account.freeze',
    auditArguments: ({ params }) => params,
    handle: (call) => setFrozen(call, true),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/unfreeze',
    params: AccountParams,
    body: Empty,
    answer: Changed,
    auditDetail: accountDetail,
    action: 'account.unfreeze',
    auditArguments: ({ params }) => params,
    handle: (call) => setFrozen(call, false),
  }),
];
