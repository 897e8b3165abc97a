/** The real programs as child processes, each test with directories of its own. */
import {
  type ChildProgram,
  type Ended,
  startProgram,
  startServerProgram,
} from '../harness/child-programs.ts';
import { hostedCommand } from '../harness/hosted-command.ts';
import { programModule } from '../harness/program.ts';
import { SMALL_SEGMENT_BYTES } from '../harness/server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

export type { Ended };

const TOOLS = programModule('src/bourse.ts');
/** A guard against one that hangs; a busy machine may need most of a minute. */
const READY_MAX_MS = 240_000;

export interface Place {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The machine's own settings must not leak into a test. */
function cleanEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(BOURSE_|NO_COLOR|FORCE_COLOR|NODE_)/.test(name),
  );
  return { ...Object.fromEntries(kept), ...extra };
}

/** The server, unless another program is named. */
function child(args: readonly string[], { cwd, env }: Place, program?: string): ChildProgram {
  const place = { cwd: cwd ?? temporaryDirectory(), env: cleanEnvironment(env) };
  return program === undefined ? startServerProgram(args, place) : startProgram([program, ...args], place);
}

/** `bourse ...`, to its end. */
export function bourse(args: readonly string[], place: Place = {}): Promise<Ended> {
  return child(args, place, TOOLS).ended;
}

/** The same without a process of its own (`hosted-command.ts`). */
export function command(args: readonly string[]): Promise<Ended> {
  return hostedCommand(args, () => ({ cwd: temporaryDirectory(), env: cleanEnvironment() }));
}

/** A start that is expected to be refused, to its end. */
export function start(args: readonly string[], place: Place = {}): Promise<Ended> {
  return child(args, place).ended;
}

/** The same; an exchange that serves is killed, so that the test fails at once. */
export function refusedStart(args: readonly string[], place: Place = {}): Promise<Ended> {
  const started = child(args, place);
  started.process.stdout!.on('data', () => {
    if (/^Listening on .*\n/m.test(started.stdout)) started.process.kill('SIGKILL');
  });
  return started.ended;
}

export class Server {
  readonly #child: ChildProgram;
  url = '';

  private constructor(child: ChildProgram) {
    this.#child = child;
  }

  /** Resolves when the last line of the banner is there. A program that is named is started as it is, without hooks. */
  static async start(args: readonly string[], place: Place = {}, program?: string): Promise<Server> {
    const small = args.includes('--data') ? ['--segment-bytes', SMALL_SEGMENT_BYTES] : [];
    const started = child(['--port', '0', '--market', 'off', ...small, ...args], place, program);
    const server = new Server(started);
    const deadline = performance.now() + READY_MAX_MS;
    while (!/^Listening on .*\n/m.test(started.stdout)) {
      if (started.process.exitCode !== null || performance.now() > deadline) {
        started.process.kill('SIGKILL');
        throw new Error(`the server did not start:\n${started.stdout}${started.stderr}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    server.url = /^Listening on (\S+)$/m.exec(started.stdout)![1]!;
    return server;
  }

  get pid(): number {
    return this.#child.process.pid!;
  }

  get stdout(): string {
    return this.#child.stdout;
  }

  async end(signal: NodeJS.Signals): Promise<Ended> {
    this.#child.process.kill(signal);
    return this.#child.ended;
  }
}
