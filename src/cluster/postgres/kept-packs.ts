/**
 * Packs and snapshots beside the log. A node that finds that the database has lost packs leaves there those that it still has;
 * `bourse cluster repair` puts them back, and leaves there what it takes out of the log. Nothing here is ever deleted.
 */
import { createHash } from 'node:crypto';
import type { StoredPack } from '../engine.ts';
import type { SideConnection } from './side-connection.ts';

/** Made when they are needed. Two that do so at once wait for each other. */
export const KEPT_TABLES = `DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('bourse_cluster.kept'));
  CREATE TABLE IF NOT EXISTS bourse_cluster.kept_pack (LIKE bourse_cluster.pack, sha256 bytea NOT NULL,
    kept_by text NOT NULL, kept_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (no, chain, sha256));
  CREATE TABLE IF NOT EXISTS bourse_cluster.kept_snapshot (LIKE bourse_cluster.snapshot,
    kept_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (no, chain));
  CREATE TABLE IF NOT EXISTS bourse_cluster.kept_snapshot_part (no bigint, chain bytea, part int, body bytea NOT NULL,
    PRIMARY KEY (no, chain, part));
END $$`;

export const PACK_COLUMNS =
  'no, first_seq, commands, run, run_pack, confirmed, at, stamp, deadline, as_of, digest, duty, epoch, chain, body';

const KEEP = `INSERT INTO bourse_cluster.kept_pack (${PACK_COLUMNS}, sha256, kept_by)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT DO NOTHING`;

/** Leaves there what the log does not have any more; resolves with how many of these packs that are. */
export async function keepLostPacks(
  side: SideConnection,
  node: string,
  packs: readonly StoredPack[],
): Promise<number> {
  const [first] = packs;
  if (first === undefined) return 0;
  const rows = await side.query(
    'SELECT no, chain, sha256(body) AS sha256 FROM bourse_cluster.pack WHERE no >= $1',
    [first.no],
  );
  const [begin] = await side.query('SELECT min(no) AS first FROM bourse_cluster.pack');
  const stored = new Set(
    rows.map((row) => nameOf(Number(row.no), row.chain as Buffer, row.sha256 as Buffer)),
  );
  const lost = packs.filter(
    ({ no, chain, body }) =>
      // Those before the first are not lost: a snapshot has taken their place.
      no >= Number(begin?.first ?? 0) && !stored.has(nameOf(no, chain, sha256(body))),
  );
  if (lost.length === 0) return 0;
  await side.query(KEPT_TABLES);
  // On the disk of this server; its standby may be the reason of all this.
  await side.query('SET synchronous_commit = local');
  for (const { no, firstSeq, commands, run, runPack, confirmed, at, stamp, deadline, ...rest } of lost) {
    const { asOf, digest, duty, chain, body } = rest;
    const place = [no, firstSeq, commands, run, runPack, confirmed, at, stamp, deadline];
    await side.query(KEEP, [
      ...place,
      ...[asOf, digest, duty?.name, duty?.epoch, chain, body, sha256(body), node],
    ]);
  }
  return lost.length;
}

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

const nameOf = (no: number, chain: Uint8Array, hash: Buffer): string =>
  `${no} ${Buffer.from(chain).toString('hex')} ${hash.toString('hex')}`;
