/**
 * When a request reached its steps, and the commands that it made. They are submitted far below the servers. Nearly all
 * handlers submit before they wait for anything, so the sequencer holds the timer of a request while its
 * handler runs; one that submits after a wait passes it on. An asynchronous context of Node would make it available
 * everywhere, but every order would carry one.
 */
import type { RequestSteps } from './traffic.ts';

const NO_COMMANDS: readonly number[] = [];

export class RequestTimer implements RequestSteps {
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

  /** A command has its sequence number. */
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

/** A sequencer, as far as a timer needs it. */
interface TimedSequencer {
  timing: Pick<RequestTimer, 'applied' | 'durable'> | undefined;
}

/** Runs a request that was admitted, without a timer while nothing is recorded. */
export function timed<Result>(
  followed: TimedSequencer,
  timing: RequestTimer | undefined,
  run: () => Result,
): Result {
  if (timing === undefined) return run();
  timing.admitted();
  followed.timing = timing;
  try {
    return run();
  } finally {
    followed.timing = undefined;
  }
}
