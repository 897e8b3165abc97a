/**
 * Commands of `bourse` without a process for each: one other process runs those of a test process, which costs a tenth.
 * For tests of what a command does to an exchange; those of the program itself, its environment and its signals take
 * `bourse` of `test/app/bourse-process.ts`.
 */
import type { Ended, Place } from './child-programs.ts';
import type { CommandPlace, CommandReply, CommandRequest } from './command-host.ts';
import { HelperProcess } from './helper-process.ts';
import { programModule } from './program.ts';

const HOST = programModule('test/harness/command-host.ts');

let host: HelperProcess<CommandRequest, CommandReply> | undefined;

process.once('beforeExit', () => void host?.end());

/** The place is that of the first command. */
export async function hostedCommand(args: readonly string[], place: () => Place): Promise<Ended> {
  host ??= new HelperProcess(HOST, place());
  const { ended } = await host.ask({ id: host.newId(), args });
  return ended!;
}

/** Each in a place of its own. */
export async function hostedCommandIn(place: CommandPlace, args: readonly string[]): Promise<Ended> {
  host ??= new HelperProcess(HOST);
  const { ended } = await host.ask({ id: host.newId(), args, place });
  return ended!;
}
