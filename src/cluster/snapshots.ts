/**
 * Snapshots in the database: whole ones, of which new nodes begin with the newest. Two stay, and the packs after the older.
 * Packs are deleted in batches; a cluster that wants to keep them for ever copies them before (`bourse cluster export`).
 */
import { createHash } from 'node:crypto';
import { loadState, saveState } from '../core/snapshot/snapshot.ts';
import type { State } from '../core/state/state.ts';
import type { SideConnection } from './postgres/side-connection.ts';
import type { LogPosition } from './shared-log.ts';

const PART_BYTES = 8 * 1024 * 1024;
const KEPT = 2;
const STRIP_PACKS = 5_000;

export interface LoadedSnapshot {
  readonly position: LogPosition;
  readonly state: State;
}

/** The newest whole one that can be read; undefined when there is none. */
export async function loadSnapshot(
  side: SideConnection,
  damaged: (no: number, reason: string) => void,
): Promise<LoadedSnapshot | undefined> {
  const rows = await side.query(
    'SELECT no, next_seq, chain, time, sha256 FROM bourse_cluster.snapshot WHERE whole ORDER BY no DESC',
  );
  for (const row of rows) {
    const no = Number(row.no);
    const parts = await side.query(
      'SELECT body FROM bourse_cluster.snapshot_part WHERE no = $1 ORDER BY part',
      [no],
    );
    const bytes = Buffer.concat(parts.map(({ body }) => body as Buffer));
    if (
      !createHash('sha256')
        .update(bytes)
        .digest()
        .equals(row.sha256 as Buffer)
    ) {
      damaged(no, 'its checksum does not match');
      continue;
    }
    const { next_seq: nextSeq, chain, time } = row;
    const position = { no, nextSeq: Number(nextSeq), chain: chain as Buffer, time: Number(time) };
    return { position, state: loadState(bytes) };
  }
  return undefined;
}

/** Writes the state after a pack; it counts when the history has passed it. */
export async function writeSnapshot(
  side: SideConnection,
  { no, nextSeq, chain, time }: LogPosition,
  state: State,
): Promise<void> {
  const bytes = saveState(state);
  const sha256 = createHash('sha256').update(bytes).digest();
  await side.query('DELETE FROM bourse_cluster.snapshot WHERE no = $1 AND NOT whole', [no]);
  const made = await side.query(
    `INSERT INTO bourse_cluster.snapshot (no, next_seq, chain, time, edition, bytes, sha256, whole)
      VALUES ($1, $2, $3, $4, $5, $6, $7, false) ON CONFLICT DO NOTHING RETURNING no`,
    [no, nextSeq, chain, time, state.edition, bytes.length, sha256],
  );
  if (made.length === 0) return;
  for (let part = 0; part * PART_BYTES < bytes.length; part++)
    await side.query('INSERT INTO bourse_cluster.snapshot_part (no, part, body) VALUES ($1, $2, $3)', [
      no,
      part,
      bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
    ]);
}

/** Snapshots that the history has passed count from now on; older ones go, and the packs before them. Returns how many packs. */
export async function finishSnapshots(side: SideConnection, historySeq: number): Promise<number> {
  // Whoever deletes packs must not do so on a server that has been replaced: this waits for the standby.
  await side.query(
    `WITH safe AS (SELECT set_config('synchronous_commit', 'on', true))
      UPDATE bourse_cluster.snapshot s SET whole = true FROM safe WHERE NOT whole AND next_seq - 1 <= $1
        AND bytes = (SELECT sum(length(body)) FROM bourse_cluster.snapshot_part p WHERE p.no = s.no)`,
    [historySeq],
  );
  const kept = await side.query(
    `SELECT no FROM bourse_cluster.snapshot WHERE whole ORDER BY no DESC LIMIT ${KEPT}`,
  );
  if (kept.length < KEPT) return 0;
  const oldest = Number(kept.at(-1)!.no);
  await side.query('DELETE FROM bourse_cluster.snapshot WHERE no < $1', [oldest]);
  return deletePacks(side, oldest);
}

/** Up to the pack after which the oldest snapshot begins; that one stays, for its chain. */
async function deletePacks(side: SideConnection, before: number): Promise<number> {
  let deleted = 0;
  for (;;) {
    const [row] = await side.query('SELECT min(no) AS first FROM bourse_cluster.pack');
    if (row?.first === null || row?.first === undefined || Number(row.first) >= before) return deleted;
    const end = Math.min(before, Number(row.first) + STRIP_PACKS);
    await side.query('DELETE FROM bourse_cluster.pack WHERE no < $1', [end]);
    deleted += end - Number(row.first);
  }
}
