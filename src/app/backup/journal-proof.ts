/** Reads a copied log to its end; with a replay it also tells the state there. */
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
  /** A damaged snapshot is no obstacle: a start uses the one before it. */
  readonly asFound: boolean;
}

/** Throws LogDamaged, Diverged or BrokenCommand where the log cannot be read or carried out. */
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
