/** Writes rows of one table with their checksums, and keeps the table's total. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CHECKSUM, type RowValues, type Table } from './tables/table.ts';
import type { Totals } from './totals.ts';

export class TableWriter {
  readonly #table: Table;
  readonly #totals: Totals;
  readonly #insert: StatementSync;
  /** Only where rows may be replaced. */
  readonly #replaced: StatementSync | undefined;

  constructor(database: DatabaseSync, table: Table, totals: Totals) {
    this.#table = table;
    this.#totals = totals;
    this.#insert = database.prepare(table.insert);
    if (table.open !== undefined)
      this.#replaced = database.prepare(`SELECT ${CHECKSUM} FROM ${table.name} ${table.whereKey}`);
  }

  add(values: RowValues): void {
    const { name } = this.#table;
    const checksum = this.#table.checksum(values);
    const before = this.#replaced?.get(...this.#table.keyOf(values));
    if (this.#insert.run(...values, checksum).changes === 0) return;
    // A row of an older program may have no checksum yet.
    if (typeof before?.checksum === 'number') this.#totals.remove(name, before.checksum);
    this.#totals.add(name, checksum);
  }
}
