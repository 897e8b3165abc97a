/** Makes the tables of a cluster in an empty database, and tells whether a database has them. */
import type pg from 'pg';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

/** The database has another cluster, or one of a newer program. */
export class ClusterRefused extends Error {
  override readonly name = 'ClusterRefused';
}

/** Throws ClusterRefused when there is one already. */
export async function installCluster(client: pg.Client, keysFingerprint: Uint8Array): Promise<void> {
  await client.query('BEGIN');
  try {
    await installTables(client, keysFingerprint);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** The same within a transaction of the caller. */
export async function installTables(client: pg.Client, keysFingerprint: Uint8Array): Promise<void> {
  const { rows } = await client.query("SELECT to_regnamespace('bourse_cluster') IS NOT NULL AS there");
  if ((rows[0] as { there: boolean }).there)
    throw new ClusterRefused('the database has a cluster already: nodes join it with --cluster');
  await client.query(SCHEMA);
  const values = [SCHEMA_VERSION, keysFingerprint];
  await client.query(
    'INSERT INTO bourse_cluster.cluster (schema_version, keys_fingerprint) VALUES ($1, $2)',
    values,
  );
}
