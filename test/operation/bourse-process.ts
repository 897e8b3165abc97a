/** The real programs as child processes, each test with directories of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const TOOLS = fileURLToPath(new URL('../../src/bourse.ts', import.meta.url));
const READY_MAX_MS = 60_000;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const homes: string[] = [];

export function temporaryDirectory(): string {
  const home = mkdtempSync(join(tmpdir(), 'bourse-operation-'));
  homes.push(home);
  return home;
}

export function removeTemporaryDirectories(): void {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
}

/** The machine's own settings must not leak into a test. */
function cleanEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(BOURSE_|NO_COLOR|FORCE_COLOR|NODE_)/.test(name),
  );
  return { ...Object.fromEntries(kept), ...extra };
}

class Child {
  readonly process: ChildProcess;
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;

  constructor(program: string, args: readonly string[], { cwd, env }: Place) {
    this.process = spawn(process.execPath, [program, ...args], {
      cwd: cwd ?? temporaryDirectory(),
      env: cleanEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.process, 'close').then(([code]) => ({
      code: code as number | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }
}

/** `bourse ...`, to its end. */
export function bourse(args: readonly string[], place: Place = {}): Promise<Ended> {
  return new Child(TOOLS, args, place).ended;
}

/** A start that is expected to be refused, to its end. */
export function start(args: readonly string[], place: Place = {}): Promise<Ended> {
  return new Child(MAIN, args, place).ended;
}

export class Server {
  readonly #child: Child;
  url = '';

  private constructor(child: Child) {
    this.#child = child;
  }

  /** Resolves when the last line of the banner is there. */
  static async start(args: readonly string[], place: Place = {}): Promise<Server> {
    const child = new Child(MAIN, ['--port', '0', '--market', 'off', ...args], place);
    const server = new Server(child);
    const deadline = performance.now() + READY_MAX_MS;
    while (!/^Listening on .*\n/m.test(child.stdout)) {
      if (child.process.exitCode !== null || performance.now() > deadline) {
        child.process.kill('SIGKILL');
        throw new Error(`the server did not start:\n${child.stdout}${child.stderr}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    server.url = /^Listening on (\S+)$/m.exec(child.stdout)![1]!;
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
