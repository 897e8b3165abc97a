/** Programs as children of a test that do not outlive it (`parent-watchdog.ts`). */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programModule, programUrl, SOURCE_LINES } from './program.ts';

const LIFELINE = programUrl('test/harness/parent-watchdog.ts');
const MAIN = programModule('src/main.ts');
const TEST_SERVER = programModule('test/harness/test-server.ts');
const IN_TEST = process.env.NODE_TEST_CONTEXT !== undefined;
/** As large from the beginning as it would grow: collecting a small one again and again is a tenth of a start. */
const YOUNG_HEAP: readonly string[] = IN_TEST ? ['--min-semi-space-size=16'] : [];
const PIPES = ['pipe', 'pipe', 'pipe'] as const;

export interface Place {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, as they came. */
  readonly output: string;
}

export class ChildProgram {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';
  output = '';

  constructor(process: ChildProcess) {
    this.process = process;
    process.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.output += text;
    });
    process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.output += text;
    });
    this.ended = once(process, 'close').then(([code]) => {
      const { stdout, stderr, output } = this;
      return { code: code as number | null, stdout, stderr, output };
    });
  }
}

/** As the launcher does it; here already for what is loaded before the program. */
const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'node-compile-cache');

/** A program of Node. */
export function startProgram(args: readonly string[], place: Place): ChildProgram {
  return new ChildProgram(spawnNode(args, place, [...PIPES]));
}

/** The server: a benchmark measures it as it is, a test neither the disk nor scrypt (`test-server.ts`). */
export function startServerProgram(args: readonly string[], place: Place): ChildProgram {
  if (!IN_TEST) return startProgram([MAIN, ...args], place);
  return new ChildProgram(spawnAlone([TEST_SERVER, ...args], place, [...PIPES]));
}

export function spawnNode(args: readonly string[], place: Place, stdio: StdioOptions): ChildProcess {
  return spawnAlone(['--import', LIFELINE, ...args], place, stdio);
}

function spawnAlone(
  args: readonly string[],
  { cwd, env = process.env }: Place,
  stdio: StdioOptions,
): ChildProcess {
  const all = [...SOURCE_LINES, ...YOUNG_HEAP, ...args];
  return spawn(process.execPath, all, { cwd, env: { NODE_COMPILE_CACHE, ...env }, stdio });
}

/** Waits in the group for the end of the pipe, then ends the group; the command itself has an empty input. */
const GROUP = 'exec 3<&0 </dev/null; { cat <&3; kill -KILL 0; } >/dev/null 2>&1 & exec "$@" 3<&-';

/** Any other command, with whatever it starts: all of it ends when the command does, or before it with the test. */
export function startCommand(command: string, args: readonly string[], place: Place): ChildProgram {
  const all = ['-c', GROUP, command, command, ...args];
  return new ChildProgram(spawn('bash', all, { ...place, stdio: [...PIPES], detached: true }));
}
