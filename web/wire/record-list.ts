/**
 * A list of the account that begins with HTTP and goes on with the stream. Pushes that come while HTTP is asked are
 * folded first; the answer adds what no push had, and never an older state of what one did.
 */

export interface TimedRecord {
  readonly updatedTime: string;
}

export class RecordList<Row extends TimedRecord> {
  readonly #idOf: (row: Row) => string;
  readonly #isOpen: (row: Row) => boolean;
  readonly #rows = new Map<string, Row>();
  /** What ended while the list is asked for, and would come back with the answer. */
  #ended: Set<string> | undefined;

  constructor(idOf: (row: Row) => string, isOpen: (row: Row) => boolean) {
    this.#idOf = idOf;
    this.#isOpen = isOpen;
  }

  push(row: Row): void {
    const id = this.#idOf(row);
    if (this.#isOpen(row)) this.#rows.set(id, { ...this.#rows.get(id), ...row });
    else {
      this.#rows.delete(id);
      this.#ended?.add(id);
    }
  }

  /** Before HTTP is asked; returns what is known now, for `answer`. */
  ask(): ReadonlySet<string> {
    this.#ended = new Set();
    return new Set(this.#rows.keys());
  }

  /** Rows that were known when the question was sent and that the answer lacks have ended. */
  answer(rows: readonly Row[], asOf: ReadonlySet<string>): void {
    const answered = new Set(rows.map(this.#idOf));
    for (const id of asOf) if (!answered.has(id)) this.#rows.delete(id);
    for (const row of rows) {
      const id = this.#idOf(row);
      if (this.#ended?.has(id)) continue;
      const known = this.#rows.get(id);
      const newer = known !== undefined && Number(known.updatedTime) > Number(row.updatedTime);
      this.#rows.set(id, newer ? { ...row, ...known } : { ...known, ...row });
    }
    this.#ended = undefined;
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  /** Newest first. */
  rows(): Row[] {
    return [...this.#rows.values()].reverse().sort((a, b) => Number(b.updatedTime) - Number(a.updatedTime));
  }

  clear(): void {
    this.#rows.clear();
    this.#ended = undefined;
  }
}
