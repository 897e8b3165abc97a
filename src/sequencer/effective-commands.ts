/** The effective commands of a journal: a poisoned command that the next record skips is left out. */

import { decodeCommand } from '../core/codec/command-codec.ts';
import type { Command } from '../core/model/command.ts';
import type { LoggedRecord } from '../journal/command-journal.ts';

export interface LoggedCommand {
  readonly seq: number;
  readonly command: Command;
}

export function* effectiveCommands(records: Iterable<LoggedRecord>): Generator<LoggedCommand> {
  let held: LoggedCommand | undefined;
  for (const { seq, payload } of records) {
    const command = decodeCommand(payload);
    const skipCommand = command.type === 'skipCommand' && command.seq === held?.seq;
    if (held !== undefined && !skipCommand) yield held;
    held = { seq, command };
  }
  if (held !== undefined) yield held;
}
