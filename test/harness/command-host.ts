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
}

export interface CommandReply {
  readonly id: number;
  readonly ended?: Ended;
  readonly error?: string;
}

/** What `process.exit` throws here: the end of the command and not of the process. */
class CommandEnd {}

const UMASK = process.umask();
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
process.on('message', ({ id, args }: CommandRequest) => {
  last = last.then(async () => {
    const reply: CommandReply = await ended(args).then(
      (done) => ({ id, ended: done }),
      (error: Error) => ({ id, error: error.stack ?? String(error) }),
    );
    process.send!(reply);
  });
});

async function ended(args: readonly string[]): Promise<Ended> {
  stdout = stderr = output = '';
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
