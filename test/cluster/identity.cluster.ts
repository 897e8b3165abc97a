/** Users and keys of several nodes on a real PostgreSQL server. */
import assert from 'node:assert/strict';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseAddress } from '../../src/cluster/postgres/address.ts';
import { type ClusterIdentity, importIdentity } from '../../src/cluster/postgres/cluster-identity.ts';
import { IdentityDamaged } from '../../src/identity/identity-damaged.ts';
import { FAILURES_MAX } from '../../src/identity/passphrase.ts';
import { RotationRefused } from '../../src/identity/rotation.ts';
import { openIdentity } from '../../src/identity/sqlite-identity.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { NO_SERVER, type PostgresServer, sharedServer } from '../postgres/server.ts';
import { IDENTITY_CONTRACT } from './identity-contract.ts';
import {
  announce,
  clusterDatabase,
  contentsOf,
  join,
  must,
  NOW,
  newKey,
  newUser,
  QUICK_SCRYPT,
} from './identity-nodes.ts';

describe('users and keys in one process', () => {
  const identity = openIdentity(temporaryDirectory(), { scryptCost: QUICK_SCRYPT });
  after(() => identity.close());
  for (const [what, holds] of Object.entries(IDENTITY_CONTRACT)) it(what, () => holds(identity));
});

describe('users and keys of several nodes', { skip: NO_SERVER }, () => {
  let server: PostgresServer;
  let address: DatabaseAddress;
  let keys: string;
  let a: ClusterIdentity;
  let b: ClusterIdentity;
  before(async () => {
    server = await sharedServer();
    address = await clusterDatabase(server);
    keys = temporaryDirectory();
    a = await join(address, 'a', keys);
    b = await join(address, 'b', keys);
    await announce(server, address, 'a', 'b');
  });
  after(async () => {
    await a.identity.close();
    await b.identity.close();
  });

  for (const [what, holds] of Object.entries(IDENTITY_CONTRACT)) it(what, () => holds(a.identity));

  it('are the same on every node, also on one that joins later', async () => {
    await b.refresh();
    assert.ok(a.version > 20);
    assert.equal(b.version, a.version);
    const c = await join(address, 'c', keys);
    assert.deepEqual(contentsOf(b.identity), contentsOf(a.identity));
    assert.deepEqual(contentsOf(c.identity), contentsOf(a.identity));
    assert.deepEqual(
      c.identity.fileKey('address.key', '').export(),
      a.identity.fileKey('address.key', '').export(),
    );
    await c.identity.close();
  });

  it('a deleted key or a frozen account works on no node when that is answered', async () => {
    const uid = await newUser(a.identity, 'mallory');
    for (let n = 0; n < 5; n++) {
      const apiKey = await newKey(a.identity, uid);
      assert.equal(b.identity.findKey(apiKey)?.frozen, false, 'a new key works everywhere when it is told');
      assert.equal(await b.identity.checkPassphrase(apiKey, 'passphrase1', NOW), 'ok');
      must(await b.identity.change((to) => to.setFrozen(uid, true, NOW)));
      assert.equal(a.identity.findKey(apiKey)!.frozen, true);
      must(await a.identity.change((to) => to.setFrozen(uid, false, NOW)));
      must(await a.identity.setPassphrase(apiKey, 'passphrase2'));
      assert.equal(await b.identity.checkPassphrase(apiKey, 'passphrase1', NOW), 'wrong');
      must(await a.identity.change((to) => to.deleteKey(apiKey)));
      assert.equal(b.identity.findKey(apiKey), undefined);
    }
  });

  it('waits two seconds for a node that does not follow, and no longer', async () => {
    await announce(server, address, 'asleep');
    const startMs = performance.now();
    await newUser(a.identity, 'slow');
    const tookMs = performance.now() - startMs;
    assert.ok(tookMs >= 2_000, `${tookMs} ms`);
    await server.run("DELETE FROM bourse_cluster.node WHERE name = 'asleep'", address.database);
  });

  it('two nodes that change at once have their changes in one order', async () => {
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, n) => {
        const { identity } = n % 2 === 0 ? a : b;
        return identity.change((to) => to.createUser({ name: `racer-${n % 10}`, nowMs: NOW }));
      }),
    );
    const uids = made.filter(({ ok }) => ok).map((each) => must(each).uid);
    assert.equal(uids.length, 10, 'each name once');
    assert.equal(new Set(uids).size, 10);
    await Promise.all([a.refresh(), b.refresh()]);
    assert.deepEqual(contentsOf(b.identity), contentsOf(a.identity));
  });

  it('a lock of a passphrase is told to the others', async () => {
    const apiKey = await newKey(a.identity, await newUser(a.identity, 'guessed'));
    assert.equal(await b.identity.checkPassphrase(apiKey, 'passphrase1', NOW), 'ok');
    for (let n = 0; n < FAILURES_MAX; n++) await a.identity.checkPassphrase(apiKey, `guess ${n}`, NOW);
    for (let n = 0; n < 100; n++) {
      if ((await b.identity.checkPassphrase(apiKey, 'passphrase1', NOW)) === 'locked') return;
      await sleep(10);
    }
    assert.fail('the other node never heard');
  });

  it('a node loads the store anew when the database has lost what it had applied', async () => {
    const lost = await newUser(a.identity, 'lost');
    await b.refresh();
    await server.run(
      `DELETE FROM bourse_cluster.identity_change WHERE version = ${a.version}`,
      address.database,
    );
    const uid = await newUser(b.identity, 'instead');
    assert.equal(uid, lost, 'nothing of the lost change is left');
    await Promise.all([a.refresh(), b.refresh()]);
    for (const { identity } of [a, b]) assert.equal(identity.findUserByName('lost'), undefined);
    assert.deepEqual(contentsOf(a.identity), contentsOf(b.identity));
  });

  it('an image takes the place of old changes, and nodes begin with it', async () => {
    const uid = await newUser(a.identity, 'busy');
    await server.run('UPDATE bourse_cluster.node SET seen = now() - interval $$1 h$$', address.database);
    const before = a.version;
    const locks = Array.from({ length: 200 }, (_, n) => n % 2 === 0);
    await Promise.all(locks.map((on) => a.identity.change(({ addresses }) => addresses.lock(uid, on))));
    assert.ok(a.version - before < 50, 'changes that wait together are one version');
    while (a.version < 100) await newUser(a.identity, `more-${a.version}`);
    const read = async () => {
      const [row] = await server.run(
        'SELECT max(version)::int AS version FROM bourse_cluster.identity_image',
        address.database,
      );
      return Number(row!.version);
    };
    for (let n = 0; (await read()) === 0 && n < 100; n++) await sleep(20);
    assert.ok((await read()) > 0);
    const c = await join(address, 'c', keys);
    await c.refresh();
    assert.deepEqual(contentsOf(c.identity), contentsOf(a.identity));
    await c.identity.close();
  });

  it('the key files of all nodes are the same, and no node changes them', async () => {
    assert.throws(() => a.identity.rotateKek(), RotationRefused);
    const others = temporaryDirectory();
    await assert.rejects(join(address, 'c', others), IdentityDamaged);
    cpSync(path(keys, 'identity.key'), path(others, 'identity.key'));
    const c = await join(address, 'c', others);
    assert.throws(
      () => c.identity.fileKey('address.key', 'restore it'),
      /address\.key is missing: restore it/,
    );
    await c.identity.close();
    writeFileSync(path(others, 'identity.key'), `kek-00000000 ${Buffer.alloc(32).toString('base64')}\n`, {
      mode: 0o600,
    });
    await assert.rejects(join(address, 'c', others), /does not hold the key that it held/);
  });

  it('nothing but a change writes, and a refused one makes no version', async () => {
    const before = a.version;
    const refused = await a.identity.change((to) => to.createUser({ name: 'busy', nowMs: NOW }));
    assert.equal(refused.ok, false);
    assert.equal(a.version, before);
    const direct = a.identity as unknown as { createUser(user: object): void };
    assert.throws(() => direct.createUser({ name: 'direct', nowMs: NOW }), /readonly/);
  });

  it('a store of one machine goes on in a cluster', async () => {
    const data = temporaryDirectory();
    const single = openIdentity(data, { scryptCost: QUICK_SCRYPT });
    single.fileKey('address.key', '');
    const apiKey = await newKey(single, await newUser(single, 'alice'));
    const { database } = single.image();
    const contents = contentsOf(single);
    await single.close();
    const elsewhere = await clusterDatabase(server);
    const client = new pg.Client({ connectionString: server.url(elsewhere.database) });
    await client.connect();
    await importIdentity(client, database);
    await assert.rejects(importIdentity(client, database));
    await client.end();
    rmSync(path(data, 'identity.sqlite'));
    const node = await join(elsewhere, 'a', data);
    assert.deepEqual(contentsOf(node.identity), contents);
    assert.equal(await node.identity.checkPassphrase(apiKey, 'passphrase1', NOW), 'ok');
    await node.identity.close();
  });
});
