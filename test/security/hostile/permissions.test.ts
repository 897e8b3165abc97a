import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ROUTES } from '../../../src/api/http/routes.ts';
import type { Access } from '../../../src/api/route.ts';
import type { Permission, PermType } from '../../../src/identity/identity.ts';
import { startHosted } from '../../harness/hosted-server.ts';
import type { DemoKeys, TestServer } from '../../harness/server.ts';
import { type Reply, SignedClient } from '../../harness/signed-client.ts';
import { temporaryDirectory } from '../../harness/temporary-directory.ts';
import { assertRefused } from './hostile-venue.ts';
import { installKey, openUser, withIdentity } from './identities.ts';

interface Principal {
  readonly permType: PermType;
  readonly permissions: readonly Permission[];
  readonly keys: DemoKeys;
  readonly sub?: boolean;
}

const PRIVATE = ROUTES.filter(({ access }) => access !== 'public');
const data = temporaryDirectory();
const principals: Principal[] = [];
let stranger: DemoKeys;
let frozen: DemoKeys;
let elsewhere: DemoKeys;
let server: TestServer;

before(async () => {
  await withIdentity(data, async (identity) => {
    const alice = openUser(identity, 'alice');
    for (const permType of ['read_only', 'read_write'] as const) {
      for (const permissions of [
        [],
        ['uta_trade'],
        ['uta_mgt'],
        ['uta_trade', 'uta_mgt'],
      ] as Permission[][]) {
        const keys = await installKey(identity, alice, { permType, permissions });
        principals.push({ permType, permissions, keys });
      }
    }
    const withdraw: Permission[] = ['withdraw'];
    const keys = await installKey(identity, alice, { permType: 'read_write', permissions: withdraw });
    principals.push({ permType: 'read_write', permissions: withdraw, keys });

    const all = { permType: 'read_write', permissions: ['uta_trade', 'uta_mgt'] } as const;
    const sub = identity.createSub(alice, { name: 'alice-sub', nowMs: Date.now() });
    assert.ok(sub.ok);
    principals.push({ ...all, sub: true, keys: await installKey(identity, sub.value.uid, all) });

    stranger = await installKey(identity, openUser(identity, 'newcomer'), all);
    const frozenUser = openUser(identity, 'frozen');
    frozen = await installKey(identity, frozenUser, all);
    identity.setFrozen(frozenUser, true, Date.now());
    elsewhere = await installKey(identity, alice, { ...all, ipList: ['10.1.2.3'] });
  });
  server = await startHosted({ data, args: ['--rate-limits', 'off'] });
});
after(async () => {
  for (const client of clients.values()) client.close();
  await server.stop();
});

/** One for each key: connections are kept. */
const clients = new Map<DemoKeys | undefined, SignedClient>();

function call(
  keys: DemoKeys | undefined,
  { method, path }: { method: string; path: string },
): Promise<Reply> {
  const client = clients.get(keys) ?? new SignedClient(server.url, keys);
  clients.set(keys, client);
  return client.send(method, path, method === 'POST' ? '{}' : '');
}

interface RequiredPermission {
  readonly permission?: Permission;
  readonly write?: boolean;
  /** Accounts of the wrong kind, whatever their key may do. */
  readonly closedTo?: (principal: Principal) => boolean;
}

const isSub = (principal: Principal) => principal.sub === true;
const NEEDS: Readonly<Record<Exclude<Access, 'public'>, RequiredPermission>> = {
  none: {},
  trade_read: { permission: 'uta_trade' },
  trade_write: { permission: 'uta_trade', write: true },
  main_trade_read: { permission: 'uta_trade', closedTo: isSub },
  main_trade_write: { permission: 'uta_trade', write: true, closedTo: isSub },
  mgt_read: { permission: 'uta_mgt' },
  mgt_write: { permission: 'uta_mgt', write: true },
  main_read: { permission: 'uta_mgt', closedTo: isSub },
  main_write: { permission: 'uta_mgt', write: true, closedTo: isSub },
  withdraw: { permission: 'withdraw', write: true },
  broker_read: { closedTo: () => true },
  broker_write: { write: true, closedTo: () => true },
  broker_withdraw: { permission: 'withdraw', write: true, closedTo: () => true },
};
/** A valid key that may not do this. */
const DENIALS = ['40014', '40029'];

function mayCall(access: Exclude<Access, 'public'>, principal: Principal): boolean {
  const { permission, write = false, closedTo } = NEEDS[access];
  if (closedTo?.(principal)) return false;
  if (permission !== undefined && !principal.permissions.includes(permission)) return false;
  return !write || principal.permType === 'read_write';
}

describe('who may call what', () => {
  it('trading needs the trade permission, and the right to write when it changes something', () => {
    for (const { method, path, access } of PRIVATE.filter((route) =>
      route.path.startsWith('/api/v3/trade/'),
    )) {
      assert.equal(access, method === 'POST' ? 'trade_write' : 'trade_read', path);
    }
    const open = PRIVATE.filter(({ access }) => access === 'none').map(({ path }) => path);
    assert.deepEqual(open, ['/api/v3/account/info'], 'only this needs no permission');
  });

  it('every private route with every kind of key', async (test) => {
    let cells = 0;
    for (const route of PRIVATE) {
      for (const principal of principals) {
        const reply = await call(principal.keys, route);
        const allowed = mayCall(route.access as Exclude<Access, 'public'>, principal);
        const what = `${route.path} ${principal.permType} ${principal.permissions.join(' ')} -> ${reply.text}`;
        assert.equal(DENIALS.includes(reply.code), !allowed, what);
        if (!allowed) assertRefused(reply, /needs|only/, what);
        cells += 1;
      }
    }
    test.diagnostic(`${cells} cells of the permission matrix`);
  });

  it('every private route without a key, with an unknown one, a wrong signature, a wrong passphrase', async () => {
    const [{ keys }] = principals as [Principal];
    const unknown = { ...keys, apiKey: 'bk_nobody' };
    const forged = { ...keys, secretKey: 'wrong' };
    for (const route of PRIVATE) {
      assertRefused(await call(undefined, route), /ACCESS-KEY/, route.path);
      assertRefused(await call(unknown, route), /does not exist/, route.path);
      assertRefused(await call(forged, route), /signature/, route.path);
    }
    assertRefused(await call({ ...keys, passphrase: 'wrong' }, PRIVATE[0]!), /passphrase/, 'passphrase');
    assertRefused(
      await call({ ...keys, secretKey: `${keys.secretKey} ` }, PRIVATE[0]!),
      /signature/,
      'blank',
    );
  });

  it('a frozen user and an address that is not on the list, on every route', async () => {
    for (const route of PRIVATE) {
      assertRefused(await call(frozen, route), /frozen/, route.path);
      assertRefused(await call(elsewhere, route), /IP list/, route.path);
    }
  });

  it('a user without money is refused or sees nothing, never a fault of ours', async () => {
    for (const route of PRIVATE) {
      const reply = await call(stranger, route);
      assert.ok(reply.status < 500, `${route.path}: ${reply.text}`);
    }
    const client = new SignedClient(server.url, stranger);
    const placed = await client.post('/api/v3/trade/place-order', {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      price: '58000',
      qty: '0.01',
    });
    assertRefused(placed, /account|balance/, 'place-order');
    for (const path of ['cancel-order', 'modify-order']) {
      const reply = await client.post(`/api/v3/trade/${path}`, { orderId: '1000000000000000001', qty: '1' });
      assertRefused(reply, /./, path);
    }
    const swept = await client.post('/api/v3/trade/cancel-symbol-order', { category: 'SPOT' });
    assert.ok(swept.status < 500, swept.text);
    client.close();
  });

  it('no secret and no passphrase is in the log', () => {
    for (const { secretKey, passphrase } of [
      ...principals.map(({ keys }) => keys),
      frozen,
      stranger,
      elsewhere,
    ]) {
      assert.ok(!server.log().includes(secretKey));
      assert.ok(!server.log().includes(passphrase));
    }
  });
});
