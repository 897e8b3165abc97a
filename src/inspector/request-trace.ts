/**
 * When a request reached its steps, and the commands that it made. They are submitted far below the servers. Nearly all
 * handlers submit before they wait for anything, so a request is followed by what stands beside the sequencer while its
 * handler runs; one that submits after a wait takes it along. An asynchronous context that Node keeps would find it
 * everywhere, but every order would carry one.
 */
import type { RequestSteps } from './traffic.ts';

const NO_COMMANDS: readonly number[] = [];

export class RequestTrace implements RequestSteps {
  readonly #startMs: number;
  readonly parsedUs: number;
  admittedUs = 0;
  appliedUs = 0;
  durableUs = 0;
  commands = NO_COMMANDS;

  /** For a request that arrived `agoMs` ago and is parsed now. */
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

/** A sequencer, as far as a trace needs it. */
interface Followed {
  trace: Pick<RequestTrace, 'applied' | 'durable'> | undefined;
}

/** Runs a request that was admitted, with nothing to follow it while nothing is recorded. */
export function traced<Result>(
  followed: Followed,
  trace: RequestTrace | undefined,
  run: () => Result,
): Result {
  if (trace === undefined) return run();
  trace.admitted();
  followed.trace = trace;
  try {
    return run();
  } finally {
    followed.trace = undefined;
  }
}
