/** Opens users and keys of a cluster: the node's copy of the store, which follows the changes of all nodes. */
import type pg from 'pg';
import type { Identity } from '../../identity/identity.ts';
import { IDENTITY_SCHEMA_VERSION } from '../../identity/identity-schema.ts';
import type { ScryptCost } from '../../identity/passphrase.ts';
import { newStoreContents, openIdentityCopy } from '../../identity/sqlite-identity.ts';
import { inMemory } from '../../storage/memory-database.ts';
import type { DatabaseAddress } from './address.ts';
import { IdentityOrder } from './identity-order.ts';

export interface ClusterIdentityOptions {
  readonly address: DatabaseAddress;
  /** The node's name in the table of nodes. */
  readonly node: string;
  /** Has `identity.key` and the files below, the same on every node. */
  readonly keysDirectory: string;
  /** Other key files that the store knows by their fingerprints, such as `address.key`. */
  readonly keyFiles: readonly string[];
  /** The copy cannot be made right; the node must stop. */
  readonly onFailure: (error: Error) => void;
  /** The cost of new passphrase hashes. */
  readonly scryptCost?: ScryptCost;
  /** Versions between two images, at least. */
  readonly imageEvery?: number;
}

export interface ClusterIdentity {
  /** Its `close` ends everything here. */
  readonly identity: Identity;
  /** For `identity_seen` in the node's row, each second; it is written there at once as well when it grows. */
  readonly version: number;
  /**
   * Milliseconds since the copy was known to be the newest. From 2,000 on a node must answer nothing that needs a key: other
   * nodes have stopped waiting for it.
   */
  ageMs(): number;
  /**
   * Resolves when the copy has everything that was made before the call. To be called when the node's row is in the table and
   * before it serves: until then nobody waits for it. Throws ConnectionLost.
   */
  refresh(): Promise<void>;
}

/**
 * The first node of a cluster founds the store, and creates key files that are missing; every other must have the same. Throws
 * ConnectionLost, ClusterRefused, IdentityDamaged, ExposedToOthers.
 *
 * Changes are answered when every node that was `seen` within two seconds has `identity_seen` at their version, or two seconds
 * later. A node without users and keys writes `Number.MAX_SAFE_INTEGER` there. The version of the database takes the place of
 * marks in the log: `onChanged` is never called, and a node writes none (no `IdentityMarkWriter`).
 */
export async function openClusterIdentity(options: ClusterIdentityOptions): Promise<ClusterIdentity> {
  const { address, node, keysDirectory, keyFiles, onFailure, scryptCost, imageEvery } = options;
  const order = new IdentityOrder(address, node, onFailure, imageEvery);
  let identity: Identity | undefined;
  try {
    await order.connect();
    if ((await order.image()) === undefined)
      await order.found(await newStoreContents(keysDirectory, keyFiles));
    const image = await order.image();
    if (image === undefined) throw new Error('the database has not kept the image of users and keys');
    identity = openIdentityCopy({
      keysDirectory,
      contents: image.body,
      order: (copy) => order.follow(copy, image),
      scryptCost,
    });
    await order.refresh();
  } catch (error) {
    await (identity === undefined ? order.close() : identity.close());
    throw error;
  }
  return {
    identity,
    get version() {
      return order.version;
    },
    ageMs: () => order.ageMs(),
    refresh: () => order.refresh(),
  };
}

/** Makes the contents of a store, as `Identity.image()` has them, those of a cluster that has none. Throws when it has. */
export async function importIdentity(client: pg.Client, contents: Uint8Array): Promise<void> {
  await client.query('INSERT INTO bourse_cluster.identity_image VALUES (0, gen_random_uuid(), $1, $2)', [
    IDENTITY_SCHEMA_VERSION,
    inMemory(contents),
  ]);
}
