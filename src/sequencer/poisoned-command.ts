import type { Command } from '../core/model/command.ts';

/** A command of the log that the exchange cannot carry out: a defect of this program, or of the one that wrote the log. */
export class PoisonedCommand extends Error {
  override name = 'BrokenCommand';
  readonly seq: number;
  readonly command: Command;

  constructor(seq: number, command: Command, cause: Error) {
    super(`command ${seq} (${command.type}) of the log cannot be carried out: ${cause.message}`, { cause });
    this.seq = seq;
    this.command = command;
  }
}
