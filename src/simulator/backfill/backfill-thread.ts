/** Generates the past in a thread of its own while the exchange is open; each book has its past as soon as it is stored. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { GeneratedPast } from '../../history/generated-candles.ts';
import type { History } from '../../history/history.ts';
import { threadModule } from '../../program-files.ts';
import type { BackfillWorkerData } from './backfill-worker.ts';

export class BackfillThread implements AsyncDisposable {
  readonly #worker: Worker;
  /** Resolves when all of it is stored; rejects when the thread or the history failed, or it was disposed before. */
  readonly done: Promise<void>;

  constructor(work: BackfillWorkerData, history: History) {
    this.#worker = new Worker(threadModule('simulator/backfill/backfill-worker'), {
      workerData: work,
      name: 'backfill',
    });
    this.done = this.#store(history);
  }

  async #store(history: History): Promise<void> {
    const ended = once(this.#worker, 'exit').then((): never => {
      throw new Error('the thread that generates the past has ended before it was done');
    });
    const received = new Promise<void>((resolve, reject) => {
      this.#worker.on('message', (past: GeneratedPast | undefined) => {
        try {
          if (past === undefined) resolve();
          else history.addGenerated(past);
        } catch (error) {
          reject(error);
        }
      });
    });
    await Promise.race([received, ended]);
    ended.catch(() => undefined);
    await history.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.done.catch(() => undefined);
    await this.#worker.terminate();
  }
}
