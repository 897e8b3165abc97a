/**
 * Starts the real server as users do: a child process, a fresh data directory, a free port. Its books are empty unless
 * the arguments turn the market on.
 */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ChildProgram, startProgram, startServerProgram } from './child-programs.ts';
import type { HeldWall } from './held-wall.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface DemoKeys {
  readonly name: string;
  readonly uid: number;
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
}

export interface ServerOptions {
  /** Kept when given; otherwise a temporary directory that `stop` removes. */
  readonly data?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The clock that signatures and limits go by; the machine's when it is left out. */
  readonly wall?: HeldWall;
  /** Another checkout whose server is started, for benchmarks that compare. */
  readonly checkout?: string;
  /** A guard against hanging, for programs that run longer on busier machines. */
  readonly startTimeoutMs?: number;
}

/** An exchange that answers, in whichever process. */
export interface TestServer {
  readonly url: string;
  readonly data: string;
  readonly accounts: readonly DemoKeys[];
  account(name: string): DemoKeys;
  /** A clean stop; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** kill -9, or what it leaves behind. */
  kill(): Promise<void>;
  /** What it has written to standard error so far; in a host also what others there have written since it was started. */
  log(): string;
}

/** One whose start is looked at. */
export interface LoggedServer extends TestServer {
  /** By its start. */
  replayedCommands(): number;
}

export interface RunningServer extends LoggedServer {
  readonly process: ChildProcess;
}

/** A guard against one that hangs; a busy machine may need most of a minute. */
const START_TIMEOUT_MS = 240_000;
/**
 * Books that the test fills itself. Beside a port that is given again the next one, which the operator would have, may be
 * taken meanwhile.
 */
const QUICK = ['--port', '0', '--market', 'off', '--operator-port', '0'];
/** A start writes three segments of zeros to the disk, 192 MiB of them without this setting. */
export const SMALL_SEGMENT_BYTES = '1048576';
const SMALL_SEGMENTS = ['--segment-bytes', SMALL_SEGMENT_BYTES];

export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const data = options.data ?? temporaryDirectory();
  const { checkout } = options;
  const flags = flagsOf(data, options.args);
  const place = { env: { ...process.env, ...options.env, ...options.wall?.env } };
  const program =
    checkout === undefined
      ? startServerProgram(flags, place)
      : startProgram([join(checkout, 'src/main.ts'), ...flags], place);
  const child = program.process;
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
  });
  const url = await listening(program, options.startTimeoutMs ?? START_TIMEOUT_MS);
  const accounts = readAccounts(data);
  return {
    url,
    data,
    process: child,
    accounts,
    account: (name) => accountIn(accounts, name),
    log: () => program.stderr,
    replayedCommands: () => Number(/"replayedCommands":(\d+)/.exec(program.stdout)![1]),
    async stop() {
      child.kill('SIGINT');
      const code = await exited;
      if (options.data === undefined) rmSync(data, { recursive: true, force: true });
      return code;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The flags of a server for tests, to which those of the test are added. */
export function flagsOf(data: string, args: readonly string[] = []): string[] {
  return ['--data', data, ...QUICK, ...SMALL_SEGMENTS, ...args];
}

/** The same for one that keeps nothing. */
export function memoryFlagsOf(args: readonly string[]): string[] {
  return ['--memory', ...QUICK, ...args];
}

export function accountIn(accounts: readonly DemoKeys[], name: string): DemoKeys {
  const found = accounts.find((account) => account.name === name);
  if (found === undefined) throw new Error(`no demo account ${name}`);
  return found;
}

export function readAccounts(data: string): DemoKeys[] {
  try {
    return JSON.parse(readFileSync(join(data, 'demo-accounts.json'), 'utf8')) as DemoKeys[];
  } catch {
    return [];
  }
}

function listening(program: ChildProgram, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}\n${program.stdout}\n${program.stderr}`));
    const timer = setTimeout(() => {
      fail('the server did not start in time');
      program.process.kill('SIGKILL');
    }, timeoutMs);
    program.process.once('exit', (code) => {
      clearTimeout(timer);
      fail(`the server ended with code ${code}`);
    });
    program.process.stdout!.on('data', () => {
      const match = /Listening on (http:\S+)/.exec(program.stdout);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match[1]!);
    });
  });
}
