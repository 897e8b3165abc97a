/**
 * Starts the real server as users do: a child process, a fresh data directory, a free port. Its books are empty unless
 * the arguments turn the market on.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
}

export interface RunningServer {
  readonly url: string;
  readonly data: string;
  readonly process: ChildProcess;
  readonly accounts: readonly DemoKeys[];
  account(name: string): DemoKeys;
  /** What it has written to standard error so far. */
  log(): string;
  /** Ctrl-C; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** kill -9. */
  kill(): Promise<void>;
}

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const START_TIMEOUT_MS = 30_000;

export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const data = options.data ?? mkdtempSync(join(tmpdir(), 'bourse-test-'));
  const args = [MAIN, '--data', data, '--port', '0', '--market', 'off', ...(options.args ?? [])];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  });
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
  });
  const url = await listening(child, () => stderr);
  const accounts = readAccounts(data);
  return {
    url,
    data,
    process: child,
    accounts,
    account(name) {
      const found = accounts.find((account) => account.name === name);
      if (found === undefined) throw new Error(`no demo account ${name}`);
      return found;
    },
    log: () => stderr,
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

function readAccounts(data: string): DemoKeys[] {
  try {
    return JSON.parse(readFileSync(join(data, 'demo-accounts.json'), 'utf8')) as DemoKeys[];
  } catch {
    return [];
  }
}

function listening(child: ChildProcess, stderr: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    const fail = (why: string) => reject(new Error(`${why}\n${stdout}\n${stderr()}`));
    const timer = setTimeout(() => fail('the server did not start in time'), START_TIMEOUT_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`the server ended with code ${code}`);
    });
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      const match = /Listening on (http:\S+)/.exec(stdout);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match[1]!);
    });
  });
}
