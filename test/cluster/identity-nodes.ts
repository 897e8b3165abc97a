/** Nodes that share users and keys on a real server. */
import assert from 'node:assert/strict';
import pg from 'pg';
import type { DatabaseAddress } from '../../src/cluster/postgres/address.ts';
import { type ClusterIdentity, openClusterIdentity } from '../../src/cluster/postgres/cluster-identity.ts';
import { installCluster } from '../../src/cluster/postgres/install.ts';
import type { Identity, IdentityResult } from '../../src/identity/identity.ts';
import { PostgresServer, ROLE } from '../postgres/server.ts';

export const NOW = 1_700_000_000_000;
export const QUICK_SCRYPT = { N: 1024, r: 8, p: 1 };

/** A database with the tables of a cluster. */
export async function clusterDatabase(server: PostgresServer): Promise<DatabaseAddress> {
  const database = await server.createDatabase();
  const client = new pg.Client({ connectionString: server.url(database) });
  await client.connect();
  await installCluster(client, Buffer.alloc(32));
  await client.end();
  return { hosts: [{ host: '127.0.0.1', port: server.port }], user: ROLE, password: undefined, database };
}

/** The same, with a second server that every commit waits for. */
export async function withStandby() {
  const primary = await PostgresServer.start({ durable: true });
  const address = await clusterDatabase(primary);
  const standby = await primary.standby('second');
  await primary.run("ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (second)'");
  await primary.run('SELECT pg_reload_conf()');
  return { primary, standby, address };
}

export function join(
  address: DatabaseAddress,
  node: string,
  keysDirectory: string,
): Promise<ClusterIdentity> {
  return openClusterIdentity({
    address,
    node,
    keysDirectory,
    keyFiles: ['address.key'],
    onFailure: assert.ifError,
    scryptCost: QUICK_SCRYPT,
    imageEvery: 100,
  });
}

/** The rows that nodes write each second, for an hour. */
export async function announce(server: PostgresServer, { database }: DatabaseAddress, ...names: string[]) {
  for (const name of names)
    await server.run(
      `INSERT INTO bourse_cluster.node (name, run, role, url, version, edition_max, applied, applied_seq, digest, identity_seen, seen)
       VALUES ('${name}', 1, 'node', '', '', 1, 0, 0, 0, 0, now() + interval '1 hour')`,
      database,
    );
}

export function must<Value>(result: IdentityResult<Value>): Value {
  assert.ok(result.ok, result.ok ? '' : result.message);
  return result.value;
}

export async function newUser(identity: Identity, name: string): Promise<number> {
  return must(await identity.change((to) => to.createUser({ name, nowMs: NOW }))).uid;
}

export async function newKey(identity: Identity, uid: number, passphrase = 'passphrase1') {
  const made = await identity.createKey({
    uid,
    label: '',
    permType: 'read_write',
    permissions: ['uta_trade'],
    passphrase,
    nowMs: NOW,
  });
  return must(made).key.apiKey;
}

/** Everything but the bytes' own order: the image of SQLite depends on when pages were made. */
export function contentsOf(identity: Identity): unknown {
  const users = identity.listUsers();
  return {
    mark: identity.mark,
    users: users.map((user) => ({
      user,
      locked: identity.addresses.isLocked(user.uid),
      addresses: identity.addresses.list(user.uid, { limit: 1_000 }),
      quotas: [identity.partyQuota(user.uid, 'spot'), identity.partyQuota(user.uid, 'futures')],
      keys: identity
        .listKeys(user.uid)
        .map((key) => ({ key, secret: identity.findKey(key.apiKey)!.verifier.export().toString() })),
    })),
  };
}
