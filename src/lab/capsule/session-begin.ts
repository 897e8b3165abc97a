/** Where a session begins: the state there, and the commands since. */
import { AdminError } from '../../admin/admin-error.ts';
import { Exchange } from '../../core/engine/exchange.ts';
import { loadState } from '../../core/snapshot/snapshot.ts';
import type { State } from '../../core/state/state.ts';
import type { JournalPast, LoggedRecord } from '../../journal/command-journal.ts';
import { effectiveCommands } from '../../sequencer/effective-commands.ts';
import { replaySession } from './replay-session.ts';

export interface SessionBegin {
  readonly seq: number;
  readonly state: State;
  readonly records: readonly LoggedRecord[];
}

/** A state that a replay can begin with. */
interface Base {
  readonly seq: number;
  readonly load: () => State;
}

/** A snapshot of the journal beside it may take away a segment that nothing needs any more: then it is read once more. */
export async function readAgain<Begin>(read: () => Begin | Promise<Begin>): Promise<Begin> {
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return read();
  }
}

/** As far back as the journal goes. */
export function fromOldest(past: JournalPast): SessionBegin {
  const { seq, load } = basesOf(past)[0]!;
  return { seq, state: load(), records: [...past.recordsAfter(seq)] };
}

/** Before the first command of that time or later; as far back as the journal goes when that is not so far. */
export async function fromTime(past: JournalPast, time: number): Promise<SessionBegin> {
  const bases = basesOf(past);
  const records = [...past.recordsAfter(bases[0]!.seq)];
  const after = (seq: number) => records.filter((record) => record.seq > seq);
  let seq = bases[0]!.seq;
  for (const { seq: at, command } of effectiveCommands(records)) {
    if (command.time >= time) break;
    seq = at;
  }
  const base = bases.findLast((each) => each.seq <= seq)!;
  const exchange = new Exchange(base.load());
  const before = after(base.seq).filter((record) => record.seq <= seq);
  for await (const _ of replaySession(exchange, before));
  return { seq, state: exchange.state, records: after(seq) };
}

export function fromSnapshot(
  past: JournalPast,
  { name, seq, state }: { readonly name: string; readonly seq: number; readonly state: Uint8Array },
): SessionBegin | AdminError {
  if (past.firstSeq > seq + 1)
    return new AdminError(
      'not_allowed',
      `commands since the snapshot ${name} are gone: it ends with command ${seq}, the log begins with ${past.firstSeq}; ` +
        'take a shorter time, or leave it out to get all that is there',
    );
  return { seq, state: loadState(state), records: [...past.recordsAfter(seq)] };
}

/** Oldest first; a journal that has its first record begins with nothing. */
function basesOf({ snapshots, firstSeq }: JournalPast): readonly Base[] {
  const saved = snapshots.map(({ seq, state }) => ({ seq, load: () => loadState(state) }));
  return firstSeq === 1 ? [{ seq: 0, load: () => new Exchange().state }, ...saved] : saved;
}
