/**
 * Advice after a poisoned command: one that the core cannot apply (reliability 2.2). It is the last of its journal: the
 * exchange stopped at it, no client received a success, and every start stops there again. An operator may skip it: a
 * record behind it says so, and every replay passes over it from then on.
 */
import { BOURSE } from '../../program-name.ts';
import { PoisonedCommand } from '../../sequencer/recovery-errors.ts';
import { DataDamaged } from '../exit-codes.ts';

/** Ends of journal and history: commands before them were applied when they were written. */
interface Extent {
  readonly lastSeq: number;
  readonly confirmedSeq: number;
}

/** Adds to the error of a start what the operator can do about it. */
export function explainPoisonedCommand(error: unknown, extent: Extent): unknown {
  if (!(error instanceof PoisonedCommand)) return error;
  const advice =
    skipObjection(error, extent) ??
    `no client received a success. A version without the defect carries it out; ` +
      `\`${BOURSE} skip-command ${error.seq}\` goes on without it`;
  return new DataDamaged(`${error.message}; ${advice}`, { cause: error });
}

/** Why the command may not be skipped; undefined when it may. */
export function skipObjection(
  { seq, command }: PoisonedCommand,
  { lastSeq, confirmedSeq }: Extent,
): string | undefined {
  if (seq < lastSeq || seq <= confirmedSeq) {
    return 'the program that wrote it carried it out, so this one is another: start the version that wrote the log';
  }
  if (command.type === 'tick') {
    return 'it only brings the time, so what is due then breaks, and would at the next tick: it needs another version';
  }
  return undefined;
}
