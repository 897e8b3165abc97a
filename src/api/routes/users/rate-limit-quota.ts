/** Quotas of order requests per second of a main account and its sub-accounts (wire 4.4), set by the main account. */

import { QUOTA_MAX, type QuotaCategory, STANDARD_QUOTA, type User } from '../../../identity/identity.ts';
import { Type } from '../../../validation/schema.ts';
import { identityRefusal } from '../../auth/identity-errors.ts';
import { type Call, type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { Uid } from '../../wire/money-input.ts';
import { pageLimit } from '../../wire/paging.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { Done } from './sub-account-responses.ts';

const group = 'Sub-accounts';
/** Accounts of one request. */
const UIDS_MAX = 100;
const NAMES = { name: 'uids', label: 'uids', permissions: 'uids', ips: 'uids' };
const Category = Type.Enum(['SPOT', 'FUTURES'] as const, {
  description: 'spot includes margin, futures all three kinds',
});
const Quotas = Type.Object({
  category: Type.String(),
  quotaList: Type.Array(Type.Object({ uid: Type.String(), quota: Type.String() })),
  masterSubQuota: Type.String({ description: 'what main and sub-accounts have together' }),
  masterSubCap: Type.String({ description: 'what they may have together' }),
  cursor: Type.String(),
});

/** The caller itself or one of its sub-accounts; another owner's account and an unknown one give the same error. */
function member({ identity, caller }: Call<unknown, unknown>, uid: string, field: string): User | WireError {
  if (Number(uid) === caller.user.uid) return caller.user;
  return (
    identity.findSub(caller.user.uid, Number(uid)) ??
    wireError('25005', `${field} must be your own account or one of your sub-accounts`)
  );
}

/** The main account, then its sub-accounts, oldest first: uids rise in that order. */
function members(call: Call<unknown, unknown>, afterUid: number, limit: number): User[] {
  const { user } = call.caller;
  const first = afterUid < user.uid ? [user] : [];
  return [...first, ...call.identity.listSubs(user.uid, { afterUid, limit })].slice(0, limit);
}

const categoryOf = ({ category }: { category: string }) => category.toLowerCase() as QuotaCategory;
const quotaOf = ({ uid, quotas }: User, category: QuotaCategory) => ({
  uid: String(uid),
  quota: String(quotas?.[category] ?? STANDARD_QUOTA),
});

export const rateLimitQuotaRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/user/rate-limit-quota',
    summary: 'Order requests a second of the main account and its sub-accounts',
    group,
    access: 'main_read',
    perSecond: 10,
    query: Type.Object({
      category: Category,
      uid: Type.Optional(Uid),
      limit: Type.Optional(fields.Limit),
      cursor: Type.Optional(Type.String({ ...Uid, description: 'uid of the last row before' })),
    }),
    data: Quotas,
    handle: (call) => {
      const { uid, cursor } = call.query;
      const category = categoryOf(call.query);
      const limit = pageLimit(call.query.limit);
      if (limit instanceof WireError) return limit;
      const named = uid === undefined ? undefined : member(call, uid, 'uid');
      if (named instanceof WireError) return named;
      const users = named === undefined ? members(call, Number(cursor ?? 0), limit) : [named];
      const { given, cap } = call.identity.partyQuota(call.caller.user.uid, category);
      return {
        category,
        quotaList: users.map((user) => quotaOf(user, category)),
        masterSubQuota: String(given),
        masterSubCap: String(cap),
        cursor: users.length === 0 ? '' : String(users.at(-1)!.uid),
      };
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/user/set-rate-limit-quota',
    summary: 'Gives accounts so many order requests a second each; together they stay within masterSubCap',
    group,
    access: 'main_write',
    perSecond: 5,
    body: Type.Object({
      category: Category,
      uids: Type.Array(Uid, { minItems: 1, maxItems: UIDS_MAX }),
      quota: fields.Integer,
    }),
    data: Done,
    handle: async (call) => {
      const { uids } = call.body;
      const category = categoryOf(call.body);
      const quota = Number(call.body.quota);
      if (quota < 1 || quota > QUOTA_MAX) return wireError('40017', `quota must be 1 to ${QUOTA_MAX}`);
      for (const uid of uids) {
        const found = member(call, uid, 'uids');
        if (found instanceof WireError) return found;
      }
      const mainUid = call.caller.user.uid;
      const given = await call.identity.change((to) =>
        to.setQuota(mainUid, category, uids.map(Number), quota),
      );
      return given.ok ? {} : identityRefusal(given, NAMES);
    },
  }),
];
