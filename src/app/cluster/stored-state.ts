/** The state of a cluster's exchange, in its database: where a log begins that goes on from an imported one. */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { FIRST_CHAIN } from '../../cluster/pack.ts';
import { saveState } from '../../core/snapshot/snapshot.ts';
import type { State } from '../../core/state/state.ts';

const PART_BYTES = 8 * 1024 * 1024;

/**
 * A snapshot before the first pack, and a pack 0 without commands: the first pack of a node follows it, so that sequence
 * numbers go on.
 */
export async function writeBeginning(client: pg.Client, state: State, lastSeq: number): Promise<void> {
  const bytes = saveState(state);
  const sha256 = createHash('sha256').update(bytes).digest();
  await client.query(
    `INSERT INTO bourse_cluster.pack (no, first_seq, commands, run, run_pack, confirmed, at, stamp, deadline, as_of, digest,
      chain, body) VALUES (0, $1, 0, 0, 0, 0, 0, 0, 0, 0, 0, $2, '')`,
    [lastSeq + 1, FIRST_CHAIN],
  );
  await client.query(
    `INSERT INTO bourse_cluster.snapshot (no, next_seq, chain, time, edition, bytes, sha256, whole)
      VALUES (0, $1, $2, $3, $4, $5, $6, true)`,
    [lastSeq + 1, FIRST_CHAIN, state.now, state.edition, bytes.length, sha256],
  );
  for (let part = 0; part * PART_BYTES < bytes.length; part++)
    await client.query('INSERT INTO bourse_cluster.snapshot_part (no, part, body) VALUES (0, $1, $2)', [
      part,
      bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
    ]);
}
