/** The engine's clock as a node knows it: the last time that it sent, and what has passed since. */

export interface LocalTime {
  /** Never goes back. */
  monotonicMs(): number;
  /** Goes on while the machine sleeps. */
  wallMs(): number;
}

export class EngineTime {
  readonly #local: LocalTime;
  #last: number;
  #monotonic: number;
  #wall: number;

  constructor(local: LocalTime, last: number) {
    this.#local = local;
    this.#last = last;
    this.#monotonic = local.monotonicMs();
    this.#wall = local.wallMs();
  }

  /** The engine's clock was read, at some moment before this one. */
  hear(at: number): void {
    if (at < this.now()) return;
    this.#last = at;
    this.#monotonic = this.#local.monotonicMs();
    this.#wall = this.#local.wallMs();
  }

  /** The larger of two: one clock rests while the machine sleeps, the other may be set back. */
  now(): number {
    const passed = Math.max(this.#local.monotonicMs() - this.#monotonic, this.#local.wallMs() - this.#wall);
    return this.#last + passed;
  }
}
