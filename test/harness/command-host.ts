/**
 * A process that runs commands of `bourse` one after the other (`hosted-command.ts`), each as `src/bourse.ts` does: the
 * command line is loaded once.
 */
import { bourseProgram, FIRST_COMMAND, FORMER_NAMES } from '../../src/app/cli/bourse-program.ts';
import { runProgram } from '../../src/app/cli/command-line.ts';
import type { Ended } from './child-programs.ts';

export interface CommandRequest {
  readonly id: number;
  readonly args: readonly string[];
  /** Where it is run; that of the first command unless it is given. */
  readonly place?: CommandPlace;
}

export interface CommandPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface CommandReply {
  readonly id: number;
  readonly ended?: Ended;
  readonly error?: string;
}

/** What `process.exit` throws here: the end of the command and not of the process. */
class CommandEnd {}

const UMASK = process.umask();
const HERE: CommandPlace = { cwd: process.cwd(), env: process.env as Readonly<Record<string, string>> };
let last = Promise.resolve();
let stdout = '';
let stderr = '';
let output = '';

// What is written belongs to the command that runs.
process.stdout.write = (text: string | Uint8Array) => {
  stdout += text;
  output += text;
  return true;
};
process.stderr.write = (text: string | Uint8Array) => {
  stderr += text;
  output += text;
  return true;
};
process.exit = (code) => {
  if (code !== undefined) process.exitCode = code;
  throw new CommandEnd();
};
// Every command listens to them.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
process.on('message', ({ id, args, place = HERE }: CommandRequest) => {
  last = last.then(async () => {
    const reply: CommandReply = await ended(args, place).then(
      (done) => ({ id, ended: done }),
      (error: Error) => ({ id, error: error.stack ?? String(error) }),
    );
    process.send!(reply);
  });
});

async function ended(args: readonly string[], { cwd, env }: CommandPlace): Promise<Ended> {
  stdout = stderr = output = '';
  process.chdir(cwd);
  process.env = { ...env };
  process.argv = [...process.argv.slice(0, 2), ...args];
  process.exitCode = undefined;
  try {
    await runProgram(bourseProgram(), { formerNames: FORMER_NAMES, firstCommand: FIRST_COMMAND });
  } catch (error) {
    if (!(error instanceof CommandEnd)) throw error;
  } finally {
    process.umask(UMASK);
  }
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return { code, stdout, stderr, output };
}
