/**
 * Acts on high memory use before the system does (reliability 2.2): first only cancellations are accepted, and when
 * that does not help the exchange saves a snapshot and ends. Typed arrays live outside the heap of V8, and that heap
 * has a limit of its own: the higher use of the two counts.
 */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { isOutOfDescriptors } from '../../storage/shortage-errors.ts';

const MEBIBYTE = 2 ** 20;
const CHECK_INTERVAL_MS = 1000;
const SHORT_FROM = 0.8;
/** A shortage ends when use has fallen to this share. */
const SHORT_UNTIL = 0.75;
const LEAVE_FROM = 0.95;

/** Shares of the limit; 1 means nothing is left. */
export interface MemoryUse {
  readonly process: number;
  readonly heap: number;
}

export interface MemoryActions {
  readonly short: (isShort: boolean, use: MemoryUse) => void;
  readonly leave: (use: MemoryUse) => void;
}

export class MemoryGuard {
  readonly #use: () => MemoryUse;
  readonly #actions: MemoryActions;
  readonly #timer: NodeJS.Timeout;
  #short = false;
  #leaving = false;

  constructor(use: () => MemoryUse, actions: MemoryActions) {
    this.#use = use;
    this.#actions = actions;
    this.#timer = setInterval(() => this.check(), CHECK_INTERVAL_MS).unref();
  }

  check(): void {
    const use = this.#useNow();
    if (use === undefined) return;
    const most = Math.max(use.process, use.heap);
    const short = most >= (this.#short ? SHORT_UNTIL : SHORT_FROM);
    if (short !== this.#short) {
      this.#short = short;
      this.#actions.short(short, use);
    }
    if (most < LEAVE_FROM || this.#leaving) return;
    this.#leaving = true;
    this.#actions.leave(use);
  }

  /** Undefined while no file can be opened to read it; the next check tries again. */
  #useNow(): MemoryUse | undefined {
    try {
      return this.#use();
    } catch (error) {
      if (isOutOfDescriptors(error)) return undefined;
      throw error;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** `limitMiB` of 0 means the memory of the machine or container. */
export function memoryUse(limitMiB: number): () => MemoryUse {
  const limitBytes = limitMiB === 0 ? availableBytes() : limitMiB * MEBIBYTE;
  return () => {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    return { process: residentBytes() / limitBytes, heap: used / limit };
  };
}

/** Does the memory hold the state a second time, without a shortage? */
export function hasMemoryForReplica(limitMiB: number): () => boolean {
  const limitBytes = limitMiB === 0 ? availableBytes() : limitMiB * MEBIBYTE;
  return () => {
    const { rss, heapUsed, arrayBuffers } = memoryUsage();
    return rss + heapUsed + arrayBuffers < SHORT_FROM * limitBytes;
  };
}

/** Linux provides it in a file: while no descriptor is free, the last value stands. */
const residentBytes = whileFilesOpen(() => process.memoryUsage.rss(), 0);
export const memoryUsage = whileFilesOpen(() => process.memoryUsage(), process.memoryUsage());

function whileFilesOpen<Reading>(read: () => Reading, first: Reading): () => Reading {
  let last = first;
  return () => {
    try {
      last = read();
    } catch (error) {
      if (!isOutOfDescriptors(error)) throw error;
    }
    return last;
  };
}

/** Outside a container the constraint is 0 or more than the machine has. */
function availableBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
