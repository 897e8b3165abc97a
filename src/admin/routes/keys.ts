/** API keys: creating, listing and deleting them. A secret is only in the response that creates it. */
import { randomBytes } from 'node:crypto';
import { type ApiKey, PERMISSIONS } from '../../identity/identity.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError, refusedByIdentity } from '../admin-error.ts';
import { AccountParams, closed } from '../fields.ts';
import { findAccount, findUser } from '../lookup.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const PASSPHRASE_BYTES = 12;

const KeyView = Type.Object({
  apiKey: Type.String(),
  uid: Type.Integer(),
  kind: Type.String(),
  label: Type.String(),
  permType: Type.String(),
  permissions: Type.Array(Type.String()),
  ipList: Type.Array(Type.String()),
  created: Type.Integer(),
  /** 0 until the first use. */
  lastUsed: Type.Integer(),
  demo: Type.Boolean(),
});

function viewOf(key: ApiKey) {
  return {
    apiKey: key.apiKey,
    uid: key.uid,
    kind: key.kind,
    label: key.label,
    permType: key.permType,
    permissions: [...key.permissions],
    ipList: [...key.ipList],
    created: key.createdTime,
    lastUsed: key.lastUsedTime,
    demo: key.demo,
  };
}

export const keyRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/accounts/:account/keys',
    params: AccountParams,
    answer: Type.Object({ keys: Type.Array(KeyView) }),
    handle: ({ identity, params }) => {
      const user = findUser(identity, params.account);
      if (user instanceof AdminError) return user;
      return { keys: identity.listKeys(user.uid).map(viewOf) };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/accounts/:account/keys',
    params: AccountParams,
    body: Type.Object(
      {
        label: Type.Optional(Type.String({ maxLength: 64 })),
        permType: Type.Optional(Type.Enum(['read_only', 'read_write'])),
        permissions: Type.Optional(Type.Array(Type.Enum([...PERMISSIONS]), { maxItems: PERMISSIONS.length })),
        ipList: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 })),
        /** Generated when absent. */
        passphrase: Type.Optional(Type.String({ maxLength: 128 })),
        kind: Type.Optional(Type.Enum(['hmac', 'rsa', 'ed25519'])),
        publicKey: Type.Optional(Type.String({ maxLength: 4096 })),
      },
      closed,
    ),
    answer: Type.Object({
      key: KeyView,
      secretKey: Type.Union([Type.String(), Type.Null()]),
      passphrase: Type.String(),
    }),
    auditDetail: ({ key }) => `key ${key.apiKey} of account ${key.uid}`,
    action: 'key.create',
    auditArguments: ({ params, body: { label, permType, permissions, ipList, kind } }) => ({
      account: params.account,
      label,
      permType,
      permissions,
      ipList,
      kind,
    }),
    handle: async ({ sequencer, identity, params, body }) => {
      const account = findAccount(identity, sequencer.state, params.account);
      if (account instanceof AdminError) return account;
      const passphrase = body.passphrase ?? randomBytes(PASSPHRASE_BYTES).toString('base64url');
      const created = await identity.createKey({
        uid: account.uid,
        label: body.label ?? '',
        permType: body.permType ?? 'read_write',
        permissions: body.permissions ?? ['uta_trade', 'uta_mgt'],
        ipList: body.ipList ?? [],
        passphrase,
        nowMs: sequencer.clock.now(),
        kind: body.kind ?? 'hmac',
        ...(body.publicKey !== undefined && { publicKey: body.publicKey }),
      });
      if (!created.ok) return refusedByIdentity(created);
      const { key, secretKey } = created.value;
      return { key: viewOf(key), secretKey: secretKey ?? null, passphrase };
    },
  }),

  operatorRoute({
    method: 'DELETE',
    path: '/admin/keys/:apiKey',
    params: Type.Object({ apiKey: Type.String({ maxLength: 64 }) }),
    answer: Type.Object({ key: KeyView }),
    auditDetail: ({ key }) => `key ${key.apiKey} of account ${key.uid}`,
    action: 'key.delete',
    auditArguments: ({ params }) => params,
    handle: async ({ identity, params }) => {
      const deleted = await identity.change((to) => to.deleteKey(params.apiKey));
      return deleted.ok ? { key: viewOf(deleted.value) } : refusedByIdentity(deleted);
    },
  }),
];
