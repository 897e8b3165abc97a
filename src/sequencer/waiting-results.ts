/** Commands that are applied and not yet durable, and reads that wait for them, oldest first. */
import type { CommandResult } from '../core/model/command-result.ts';
import type { Event } from '../core/model/event.ts';

/** Times the commands of one request. */
export interface RequestTiming {
  applied(seq: number): void;
  /** Everything that it submitted, or waits for, is on disk. */
  durable(): void;
}

export interface Waiting {
  readonly seq: number;
  readonly time: number;
  readonly events: readonly Event[];
  readonly result: CommandResult;
  /** Ids of the orders whose modification is outstanding until then. */
  readonly amended: readonly number[] | undefined;
  readonly resolve: (result: CommandResult) => void;
  readonly reject: (error: Error) => void;
  readonly timing: RequestTiming | undefined;
}

/** The array is cut when so many entries of it are released. */
const RELEASED_MAX = 4096;

export class WaitingResults {
  #all: Waiting[] = [];
  /** The first that still waits. */
  #head = 0;

  add(waiting: Waiting): void {
    this.#all.push(waiting);
  }

  /** `release` may add entries, or reject all: then none is left. */
  releaseUpTo(durableSeq: number, release: (waiting: Waiting) => void): void {
    for (;;) {
      const next = this.#all[this.#head];
      if (next === undefined || next.seq > durableSeq) break;
      this.#head++;
      release(next);
    }
    if (this.#head === this.#all.length) {
      this.#all = [];
      this.#head = 0;
    } else if (this.#head > RELEASED_MAX) {
      this.#all = this.#all.slice(this.#head);
      this.#head = 0;
    }
  }

  rejectAll(error: Error): void {
    const left = this.#all.slice(this.#head);
    this.#all = [];
    this.#head = 0;
    for (const { reject } of left) reject(error);
  }
}
