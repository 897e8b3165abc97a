/** Sub-accounts of a main account: opening, freezing, and their keys (wire 4.4). */

import { cancelFrozenOrders } from '../../../accounts/cancel-frozen-orders.ts';
import { openSubAccount } from '../../../accounts/open-sub-account.ts';
import type { ApiKey, User } from '../../../identity/identity.ts';
import { Type } from '../../../validation/schema.ts';
import { identityRefusal } from '../../auth/identity-errors.ts';
import { type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { findOwnSub, Uid } from '../../wire/money-input.ts';
import { pageLimit } from '../../wire/paging.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { changeSubKey, createSubKey, findSubKey, passphraseProblem } from './sub-account-keys.ts';
import * as responses from './sub-account-responses.ts';

const group = 'Sub-accounts';
const PER_SECOND = 10;
const NAMES = { name: 'username', label: 'note', permissions: 'permissions', ips: 'ips' };
const USERNAME = /^[a-z]{1,20}$/;
const KEY_NOTE = /^[A-Za-z]/;
const AGENT_PERMISSIONS = ['uta_mgt', 'uta_trade'] as const;

const KeyType = Type.Enum(['read_write', 'read_only'] as const);
const Permissions = Type.Array(Type.Enum(['uta_mgt', 'uta_trade'] as const));
const Ips = Type.Array(Type.String(), {
  description: 'up to 30 addresses or CIDR blocks; empty: from anywhere',
});
const ApiKeyName = Type.String();

export const subAccountRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v3/user/create-sub',
    summary: 'Opens a sub-account',
    group,
    access: 'main_write',
    perSecond: PER_SECOND,
    body: Type.Object({
      username: Type.String({ description: '1 to 20 lower-case letters' }),
      accountMode: Type.Optional(Type.Enum(['classic', 'unified'] as const)),
      note: Type.Optional(Type.String({ maxLength: 50 })),
    }),
    data: responses.SubAccount,
    handle: async (call) => {
      const { username: name, accountMode, note = '' } = call.body;
      if (!USERNAME.test(name)) return malformedUsername();
      if (accountMode === 'classic') {
        return wireError('25002', 'parameter accountMode: every account here is unified; leave it out');
      }
      const { uid } = call.caller.user;
      const opened = await openSubAccount(call, uid, { name, note, nowMs: call.clock.now() });
      return opened.ok ? subView(opened.value) : identityRefusal(opened, NAMES);
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/user/sub-account/agent-create',
    summary: 'Opens a sub-account with a key for an agent: it may read, trade and manage',
    group,
    access: 'main_write',
    perSecond: 1,
    body: Type.Object({
      username: Type.String({ description: '1 to 20 lower-case letters' }),
      passphrase: Type.String({ description: '8 to 32 letters and digits' }),
      note: Type.Optional(Type.String({ maxLength: 50 })),
    }),
    data: responses.AgentSub,
    handle: async (call) => {
      const { username: name, passphrase, note = '' } = call.body;
      if (!USERNAME.test(name)) return malformedUsername();
      // A new key has at most the permissions of the calling key.
      const permissions = AGENT_PERMISSIONS.filter((each) => call.caller.key.permissions.includes(each));
      const malformed = passphraseProblem(passphrase);
      if (malformed !== undefined) return malformed;
      const opened = await openSubAccount(call, call.caller.user.uid, {
        name,
        note,
        nowMs: call.clock.now(),
      });
      if (!opened.ok) return identityRefusal(opened, NAMES);
      const input = { label: 'agent', permType: 'read_write', permissions, ipList: [], passphrase } as const;
      const created = await createSubKey(call, opened.value, input, NAMES);
      if (created instanceof WireError) return created;
      const { username, subUid, createdTime } = subView(opened.value);
      return { username, subUid, apiKey: created.key.apiKey, secret: created.secretKey, note, createdTime };
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/user/freeze-sub',
    summary:
      'Stops all keys of a sub-account and cancels its orders, or lets the keys work again; take-profits and stop-losses stay',
    group,
    access: 'main_write',
    perSecond: PER_SECOND,
    body: Type.Object({ subUid: Uid, operation: Type.Enum(['freeze', 'unfreeze'] as const) }),
    data: responses.Done,
    handle: async ({ sequencer, identity, caller, clock, body }) => {
      const sub = findOwnSub(identity, caller.user, body.subUid);
      if (sub instanceof WireError) return sub;
      const [frozen, nowMs] = [body.operation === 'freeze', clock.now()];
      const changed = await identity.change((to) => to.setFrozen(sub.uid, frozen, nowMs));
      if (!changed.ok) return identityRefusal(changed, NAMES);
      await cancelFrozenOrders(sequencer, changed.value);
      return {};
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/user/sub-list',
    summary: 'The sub-accounts, oldest first',
    group,
    access: 'main_read',
    perSecond: PER_SECOND,
    query: Type.Object({
      limit: Type.Optional(fields.Limit),
      cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,16}$', description: 'subUid of the last row' })),
    }),
    data: responses.SubAccounts,
    handle: ({ identity, caller, query }) => {
      const limit = pageLimit(query.limit);
      if (limit instanceof WireError) return limit;
      const afterUid = Number(query.cursor ?? 0);
      const found = identity.listSubs(caller.user.uid, { afterUid, limit: limit + 1 });
      const list = found.slice(0, limit).map((sub) => ({
        ...subView(sub),
        accountMode: 'UNIFIED',
        type: 'normal',
      }));
      return { list, hasNext: found.length > limit, cursor: list.at(-1)?.subUid ?? '' };
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/user/create-sub-api',
    summary: 'Gives a sub-account an API key; its secret is shown this once',
    group,
    access: 'main_write',
    perSecond: PER_SECOND,
    body: Type.Object({
      subUid: Uid,
      note: Type.String({ maxLength: 64, description: 'starts with a letter' }),
      type: KeyType,
      passphrase: Type.String({ description: '8 to 32 letters and digits' }),
      permissions: Permissions,
      ips: Ips,
    }),
    data: responses.NewSubKey,
    handle: async (call) => {
      const { subUid, note, type, passphrase, permissions, ips } = call.body;
      const sub = findOwnSub(call.identity, call.caller.user, subUid);
      if (sub instanceof WireError) return sub;
      if (!KEY_NOTE.test(note)) return wireError('40017', 'parameter note must start with a letter');
      const input = { label: note, permType: type, permissions, ipList: ips, passphrase };
      const created = await createSubKey(call, sub, input, NAMES);
      return created instanceof WireError ? created : { ...keyView(created.key), secret: created.secretKey };
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/user/update-sub-api',
    summary: "Changes the rights of a sub-account's API key",
    group,
    access: 'main_write',
    perSecond: PER_SECOND,
    body: Type.Object({
      apiKey: Type.Optional(ApiKeyName),
      apikey: Type.Optional(Type.String({ description: 'another spelling of apiKey' })),
      passphrase: Type.String({ description: 'the passphrase of the key' }),
      type: Type.Optional(KeyType),
      permissions: Type.Optional(Permissions),
      ips: Type.Optional(Ips),
    }),
    data: responses.SubKey,
    handle: async (call) => {
      const { passphrase, type, permissions, ips } = call.body;
      const name = call.body.apiKey ?? call.body.apikey;
      if (name === undefined) return wireError('40019', 'parameter apiKey must not be empty');
      const key = findSubKey(call, name);
      if (key instanceof WireError) return key;
      const change = {
        ...(type !== undefined && { permType: type }),
        ...(permissions !== undefined && { permissions }),
        ...(ips !== undefined && { ipList: ips }),
      };
      const changed = await changeSubKey(call, key, passphrase, change, NAMES);
      return changed instanceof WireError ? changed : keyView(changed);
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/user/delete-sub-api',
    summary: "Deletes a sub-account's API key",
    group,
    access: 'main_write',
    perSecond: PER_SECOND,
    body: Type.Object({ apiKey: ApiKeyName }),
    data: responses.Done,
    handle: async (call) => {
      const key = findSubKey(call, call.body.apiKey);
      if (key instanceof WireError) return key;
      const deleted = await call.identity.change((to) => to.deleteKey(key.apiKey));
      return deleted.ok ? {} : identityRefusal(deleted, NAMES);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/user/sub-api-list',
    summary: 'The API keys of a sub-account, oldest first, without their secrets',
    group,
    access: 'main_read',
    perSecond: PER_SECOND,
    query: Type.Object({
      subUid: Uid,
      limit: Type.Optional(fields.Limit),
      cursor: Type.Optional(Type.String({ maxLength: 128, description: 'cursor of the previous page' })),
    }),
    data: responses.SubKeys,
    handle: ({ identity, caller, query }) => {
      const limit = pageLimit(query.limit);
      if (limit instanceof WireError) return limit;
      const sub = findOwnSub(identity, caller.user, query.subUid);
      if (sub instanceof WireError) return sub;
      const found = identity.listKeys(sub.uid).filter((key) => placeOf(key) > (query.cursor ?? ''));
      const page = found.slice(0, limit);
      const items = page.map((key) => ({ ...keyView(key), ts: String(key.createdTime) }));
      const last = page.at(-1);
      return {
        items,
        list: items,
        hasNext: found.length > limit,
        cursor: last === undefined ? '' : placeOf(last),
      };
    },
  }),
];

function malformedUsername(): WireError {
  return wireError('40017', 'parameter username must be 1 to 20 lower-case letters');
}

function subView(sub: User) {
  return {
    username: sub.name,
    subUid: String(sub.uid),
    status: sub.frozen ? 'freeze' : 'normal',
    note: sub.note,
    createdTime: String(sub.regisTime),
    updatedTime: String(sub.updatedTime),
  };
}

function keyView({ apiKey, label, permType, permissions, ipList }: ApiKey) {
  return { note: label, apiKey, type: permType, permissions, ips: ipList };
}

/**
 * A cursor in the order of the list (times have 13 digits until the year 2286) that stays valid when the key is
 * deleted.
 */
function placeOf({ createdTime, apiKey }: ApiKey): string {
  return `${createdTime}-${apiKey}`;
}
