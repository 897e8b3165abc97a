/** Rights of an account beyond trading: broker, commissions, order quotas, market maker. */

import { formatRate, parseUnits, RATE_ONE, RATE_SCALE } from '../../core/model/units.ts';
import { QUOTA_CATEGORIES, QUOTA_MAX } from '../../identity/identity.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError, refusedByIdentity } from '../admin-error.ts';
import { AccountParams, CommandSeq, closed, DecimalText } from '../fields.ts';
import { findAccount, findUser } from '../lookup.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';
import { accountDetail, Changed, viewOf } from './account-view.ts';

export const accountRightsRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/broker',
    params: AccountParams,
    body: Type.Object({ broker: Type.Boolean() }, closed),
    answer: Changed,
    auditDetail: accountDetail,
    action: 'account.broker',
    auditArguments: ({ params, body }) => ({ account: params.account, broker: body.broker }),
    handle: async ({ sequencer, identity, params, body, audited }) => {
      const user = findUser(identity, params.account);
      if (user instanceof AdminError) return user;
      const { uid } = user;
      const nowMs = sequencer.clock.now();
      const changed = await identity.change((to) => to.setUser(uid, { broker: body.broker }, nowMs));
      if (!changed.ok) return refusedByIdentity(changed);
      // Limits count the accounts below a broker one by one (rules 13.9); who is none any more earns no commission.
      if (sequencer.state.accountByUid.has(uid)) {
        const result = await audited.submit({ type: 'setBroker', uid, broker: body.broker });
        if (result instanceof AdminError) return result;
      }
      return { account: viewOf(sequencer.state, changed.value), command: audited.command };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/commission',
    params: AccountParams,
    /** Share of the trading fees of the broker's sub-accounts, such as 0.3. */
    body: Type.Object({ share: DecimalText }, closed),
    answer: Type.Object({ uid: Type.Integer(), share: Type.String(), command: CommandSeq }),
    auditDetail: ({ uid }) => `account ${uid}`,
    action: 'account.commission',
    auditArguments: ({ params, body }) => ({ account: params.account, share: body.share }),
    handle: async ({ sequencer, identity, params, body, audited }) => {
      const account = findAccount(identity, sequencer.state, params.account);
      if (account instanceof AdminError) return account;
      const { uid } = account;
      if (identity.findUser(uid)?.broker !== true) {
        return new AdminError('not_allowed', `account ${uid} is no broker: make it one first`);
      }
      const rate = parseUnits(body.share, RATE_SCALE);
      if (rate === undefined || rate > RATE_ONE) {
        return new AdminError('invalid_request', `share ${body.share} must lie between 0 and 1`);
      }
      const result = await audited.submit({ type: 'setCommission', uid, rate });
      if (result instanceof AdminError) return result;
      return { uid, share: formatRate(rate), command: audited.command };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/order-quota',
    params: AccountParams,
    body: Type.Object(
      {
        category: Type.Enum([...QUOTA_CATEGORIES]),
        /** Orders a second beyond the standard, for the main account to distribute. */
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
    auditDetail: ({ uid }) => `account ${uid}`,
    action: 'account.orderQuota',
    auditArguments: ({ params, body: { category, extra } }) => ({ account: params.account, category, extra }),
    handle: async ({ identity, params, body: { category, extra } }) => {
      const user = findUser(identity, params.account);
      if (user instanceof AdminError) return user;
      const changed = await identity.change((to) => to.setQuotaExtra(user.uid, category, extra));
      return changed.ok ? { uid: user.uid, category, ...changed.value } : refusedByIdentity(changed);
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/market-maker',
    params: AccountParams,
    body: Type.Object({ marketMaker: Type.Boolean() }, closed),
    answer: Changed,
    auditDetail: accountDetail,
    action: 'account.marketMaker',
    auditArguments: ({ params, body }) => ({ account: params.account, marketMaker: body.marketMaker }),
    handle: async ({ sequencer, identity, params, body, audited }) => {
      const account = findAccount(identity, sequencer.state, params.account);
      if (account instanceof AdminError) return account;
      const { uid } = account;
      const result = await audited.submit({
        type: 'setMarketMaker',
        uid,
        marketMaker: body.marketMaker,
      });
      if (result instanceof AdminError) return result;
      return { account: viewOf(sequencer.state, identity.findUser(uid)!), command: audited.command };
    },
  }),
];
