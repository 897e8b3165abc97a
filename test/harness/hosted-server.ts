/**
 * An exchange of its own for a test file, without a process of its own: all those of a test process live in one other
 * process, which costs a fifth of a start each. For tests that do not read the server's output, send it signals or change
 * its code; those take `startServer`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { HostReply, HostRequest } from './exchange-host.ts';
import {
  accountIn,
  flagsOf,
  readAccounts,
  type ServerOptions,
  startServer,
  type TestServer,
} from './server.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { until } from './until.ts';

const HOST = new URL('./exchange-host.ts', import.meta.url);
const LIFELINE = new URL('./lifeline.ts', import.meta.url).href;

/** The process behind the servers; it keeps the test process alive only while an answer is awaited. */
class Host {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: HostReply) => void>();
  #output = '';
  #requests = 0;

  constructor() {
    const stdio = ['pipe', 'pipe', 'pipe', 'ipc'] as const;
    this.#child = spawn(process.execPath, ['--import', LIFELINE, HOST.pathname], { stdio: [...stdio] });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
    this.#child.on('message', (reply: HostReply) => {
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
      if (this.#waiting.size === 0) this.#child.channel?.unref();
    });
    this.#child.once('exit', (code) => {
      for (const [id, tell] of this.#waiting) tell({ id, error: `the host ended with code ${code}` });
      this.#waiting.clear();
    });
    this.#child.unref();
    this.#child.channel!.unref();
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      (pipe as unknown as { unref(): void }).unref();
    }
  }

  newId(): number {
    return this.#requests++;
  }

  async ask(request: HostRequest): Promise<string> {
    const reply = await new Promise<HostReply>((resolve) => {
      this.#waiting.set(request.id, resolve);
      this.#child.channel?.ref();
      this.#child.send(request, (error) => {
        if (error !== null) resolve({ id: request.id, error: error.message });
      });
    });
    if (reply.error !== undefined) throw new Error(`${reply.error}\n${this.#output.slice(-10_000)}`);
    return reply.url!;
  }

  /** Does something while no thread of the process runs. */
  async paused(work: () => void): Promise<void> {
    const { pid } = this.#child;
    this.#child.kill('SIGSTOP');
    try {
      await until('every thread stopped', () =>
        readdirSync(`/proc/${pid}/task`).every((thread) => isStopped(`/proc/${pid}/task/${thread}/stat`)),
      );
      work();
    } finally {
      this.#child.kill('SIGCONT');
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.ref();
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

function isStopped(file: string): boolean {
  const text = readFileSync(file, 'latin1');
  // The name of the thread may hold anything; its state follows the last bracket.
  return text[text.lastIndexOf(')') + 2] === 'T';
}

let host: Host | undefined;

process.once('beforeExit', () => void host?.end());

export async function startHosted(options: Omit<ServerOptions, 'env' | 'wall'> = {}): Promise<TestServer> {
  if (process.platform !== 'linux') return startServer(options);
  host ??= new Host();
  const here = host;
  const data = options.data ?? temporaryDirectory();
  const id = here.newId();
  const url = await here.ask({ id, start: flagsOf(data, options.args) });
  const accounts = readAccounts(data);
  return {
    url,
    data,
    accounts,
    account: (name) => accountIn(accounts, name),
    async stop() {
      await here.ask({ id });
      if (options.data === undefined) rmSync(data, { recursive: true, force: true });
      return 0;
    },
    /** The files as they stand while everything is stopped are what kill -9 would leave; what comes after is undone. */
    async kill() {
      const left = `${data}.killed`;
      await here.paused(() => cpSync(data, left, { recursive: true }));
      await here.ask({ id });
      rmSync(data, { recursive: true });
      renameSync(left, data);
    },
  };
}
