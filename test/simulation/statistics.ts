/** Counts what happened, for the line at the end: a simulation that met no faults proves nothing. */
export class Statistics {
  readonly #counts = new Map<string, number>();

  count(what: string, times = 1): void {
    this.#counts.set(what, this.of(what) + times);
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  all(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  line(): string {
    return [...this.#counts]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([what, times]) => `${what} ${times}`)
      .join(', ');
  }
}
