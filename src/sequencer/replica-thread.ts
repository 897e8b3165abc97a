/** The replica in a thread of its own, for one snapshot at a time: between two of them it costs no memory. */
import { once } from 'node:events';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { ReplayDivergence } from '../core/model/replay-divergence.ts';
import { threadModule } from '../program-files.ts';
import type { ReplicaTarget } from './replica.ts';
import type { ReplicaFailure, ReplicaWorkerData } from './replica-worker.ts';

const MEBIBYTE = 2 ** 20;
/** Errors that say the replay came to another state; all others leave the exchange as good as it was. */
const DIVERGED: ReadonlySet<string> = new Set(['Diverged', 'PoisonedCommand']);

/** The replica could not be made; the exchange can save its own state. */
export class ReplicaUnavailable extends Error {
  override name = 'ReplicaUnavailable';
}

export class ReplicaThread {
  readonly #directory: string;
  readonly #hasMemory: () => boolean;
  #worker: Worker | undefined;
  #stopped = false;

  /** `hasMemory`: is there enough memory for a second state? */
  constructor(directory: string, hasMemory: () => boolean) {
    this.#directory = directory;
    this.#hasMemory = hasMemory;
  }

  /** Throws ReplayDivergence, ReplicaUnavailable, or as the disk does. */
  async save(target: ReplicaTarget): Promise<void> {
    if (this.#stopped) throw new ReplicaUnavailable('the exchange stops');
    if (!this.#hasMemory()) throw new ReplicaUnavailable('the memory does not hold a second state');
    const workerData: ReplicaWorkerData = { directory: this.#directory, ...target };
    const worker = new Worker(threadModule('sequencer/replica-worker'), {
      workerData,
      name: 'replica',
      resourceLimits: { maxOldGenerationSizeMb: getHeapStatistics().heap_size_limit / MEBIBYTE },
    });
    this.#worker = worker;
    try {
      const failure = await resultOf(worker);
      if (failure !== undefined) throw asError(failure);
    } finally {
      this.#worker = undefined;
      await worker.terminate();
    }
  }

  /** A snapshot under way is abandoned, and none begins any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#worker?.terminate();
  }
}

async function resultOf(worker: Worker): Promise<ReplicaFailure | undefined> {
  const ended = once(worker, 'exit').then((): never => {
    throw new ReplicaUnavailable("the replica's thread ended");
  });
  ended.catch(() => undefined);
  try {
    const [failure] = await Promise.race([once(worker, 'message'), ended]);
    return failure as ReplicaFailure | undefined;
  } catch (error) {
    throw error instanceof ReplicaUnavailable ? error : new ReplicaUnavailable((error as Error).message);
  }
}

function asError({ name, message, code }: ReplicaFailure): Error {
  if (DIVERGED.has(name)) return new ReplayDivergence(message);
  if (code === undefined) return new ReplicaUnavailable(`${name}: ${message}`);
  return Object.assign(new Error(message), { code });
}
