/** A history whose database has a thread of its own: disk and SQL do not hold up the exchange. */
import { Worker } from 'node:worker_threads';
import { threadModule } from '../program-files.ts';
import type { DatabaseLink, LinkListener } from './database-link.ts';
import type { FromDatabase, ToDatabase } from './database-messages.ts';

export class HistoryThread implements DatabaseLink {
  readonly #worker: Worker;

  /** `module` is what it begins with, and `start` what that is told. */
  constructor(module: string, start: unknown, { received, failed, ended }: LinkListener) {
    this.#worker = new Worker(threadModule(module), { workerData: start });
    this.#worker.on('message', (message: FromDatabase) => received(message));
    this.#worker.on('error', failed);
    this.#worker.on('exit', (code) => ended(new Error(`the worker ended with code ${code}`)));
  }

  post(message: ToDatabase, handedOver: readonly ArrayBuffer[]): void {
    this.#worker.postMessage(message, handedOver);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
