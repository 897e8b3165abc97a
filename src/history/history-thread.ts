/** A history whose database has a thread of its own: disk and SQL do not hold up the exchange. */
import type { Worker } from 'node:worker_threads';
import { Threads } from '../storage/threads.ts';
import type { DatabaseLink, LinkListener } from './database-link.ts';
import type { FromDatabase, ToDatabase } from './database-messages.ts';

/** The first message to the thread of a database. */
export interface OpenDatabase<Start> {
  readonly type: 'open';
  readonly start: Start;
}

export class HistoryThread<Start> implements DatabaseLink {
  readonly #module: string;
  readonly #threads: Threads;
  readonly #worker: Worker;
  #ended = false;

  /** `module` is what the thread begins with, and `start` what it opens. */
  constructor(
    module: string,
    start: Start,
    { received, failed, ended }: LinkListener,
    threads = Threads.notKept(),
  ) {
    this.#module = module;
    this.#threads = threads;
    this.#worker = threads.take(module);
    this.#worker.on('message', (message: FromDatabase) => received(message));
    this.#worker.on('error', failed);
    this.#worker.on('exit', (code) => {
      this.#ended = true;
      ended(new Error(`the worker ended with code ${code}`));
    });
    const open: OpenDatabase<Start> = { type: 'open', start };
    this.#worker.postMessage(open);
  }

  post(message: ToDatabase, handedOver: readonly ArrayBuffer[]): void {
    this.#worker.postMessage(message, handedOver);
  }

  async end(): Promise<void> {
    if (!this.#ended) await this.#threads.give(this.#module, this.#worker);
  }

  async abandon(): Promise<void> {
    await this.#worker.terminate();
  }
}
