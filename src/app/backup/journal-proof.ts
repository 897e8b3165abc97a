/** Reads a copied journal to its end and, with a replay, computes the state there. */
import { Exchange } from '../../core/engine/exchange.ts';
import { loadState } from '../../core/snapshot/snapshot.ts';
import type { Disk } from '../../journal/disk.ts';
import { snapshotName, snapshotSeqs } from '../../journal/file-names.ts';
import { journalSettings } from '../../journal/journal-settings.ts';
import { NodeDisk } from '../../journal/node-disk.ts';
import { recover } from '../../journal/recovery.ts';
import { continues, readSegmentHeaders } from '../../journal/segment-files.ts';
import { readSnapshotFile } from '../../journal/snapshot-file.ts';
import { commandsToReplay } from '../../sequencer/effective-commands.ts';
import { applyLogged } from '../../sequencer/recovery.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import { ReadOnlyDisk } from '../data/read-only-disk.ts';
import { DataDamaged } from '../exit-codes.ts';
import type { Moment } from './manifest.ts';

interface ProofOptions {
  readonly withHash: boolean;
  /** A damaged snapshot is accepted: a start uses the one before it. */
  readonly asFound: boolean;
}

/** Throws JournalDamaged, ReplayDivergence or PoisonedCommand where the journal cannot be read or replayed. */
export function provenEnd(directory: string, { withHash, asFound }: ProofOptions): Moment {
  const disk = new NodeDisk(directory);
  const hidden = asFound ? [] : unneededSnapshots(disk);
  const { snapshot, records, report } = recover(new ReadOnlyDisk(disk, hidden), journalSettings());
  if (!withHash) return { seq: report.lastSeq, time: 0, stateHash: null };
  const exchange = new Exchange(snapshot === undefined ? undefined : loadState(snapshot.state));
  exchange.suppressEvents = true;
  for (const { seq, command } of commandsToReplay(records)) {
    applyLogged(exchange, seq, command);
    exchange.takeEvents();
  }
  return { seq: report.lastSeq, time: exchange.state.now, stateHash: stateHash(exchange.state) };
}

/**
 * Snapshots without which all of the log is read, from the first command or the oldest snapshot on, as `bourse verify`
 * will read it. Refuses one that is damaged, and one that the segments do not continue.
 */
function unneededSnapshots(disk: Disk): string[] {
  const [first] = readSegmentHeaders(disk);
  const seqs = snapshotSeqs(disk.list());
  if (first === undefined) throw new DataDamaged('the copied log has no segment');
  for (const seq of seqs) {
    const found = readSnapshotFile(disk, seq, first.instanceId);
    if (typeof found === 'string')
      throw new DataDamaged(`${snapshotName(seq)}: ${found}. A start sets it aside and makes a new one`);
    if (!continues(first, seq))
      throw new DataDamaged(
        `the copied log begins at command ${first.firstSeq}, which does not continue ${snapshotName(seq)}`,
      );
  }
  return seqs.slice(first.firstSeq === 1 ? 0 : 1).map(snapshotName);
}
