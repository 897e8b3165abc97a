/**
 * A second state from the journal: the newest snapshot and the records after it, applied again. It makes the next
 * snapshot beside the exchange, and each time it proves that a replay comes to the state that the exchange has.
 */
import { Exchange } from '../core/engine/exchange.ts';
import { ReplayDivergence } from '../core/model/replay-divergence.ts';
import { loadState, saveState } from '../core/snapshot/snapshot.ts';
import type { Disk } from '../journal/disk.ts';
import { readJournal } from '../journal/journal-reader.ts';
import { saveSnapshotAndTrim } from '../journal/snapshot-retention.ts';
import { commandsToReplay } from './effective-commands.ts';
import { applyLogged } from './recovery.ts';

/** The exchange after a command that is durable: its sequence number, and the digest of all results up to it. */
export interface ReplicaTarget {
  readonly seq: number;
  readonly digest: number;
  /** Kept with the snapshot. */
  readonly note?: Uint8Array | undefined;
}

/** Throws ReplayDivergence or PoisonedCommand when the replay comes to another state, JournalDamaged, or as the disk does. */
export function saveByReplica(disk: Disk, { seq, digest, note }: ReplicaTarget): void {
  const { instanceId, snapshot, records } = readJournal(disk, seq);
  const exchange = snapshot === undefined ? new Exchange() : new Exchange(loadState(snapshot.state));
  exchange.suppressEvents = true;
  for (const { seq: at, command } of commandsToReplay(records)) {
    applyLogged(exchange, at, command);
    exchange.takeEvents();
  }
  const { value } = exchange.state.digest;
  if (value !== digest)
    throw new ReplayDivergence(
      `the replica's digest after command ${seq} is ${value}, the exchange's was ${digest}`,
    );
  saveSnapshotAndTrim(disk, instanceId, { seq, state: saveState(exchange.state), note });
}
