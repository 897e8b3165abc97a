/** Who trades here: opening, looking at, freezing and marking accounts. */
import Type from 'typebox';
import { Bucket } from '../../core/ledger.ts';
import { balances } from '../../core/reads.ts';
import type { State } from '../../core/state.ts';
import { formatMoney, formatRate, parseUnits, RATE_ONE, RATE_SCALE } from '../../core/units.ts';
import { QUOTA_CATEGORIES, QUOTA_MAX, type User } from '../../identity/identity.ts';
import { AccountParams, AccountText, CommandSeq, closed, DecimalText, Empty } from '../fields.ts';
import { findAccount, findUser } from '../lookup.ts';
import { openMainAccount, openSubAccount } from '../open-account.ts';
import { Refused, refusedByIdentity } from '../refused.ts';
import { type Call, type OperatorRoute, operatorRoute } from '../route.ts';

const PAGE_MAX = 1000;

const AccountView = Type.Object({
  uid: Type.Integer(),
  name: Type.String(),
  kind: Type.String(),
  master: Type.Union([Type.Integer(), Type.Null()]),
  frozen: Type.Boolean(),
  marketMaker: Type.Boolean(),
  note: Type.String(),
  created: Type.Integer(),
  /** False for a user whose opening was cut off: create it again. */
  open: Type.Boolean(),
});

const Changed = Type.Object({ account: AccountView, command: CommandSeq });

const BalanceView = Type.Object({
  coin: Type.String(),
  unified: Type.String(),
  locked: Type.String(),
  funding: Type.String(),
  withdrawing: Type.String(),
  /** Collateral of loans. */
  pledged: Type.String(),
});

function viewOf(state: State, user: User) {
  const account = state.accountByUid.get(user.uid);
  const kind = user.parentUid !== undefined ? 'sub' : user.broker ? 'broker' : 'main';
  return {
    uid: user.uid,
    name: user.name,
    kind,
    master: user.parentUid ?? null,
    frozen: user.frozen,
    marketMaker: account?.marketMaker ?? false,
    note: user.note,
    created: user.regisTime,
    open: account !== undefined,
  };
}

function balancesOf(state: State, uid: number) {
  const { index } = state.accountByUid.get(uid)!;
  return balances(state, uid).map(({ coin, cash, locked }) => ({
    coin: state.coins[coin]!.coin,
    unified: formatMoney(cash),
    locked: formatMoney(locked),
    funding: formatMoney(state.ledger.peek(index, coin, Bucket.funding)),
    withdrawing: formatMoney(state.ledger.peek(index, coin, Bucket.withdrawing)),
    pledged: formatMoney(state.ledger.peek(index, coin, Bucket.pledge)),
  }));
}

const toldUid = ({ account }: { account: { uid: number } }) => `account ${account.uid}`;

type AccountCall = Call<{ account: string }, unknown, unknown>;

async function setFrozen({ venue, identity, params, deed }: AccountCall, frozen: boolean) {
  const user = findUser(identity, params.account);
  if (user instanceof Refused) return user;
  const changed = identity.setFrozen(user.uid, frozen, venue.clock.now());
  if (!changed.ok) return refusedByIdentity(changed);
  // Keys that no longer work can cancel nothing.
  if (frozen && venue.state.accountByUid.has(user.uid)) {
    const given = await deed.give({ type: 'cancelEverything', time: 0, uid: user.uid });
    if (given instanceof Refused) return given;
  }
  return { account: viewOf(venue.state, changed.value), command: deed.command };
}

export const accountRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/accounts',
    query: Type.Object(
      {
        afterUid: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
        limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$' })),
      },
      closed,
    ),
    answer: Type.Object({ accounts: Type.Array(AccountView) }),
    handle: ({ venue, identity, query }) => {
      const limit = Math.min(Number(query.limit ?? PAGE_MAX), PAGE_MAX);
      const users = identity.listUsers({ afterUid: Number(query.afterUid ?? 0), limit });
      return { accounts: users.map((user) => viewOf(venue.state, user)) };
    },
  }),

  operatorRoute({
    method: 'GET',
    path: '/admin/accounts/:account',
    params: AccountParams,
    answer: Type.Object({
      account: AccountView,
      balances: Type.Array(BalanceView),
      openOrders: Type.Integer(),
    }),
    handle: ({ venue, identity, params }) => {
      const { state } = venue;
      const account = findAccount(identity, state, params.account);
      if (account instanceof Refused) return account;
      const { uid, openSpot, openFutures } = account;
      const user = identity.findUser(uid)!;
      return {
        account: viewOf(state, user),
        balances: balancesOf(state, uid),
        openOrders: openSpot + openFutures,
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
    told: toldUid,
    action: 'account.create',
    recorded: ({ body: { name, kind, master, marketMaker } }) => ({ name, kind, master, marketMaker }),
    handle: async (call) => {
      const { venue, identity, body, deed } = call;
      const { name, kind = 'main', marketMaker = false, note = '' } = body;
      if ((kind === 'sub') !== (body.master !== undefined)) {
        return new Refused(
          'invalid_request',
          'a sub-account needs its master, and only a sub-account has one',
        );
      }
      if (kind === 'sub' && marketMaker) {
        return new Refused('invalid_request', 'open the sub-account first, then make it a market maker');
      }
      const master = body.master === undefined ? undefined : findUser(identity, body.master);
      if (master instanceof Refused) return master;
      const broker = kind === 'broker';
      const opened =
        master === undefined
          ? await openMainAccount(call, deed, { name, broker, marketMaker, note })
          : await openSubAccount(call, deed, master, name, note);
      if (opened instanceof Refused) return opened;
      return { account: viewOf(venue.state, opened), command: deed.command };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/freeze',
    params: AccountParams,
    body: Empty,
    answer: Changed,
    told: toldUid,
    action: 'account.freeze',
    recorded: ({ params }) => params,
    handle: (call) => setFrozen(call, true),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/unfreeze',
    params: AccountParams,
    body: Empty,
    answer: Changed,
    told: toldUid,
    action: 'account.unfreeze',
    recorded: ({ params }) => params,
    handle: (call) => setFrozen(call, false),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/broker',
    params: AccountParams,
    body: Type.Object({ broker: Type.Boolean() }, closed),
    answer: Changed,
    told: toldUid,
    action: 'account.broker',
    recorded: ({ params, body }) => ({ account: params.account, broker: body.broker }),
    handle: async ({ venue, identity, params, body, deed }) => {
      const user = findUser(identity, params.account);
      if (user instanceof Refused) return user;
      const { uid } = user;
      if (!body.broker && (venue.state.accountByUid.get(uid)?.commissionRate ?? 0n) !== 0n) {
        const given = await deed.give({ type: 'setCommission', time: 0, uid, rate: 0n });
        if (given instanceof Refused) return given;
      }
      const changed = identity.setUser(uid, { broker: body.broker }, venue.clock.now());
      if (!changed.ok) return refusedByIdentity(changed);
      return { account: viewOf(venue.state, changed.value), command: deed.command };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/commission',
    params: AccountParams,
    /** Of the trading fees of the broker's sub-accounts, such as 0.3. */
    body: Type.Object({ share: DecimalText }, closed),
    answer: Type.Object({ uid: Type.Integer(), share: Type.String(), command: CommandSeq }),
    told: ({ uid }) => `account ${uid}`,
    action: 'account.commission',
    recorded: ({ params, body }) => ({ account: params.account, share: body.share }),
    handle: async ({ venue, identity, params, body, deed }) => {
      const account = findAccount(identity, venue.state, params.account);
      if (account instanceof Refused) return account;
      const { uid } = account;
      if (identity.findUser(uid)?.broker !== true) {
        return new Refused('not_allowed', `account ${uid} is no broker: make it one first`);
      }
      const rate = parseUnits(body.share, RATE_SCALE);
      if (rate === undefined || rate > RATE_ONE) {
        return new Refused('invalid_request', `share ${body.share} must lie between 0 and 1`);
      }
      const given = await deed.give({ type: 'setCommission', time: 0, uid, rate });
      if (given instanceof Refused) return given;
      return { uid, share: formatRate(rate), command: deed.command };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/order-quota',
    params: AccountParams,
    body: Type.Object(
      {
        category: Type.Enum([...QUOTA_CATEGORIES]),
        /** Orders a second beyond the standard, for the main account to share out. */
        extra: Type.Integer({ minimum: 0, maximum: QUOTA_MAX }),
      },
      closed,
    ),
    answer: Type.Object({
      uid: Type.Integer(),
      category: Type.String(),
      given: Type.Integer(),
      cap: Type.Integer(),
    }),
    told: ({ uid }) => `account ${uid}`,
    action: 'account.orderQuota',
    recorded: ({ params, body: { category, extra } }) => ({ account: params.account, category, extra }),
    handle: ({ identity, params, body: { category, extra } }) => {
      const user = findUser(identity, params.account);
      if (user instanceof Refused) return user;
      const changed = identity.setQuotaExtra(user.uid, category, extra);
      return changed.ok ? { uid: user.uid, category, ...changed.value } : refusedByIdentity(changed);
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/market-maker',
    params: AccountParams,
    body: Type.Object({ marketMaker: Type.Boolean() }, closed),
    answer: Changed,
    told: toldUid,
    action: 'account.marketMaker',
    recorded: ({ params, body }) => ({ account: params.account, marketMaker: body.marketMaker }),
    handle: async ({ venue, identity, params, body, deed }) => {
      const account = findAccount(identity, venue.state, params.account);
      if (account instanceof Refused) return account;
      const { uid } = account;
      const given = await deed.give({ type: 'setMarketMaker', time: 0, uid, marketMaker: body.marketMaker });
      if (given instanceof Refused) return given;
      return { account: viewOf(venue.state, identity.findUser(uid)!), command: deed.command };
    },
  }),
];
