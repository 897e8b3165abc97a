/** The effective commands of a journal: a poisoned command that the next record skips is left out. */

import { decodeCommand, decodeNextCommand, skippedBy } from '../core/codec/command-codec.ts';
import type { Command } from '../core/model/command.ts';
import type { LoggedRecord } from '../journal/command-journal.ts';

export interface LoggedCommand {
  readonly seq: number;
  readonly command: Command;
}

export function* effectiveCommands(
  records: Iterable<LoggedRecord>,
  decode: (bytes: Uint8Array) => Command = decodeCommand,
): Generator<LoggedCommand> {
  let held: LoggedRecord | undefined;
  for (const record of records) {
    if (held !== undefined && skippedBy(record.payload) !== held.seq)
      yield { seq: held.seq, command: decode(held.payload) };
    held = record;
  }
  if (held !== undefined) yield { seq: held.seq, command: decode(held.payload) };
}

/** For a replay: each command is valid until the next. */
export function commandsToReplay(records: Iterable<LoggedRecord>): Generator<LoggedCommand> {
  return effectiveCommands(records, decodeNextCommand);
}
