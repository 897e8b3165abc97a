/** Time marks are at least this far apart; the age is exact to it. */
const RESOLUTION_MS = 1;
const MARKS_MAX = 4096;

interface TimeMark {
  readonly seq: number;
  readonly atMs: number;
}

/** Age of the oldest waiting record, without a time stamp for each. */
export class QueueAge {
  readonly #now: () => number;
  readonly #marks: TimeMark[] = [];
  #first = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  appended(seq: number): void {
    const atMs = this.#now();
    const newest = this.#marks.at(-1);
    const isNeeded =
      newest === undefined || this.#first === this.#marks.length || atMs - newest.atMs >= RESOLUTION_MS;
    // With all places taken, later records count with the newest mark: they look older, never younger.
    if (isNeeded && this.#marks.length - this.#first < MARKS_MAX) this.#marks.push({ seq, atMs });
  }

  /** Drops marks of records that are durable, except the one that still dates a record after it. */
  durable(durableSeq: number, appendedSeq: number): void {
    while (this.#first < this.#marks.length && this.#groupEnd(this.#first, appendedSeq) <= durableSeq)
      this.#first += 1;
    if (this.#first < MARKS_MAX && this.#first < this.#marks.length) return;
    this.#marks.splice(0, this.#first);
    this.#first = 0;
  }

  ms(): number {
    const oldest = this.#marks[this.#first];
    return oldest === undefined ? 0 : Math.max(0, this.#now() - oldest.atMs);
  }

  #groupEnd(index: number, appendedSeq: number): number {
    const next = this.#marks[index + 1];
    return next === undefined ? appendedSeq : next.seq - 1;
  }
}
