/**
 * Threads that work for one owner after another: to start one takes longer than to open what it writes. A thread that nobody
 * works with keeps no process alive, and there is at most one of a kind.
 */
import { Worker } from 'node:worker_threads';
import { threadModule } from '../program-files.ts';

export class Threads {
  readonly #idle = new Map<string, Worker>();
  #closed = false;

  /** Those that end with what they were started for. */
  static notKept(): Threads {
    const threads = new Threads();
    threads.#closed = true;
    return threads;
  }

  /** `module` is what it begins with, named as `threadModule` does. Its first message says what to do. */
  take(module: string): Worker {
    const idle = this.#idle.get(module);
    if (idle === undefined) return new Worker(threadModule(module), { name: module });
    this.#idle.delete(module);
    forget(idle);
    idle.ref();
    return idle;
  }

  /** Starts one that will soon be taken, while the caller does other things. */
  prepare(module: string): void {
    if (!this.#idle.has(module) && !this.#closed) this.#keep(module, this.take(module));
  }

  /** Its owner is done with it: it has closed everything and waits for a message. */
  async give(module: string, worker: Worker): Promise<void> {
    forget(worker);
    if (this.#closed || this.#idle.has(module)) await worker.terminate();
    else this.#keep(module, worker);
  }

  /** Ends those that nobody works with, and from now on each that is given back. */
  async close(): Promise<void> {
    this.#closed = true;
    const idle = [...this.#idle.values()];
    this.#idle.clear();
    await Promise.all(idle.map((worker) => worker.terminate()));
  }

  #keep(module: string, worker: Worker): void {
    this.#idle.set(module, worker);
    worker.unref();
    // An exit follows every error; whoever takes the next one meets the error itself.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#idle.get(module) === worker) this.#idle.delete(module);
    });
  }
}

/** Without its owner's listeners; Node has some of its own, of other names. */
function forget(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}
