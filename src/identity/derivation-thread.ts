/**
 * Derives hashes on a thread of its own: half a second of work must block neither the event loop nor the shared pool, where
 * file writes would wait behind it. It is started on first use and does not keep the process alive while it is idle. Hashes
 * of a few milliseconds, as those of published passphrases, are left to the shared pool: a thread takes longer to start.
 */
import { Worker } from 'node:worker_threads';
import { threadModule } from '../program-files.ts';
import { type Derivation, deriveInPool } from './derivation.ts';
import type { ScryptCost } from './passphrase.ts';

export interface DerivationJob {
  readonly id: number;
  readonly passphrase: string;
  readonly salt: Uint8Array;
  readonly cost: ScryptCost;
}

export interface DerivationResult {
  readonly id: number;
  readonly hash: Uint8Array;
}

export const DERIVATION_QUEUE_MAX = 8;
/** N * r * p up to which the shared pool derives. */
const POOL_WORK_MAX = 2 ** 13;

export class DerivationThread implements Derivation {
  #worker: Worker | undefined;
  #lastId = 0;
  readonly #waiting = new Map<number, (hash: Uint8Array | undefined) => void>();

  /** Resolves to undefined when the worker died under the job, or it was closed. */
  derive(passphrase: string, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array | undefined> | 'busy' {
    if (this.#waiting.size >= DERIVATION_QUEUE_MAX) return 'busy';
    const id = ++this.#lastId;
    if (cost.N * cost.r * cost.p <= POOL_WORK_MAX)
      return new Promise((resolve) => {
        this.#waiting.set(id, resolve);
        void deriveInPool(passphrase, salt, cost).then((hash) => this.#settle(id, hash));
      });
    const worker = this.#started();
    const job: DerivationJob = { id, passphrase, salt, cost };
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      worker.ref();
      worker.postMessage(job);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#abandon();
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(threadModule('identity/passphrase-worker'));
    worker.on('message', (result: DerivationResult) => {
      this.#settle(result.id, result.hash);
      if (this.#waiting.size === 0) worker.unref();
    });
    // An exit follows every error; without a listener the error would end the exchange.
    worker.on('error', () => {});
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#abandon();
    });
    this.#worker = worker;
    return worker;
  }

  #abandon(): void {
    for (const id of this.#waiting.keys()) this.#settle(id, undefined);
  }

  #settle(id: number, hash: Uint8Array | undefined): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.(hash);
  }
}
