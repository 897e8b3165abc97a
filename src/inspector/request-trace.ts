/**
 * When a request reached its steps, and the commands that it made. They are submitted far below the servers, so the request
 * that runs is found through the asynchronous context that Node keeps, and not through every call on the way.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestSteps } from './traffic.ts';

const NO_COMMANDS: readonly number[] = [];
const running = new AsyncLocalStorage<RequestTrace>();

export class RequestTrace implements RequestSteps {
  readonly #startMs: number;
  readonly parsedUs: number;
  admittedUs = 0;
  appliedUs = 0;
  durableUs = 0;
  commands = NO_COMMANDS;

  /** Of a request that arrived so long ago and is read now. */
  constructor(agoMs: number) {
    this.#startMs = performance.now() - agoMs;
    this.parsedUs = micros(agoMs);
  }

  admitted(): void {
    this.admittedUs = this.#nowUs();
  }

  /** A command got its place. */
  applied(seq: number): void {
    if (this.commands === NO_COMMANDS) {
      this.appliedUs = this.#nowUs();
      this.commands = [seq];
    } else (this.commands as number[]).push(seq);
  }

  /** Everything so far is durable. */
  durable(): void {
    this.durableUs = this.#nowUs();
  }

  get tookMs(): number {
    return performance.now() - this.#startMs;
  }

  #nowUs(): number {
    return micros(this.tookMs);
  }
}

/** Whole numbers are kept without a box of their own; 0 is a step that was not reached. */
const micros = (ms: number): number => Math.max(1, Math.round(ms * 1_000));

/** Runs a request that was admitted, with nothing to follow it while nothing is recorded. */
export function traced<Result>(trace: RequestTrace | undefined, run: () => Result): Result {
  if (trace === undefined) return run();
  trace.admitted();
  return running.run(trace, run);
}

export const runningTrace = (): RequestTrace | undefined => running.getStore();
