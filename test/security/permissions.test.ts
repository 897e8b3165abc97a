/**
 * The permission matrix, cell by cell, over HTTP: every route with every kind of caller. What is expected stands in two
 * tables written by hand: the documents' access of each call (`test/contract/wire-spec.ts`) and what each access means for whom.
 * Frozen users, address lists and wrong keys on every route are in `test/security/hostile/permissions.test.ts`.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessText, REQUIRED_PERMISSION_NAMES } from '../../src/api/auth/permissions.ts';
import { ROUTES } from '../../src/api/http/routes.ts';
import type { Access } from '../../src/api/route.ts';
import type { LocalIdentity, Permission, PermType } from '../../src/identity/identity.ts';
import { CALLS, callOf, rowOf } from '../contract/wire-spec.ts';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { installKey, withIdentity } from './hostile/identities.ts';

const PRINCIPALS = [
  'nobody',
  'read-only trade',
  'read-write trade',
  'read-only management',
  'read-write management',
  'withdraw only',
  'sub-account',
  'broker',
  'sub-account of the broker',
  'stranger',
] as const;
type Principal = (typeof PRINCIPALS)[number];

/** One letter per principal, in their order: + may, k has no key, p lacks the permission, b is no broker. */
const MATRIX: Readonly<Record<Access, string>> = {
  public: '++++++++++',
  none: 'k+++++++++',
  trade_read: 'k++ppp++++',
  trade_write: 'kp+ppp++++',
  main_trade_read: 'k++pppp+p+',
  main_trade_write: 'kp+pppp+p+',
  mgt_read: 'kpp++p++++',
  mgt_write: 'kppp+p++++',
  main_read: 'kpp++pp+p+',
  main_write: 'kppp+pp+p+',
  withdraw: 'kpppp+++++',
  broker_read: 'kbbbbbb+bb',
  broker_write: 'kbbbbbb+bb',
  broker_withdraw: 'kbbbbbb+bb',
};
const LETTER_OF_CODE: Readonly<Record<string, string>> = { '40001': 'k', '40014': 'p', '40029': 'b' };

const data = temporaryDirectory();
const clients = new Map<Principal, SignedClient>();
let server: TestServer;

before(async () => {
  const keys = await prepare();
  server = await startHosted({ data, args: ['--rate-limits', 'off'] });
  for (const [principal, each] of keys) clients.set(principal, new SignedClient(server.url, each));
  clients.set('nobody', new SignedClient(server.url));
  clients.set('stranger', new SignedClient(server.url, server.account('bot')));
});
after(async () => {
  for (const client of clients.values()) client.close();
  await server.stop();
});

async function prepare() {
  const keys = new Map<Principal, Awaited<ReturnType<typeof installKey>>>();
  await withIdentity(data, async (identity) => {
    const give = async (
      principal: Principal,
      uid: number,
      permType: PermType,
      ...permissions: Permission[]
    ) => {
      keys.set(principal, await installKey(identity, uid, { permType, permissions }));
    };
    const alice = userOf(identity.createUser({ name: 'alice', nowMs: Date.now() }));
    await give('read-only trade', alice, 'read_only', 'uta_trade');
    await give('read-write trade', alice, 'read_write', 'uta_trade');
    await give('read-only management', alice, 'read_only', 'uta_mgt');
    await give('read-write management', alice, 'read_write', 'uta_mgt');
    await give('withdraw only', alice, 'read_write', 'withdraw');
    const sub = userOf(identity.createSub(alice, { name: 'desk', nowMs: Date.now() }));
    await give('sub-account', sub, 'read_write', 'uta_trade', 'uta_mgt', 'withdraw');
    const broker = userOf(identity.createUser({ name: 'bob', broker: true, nowMs: Date.now() }));
    await give('broker', broker, 'read_write', 'uta_trade', 'uta_mgt', 'withdraw');
    const desk = userOf(identity.createSub(broker, { name: 'desk', nowMs: Date.now() }));
    await give('sub-account of the broker', desk, 'read_write', 'uta_trade', 'uta_mgt', 'withdraw');
  });
  return keys;
}

function userOf(created: ReturnType<LocalIdentity['createUser']>): number {
  assert.ok(created.ok);
  return created.value.uid;
}

test('every route has the access and the limit that the documents give it', () => {
  const served = new Map(ROUTES.map((route) => [callOf(route), route]));
  assert.equal(served.size, ROUTES.length, 'no route stands twice in the table');
  for (const [name, { access, perSecond }] of served) {
    const row = rowOf(name);
    assert.ok(row, `${name} has no row in test/contract/wire-spec.ts: say there who may call it how often`);
    assert.deepEqual([access, perSecond], [row.access, row.perSecond], name);
  }
  for (const rows of Object.values(CALLS)) {
    for (const name of Object.keys(rows)) assert.ok(served.has(name), `${name} is not served`);
  }
});

test('every access has a row in the matrix', () => {
  assert.deepEqual(Object.keys(MATRIX).toSorted(), ['public', ...REQUIRED_PERMISSION_NAMES].toSorted());
  for (const [access, row] of Object.entries(MATRIX)) assert.equal(row.length, PRINCIPALS.length, access);
});

test('every route with every principal gives the verdict of the matrix', async (context) => {
  for (const route of ROUTES) {
    const { method, path } = route;
    const verdicts = await Promise.all(
      PRINCIPALS.map(async (principal) => {
        const client = clients.get(principal)!;
        const reply = await client.send(method, path, method === 'POST' ? '{}' : '');
        assert.ok(reply.status < 500 && reply.code !== '', `${callOf(route)}: ${reply.text}`);
        return LETTER_OF_CODE[reply.code] ?? '+';
      }),
    );
    const { access } = rowOf(callOf(route))!;
    assert.equal(verdicts.join(''), MATRIX[access], `${callOf(route)} for ${PRINCIPALS.join(', ')}`);
  }
  context.diagnostic(`${ROUTES.length * PRINCIPALS.length} cells`);
});

test('the OpenAPI document says for every route who may call it', async () => {
  const { text } = await clients.get('nobody')!.send('GET', '/openapi.json', '');
  const { paths } = JSON.parse(text) as {
    paths: Record<string, Record<string, { description: string; security: object[] }>>;
  };
  for (const { method, path, access } of ROUTES) {
    const operation = paths[path]?.[method.toLowerCase()];
    assert.ok(operation, path);
    assert.ok(operation.description.includes(`Permission: ${accessText(access)}.`), operation.description);
    const headers = operation.security.map((scheme) => Object.keys(scheme).length);
    assert.deepEqual(headers, access === 'public' ? [] : [4], path);
  }
});
