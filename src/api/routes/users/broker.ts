/** Sub-accounts of a broker: opening them, their rights and their keys (interface 4.5, wire 4.5). */

import { cancelFrozenOrders } from '../../../accounts/cancel-frozen-orders.ts';
import { openSubAccount } from '../../../accounts/open-sub-account.ts';
import { type ApiKey, SUB_RIGHTS, type User } from '../../../identity/identity.ts';
import { Type } from '../../../validation/schema.ts';
import { identityRefusal } from '../../auth/identity-errors.ts';
import { type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { findOwnSub, Uid } from '../../wire/money-input.ts';
import { pageLimit } from '../../wire/paging.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { changeSubKey, createSubKey, findSubKey } from './sub-account-keys.ts';
import * as responses from './sub-account-responses.ts';

const group = 'Broker';
const PER_SECOND = 20;
const NAMES = { name: 'subaccountName', label: 'label', permissions: 'permList', ips: 'ipList' };

const Status = Type.Enum(['normal', 'freeze'] as const);
const Label = Type.String({ maxLength: 64 });
const ApiKeyName = Type.String();
const PermType = Type.Enum(['read_write', 'read_only'] as const);
const PermList = Type.Array(Type.Enum(['uta_trade', 'uta_mgt', 'withdraw'] as const), {
  description: '`withdraw` requires permType `read_write`',
});
const IpList = Type.Array(Type.String(), { description: 'IP whitelist, up to 30 entries' });

export const brokerRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v3/broker/create-sub',
    summary: 'Opens a sub-account',
    group,
    access: 'broker_write',
    perSecond: PER_SECOND,
    body: Type.Object({ subaccountName: Type.String({ maxLength: 64 }), label: Label }),
    data: responses.NewBrokerSub,
    handle: async (call) => {
      const { subaccountName: name, label: note } = call.body;
      const { uid } = call.caller.user;
      const opened = await openSubAccount(call, uid, { name, note, nowMs: call.clock.now() });
      return opened.ok ? subView(opened.value) : identityRefusal(opened, NAMES);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/broker/sub-list',
    summary: 'The sub-accounts, oldest first',
    group,
    access: 'broker_read',
    perSecond: PER_SECOND,
    query: Type.Object({
      limit: Type.Optional(fields.Limit),
      cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,16}$', description: 'subUid of the last row' })),
      status: Type.Optional(Status),
    }),
    data: responses.BrokerSubs,
    handle: ({ identity, caller, query }) => {
      const limit = pageLimit(query.limit);
      if (limit instanceof WireError) return limit;
      const afterUid = Number(query.cursor ?? 0);
      const frozen = query.status === undefined ? undefined : query.status === 'freeze';
      const subs = identity.listSubs(caller.user.uid, { afterUid, limit, frozen });
      return { subList: subs.map((sub) => ({ ...subView(sub), language: 'en-US' })) };
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/broker/modify-sub',
    summary: 'Freezes a sub-account and cancels its orders, or changes what it may do at all',
    group,
    access: 'broker_write',
    perSecond: PER_SECOND,
    body: Type.Object({
      subUid: Uid,
      status: Type.Optional(Status),
      permList: Type.Optional(Type.Array(Type.Enum([...SUB_RIGHTS]))),
    }),
    data: responses.ChangedBrokerSub,
    handle: async ({ sequencer, identity, caller, clock, body }) => {
      const sub = findOwnSub(identity, caller.user, body.subUid);
      if (sub instanceof WireError) return sub;
      const change = {
        ...(body.status !== undefined && { frozen: body.status === 'freeze' }),
        ...(body.permList !== undefined && { rights: body.permList }),
      };
      const nowMs = clock.now();
      const changed = await identity.change((to) => to.setUser(sub.uid, change, nowMs));
      if (!changed.ok) return identityRefusal(changed, NAMES);
      await cancelFrozenOrders(sequencer, changed.value);
      return subView(changed.value);
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/broker/create-sub-apikey',
    summary: 'Gives a sub-account an API key; its secret is shown this once',
    group,
    access: 'broker_write',
    perSecond: PER_SECOND,
    body: Type.Object({
      subUid: Uid,
      passphrase: Type.String({ description: '8 to 32 letters and digits' }),
      label: Label,
      permType: PermType,
      permList: PermList,
      ipList: Type.Optional(IpList),
    }),
    data: responses.BrokerKeyWithSecret,
    handle: async (call) => {
      const { subUid, passphrase, label, permType, permList, ipList = [] } = call.body;
      const sub = findOwnSub(call.identity, call.caller.user, subUid);
      if (sub instanceof WireError) return sub;
      const input = { label, permType, permissions: permList, ipList, passphrase };
      const created = await createSubKey(call, sub, input, NAMES);
      return created instanceof WireError
        ? created
        : { ...keyView(created.key), secretKey: created.secretKey };
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/broker/modify-sub-apikey',
    summary: "Changes label, addresses or rights of a sub-account's API key",
    group,
    access: 'broker_write',
    perSecond: PER_SECOND,
    body: Type.Object({
      subUid: Uid,
      passphrase: Type.String({ description: 'the passphrase of the key; if it is lost, create a new key' }),
      apiKey: ApiKeyName,
      label: Type.Optional(Label),
      ipList: Type.Optional(IpList),
      permType: Type.Optional(PermType),
      permList: Type.Optional(PermList),
    }),
    data: responses.BrokerKey,
    handle: async (call) => {
      const { subUid, passphrase, apiKey, label, ipList, permType, permList } = call.body;
      const sub = findOwnSub(call.identity, call.caller.user, subUid);
      if (sub instanceof WireError) return sub;
      const key = findSubKey(call, apiKey, sub);
      if (key instanceof WireError) return key;
      const change = {
        ...(label !== undefined && { label }),
        ...(ipList !== undefined && { ipList }),
        ...(permType !== undefined && { permType }),
        ...(permList !== undefined && { permissions: permList }),
      };
      const changed = await changeSubKey(call, key, passphrase, change, NAMES);
      return changed instanceof WireError ? changed : keyView(changed);
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/broker/delete-sub-apikey',
    summary: "Deletes a sub-account's API key",
    group,
    access: 'broker_write',
    perSecond: PER_SECOND,
    body: Type.Object({ subUid: Uid, apiKey: ApiKeyName }),
    data: Type.Null(),
    handle: async (call) => {
      const sub = findOwnSub(call.identity, call.caller.user, call.body.subUid);
      if (sub instanceof WireError) return sub;
      const key = findSubKey(call, call.body.apiKey, sub);
      if (key instanceof WireError) return key;
      const deleted = await call.identity.change((to) => to.deleteKey(key.apiKey));
      return deleted.ok ? null : identityRefusal(deleted, NAMES);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/broker/query-sub-apikey',
    summary: 'The newest API key of a sub-account, or the named one, without its secret',
    group,
    access: 'broker_read',
    perSecond: PER_SECOND,
    query: Type.Object({ subUid: Uid, apiKey: Type.Optional(ApiKeyName) }),
    data: responses.BrokerKeyWithSecret,
    handle: (call) => {
      const { subUid, apiKey } = call.query;
      const sub = findOwnSub(call.identity, call.caller.user, subUid);
      if (sub instanceof WireError) return sub;
      const newest = call.identity.listKeys(sub.uid).at(-1);
      const key = apiKey === undefined ? newest : findSubKey(call, apiKey, sub);
      if (key instanceof WireError) return key;
      if (key === undefined) return wireError('40034', 'the sub-account has no API key');
      return { ...keyView(key), secretKey: '' };
    },
  }),
];

/** A sub-account has no email address. */
function subView(sub: User) {
  return {
    subUid: String(sub.uid),
    subaccountName: sub.name,
    subaccountEmail: '',
    status: sub.frozen ? 'freeze' : 'normal',
    permList: sub.rights,
    label: sub.note,
    cTime: String(sub.regisTime),
    uTime: String(sub.updatedTime),
  };
}

function keyView({ uid, label, apiKey, permType, permissions, ipList }: ApiKey) {
  return { subUid: String(uid), label, apiKey, permType, permList: permissions, ipList };
}
