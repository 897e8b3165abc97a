/** Reads a copied journal to its end and, with a replay, computes the state there. */
import { Exchange } from '../../core/engine/exchange.ts';
import { loadState } from '../../core/snapshot/snapshot.ts';
import { journalSettings } from '../../journal/journal-settings.ts';
import { NodeDisk } from '../../journal/node-disk.ts';
import { recover } from '../../journal/recovery.ts';
import { effectiveCommands } from '../../sequencer/effective-commands.ts';
import { applyLogged } from '../../sequencer/recovery.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import { DataDamaged } from '../exit-codes.ts';
import { ReadOnlyDisk } from '../verify/read-only-disk.ts';
import type { Moment } from './manifest.ts';

interface ProofOptions {
  readonly withHash: boolean;
  /** A damaged snapshot is accepted: a start uses the one before it. */
  readonly asFound: boolean;
}

/** Throws JournalDamaged, ReplayDivergence or PoisonedCommand where the journal cannot be read or replayed. */
export function provenEnd(directory: string, { withHash, asFound }: ProofOptions): Moment {
  const { snapshot, records, report } = recover(new ReadOnlyDisk(new NodeDisk(directory)), journalSettings());
  const [damaged] = report.damagedSnapshots;
  if (damaged !== undefined && !asFound)
    throw new DataDamaged(`${damaged.file}: ${damaged.reason}. A start sets it aside and makes a new one`);
  if (!withHash) return { seq: report.lastSeq, time: 0, stateHash: null };
  const exchange = new Exchange(snapshot === undefined ? undefined : loadState(snapshot.state));
  for (const { seq, command } of effectiveCommands(records)) {
    applyLogged(exchange, seq, command);
    exchange.takeEvents();
  }
  return { seq: report.lastSeq, time: exchange.state.now, stateHash: stateHash(exchange.state) };
}
