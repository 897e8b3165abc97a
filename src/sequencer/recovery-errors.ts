/** Why a recovery ends: apart from the core, so that a program that only names these errors does not load it. */
import type { Command } from '../core/model/command.ts';

/** History and journal do not meet: the records between them would be missing for ever. */
export class HistoryGap extends Error {
  override name = 'HistoryGap';
}

/** A journaled command that the core cannot apply: a defect of this program, or of the one that wrote the journal. */
export class PoisonedCommand extends Error {
  override name = 'PoisonedCommand';
  readonly seq: number;
  readonly command: Command;

  constructor(seq: number, command: Command, cause: Error) {
    super(`command ${seq} (${command.type}) of the log cannot be carried out: ${cause.message}`, { cause });
    this.seq = seq;
    this.command = command;
  }
}
