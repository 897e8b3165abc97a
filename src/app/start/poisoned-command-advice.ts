/**
 * The way on after a command that breaks the exchange (reliability 2.2). It is the last of its log: the exchange
 * stopped at it, nobody was told that it succeeded, and every start comes to the same place. An operator may set it
 * aside: a record behind it says so, and every replay passes over it from then on.
 */
import { PoisonedCommand } from '../../sequencer/recovery.ts';
import { DataDamaged } from '../exit-codes.ts';

/** How far the log and the history go: what lies before was carried out when it was written. */
interface Extent {
  readonly lastSeq: number;
  readonly confirmedSeq: number;
}

/** A start that came to such a command says what can be done about it. */
export function explainPoisonedCommand(error: unknown, extent: Extent): unknown {
  if (!(error instanceof PoisonedCommand)) return error;
  const advice =
    skipObjection(error, extent) ??
    `nobody was told that it succeeded. A version that it does not break carries it out; ` +
      `\`npm run bourse -- set-aside ${error.seq}\` goes on without it`;
  return new DataDamaged(`${error.message}; ${advice}`, { cause: error });
}

/** Undefined when the command may be set aside. */
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
