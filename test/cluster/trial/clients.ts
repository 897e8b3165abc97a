/** Starts and stops the process of the clients. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { programUrl } from '../../harness/program.ts';
import type { DemoKeys } from '../../harness/server.ts';

export interface ClientSetup {
  readonly notes: string;
  readonly nodes: readonly string[];
  readonly accounts: readonly DemoKeys[];
  readonly httpSessions: number;
  /** Between two calls of a session, about. */
  readonly pauseMs: number;
  readonly seed: number;
}

export interface ClientOrders {
  readonly nodes?: readonly string[];
  readonly stop?: boolean;
}

export class Clients {
  readonly notes: string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown[]>;

  private constructor(setup: ClientSetup) {
    this.notes = setup.notes;
    const program = join(import.meta.dirname, 'client.ts');
    const stdio: StdioOptions = ['pipe', 'inherit', 'inherit', 'ipc'];
    const lifeline = programUrl('test/harness/parent-watchdog.ts');
    this.#process = spawn(process.execPath, ['--import', lifeline, program, JSON.stringify(setup)], {
      stdio,
    });
    this.#ended = once(this.#process, 'exit');
  }

  static async start(setup: ClientSetup): Promise<Clients> {
    const clients = new Clients(setup);
    await Promise.race([once(clients.#process, 'message'), clients.#ended]);
    clients.mustRun();
    return clients;
  }

  /** A trial without clients proves nothing. */
  mustRun(): void {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`the clients have ended with ${exitCode ?? signalCode}`);
  }

  /** They go to these from now on. */
  know(nodes: readonly string[]): void {
    this.#process.send({ nodes } satisfies ClientOrders);
  }

  /** Resolves when the last call is answered. */
  async stop(): Promise<void> {
    if (this.#process.exitCode === null) this.#process.send({ stop: true } satisfies ClientOrders);
    const [code] = await this.#ended;
    if (code !== 0) throw new Error(`the clients ended with code ${String(code)}`);
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}
