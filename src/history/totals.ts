/**
 * Number of rows and sum of checksums of each table, updated in the table `totals` by the transaction that writes the
 * rows. A row that was deleted by anything but the history leaves them too high.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { checksumOf, sumWith, sumWithout } from './checksum.ts';
import type { Table } from './tables/table.ts';

export interface Total {
  rows: number;
  checksums: number;
}

export class Totals {
  readonly #tables: readonly Table[];
  readonly #select: StatementSync;
  readonly #write: StatementSync;
  readonly #totals = new Map<string, Total>();
  readonly #changed = new Set<string>();

  /** Of the tables that the database has. */
  constructor(database: DatabaseSync, tables: readonly Table[]) {
    this.#tables = tables;
    this.#select = database.prepare('SELECT table_name, rows, checksums FROM totals');
    this.#write = database.prepare('INSERT OR REPLACE INTO totals VALUES (?, ?, ?, ?)');
    this.load();
  }

  /** Reloads the stored totals: counts since the last commit are dropped. */
  load(): void {
    this.#changed.clear();
    for (const { name } of this.#tables) this.#totals.set(name, { rows: 0, checksums: 0 });
    for (const { table_name, rows, checksums } of this.#select.all())
      this.#totals.set(String(table_name), { rows: Number(rows), checksums: Number(checksums) });
  }

  of(table: string): Readonly<Total> {
    return this.#totals.get(table)!;
  }

  add(table: string, checksum: number): void {
    const total = this.#totals.get(table)!;
    total.rows += 1;
    total.checksums = sumWith(total.checksums, checksum);
    this.#changed.add(table);
  }

  remove(table: string, checksum: number): void {
    const total = this.#totals.get(table)!;
    total.rows -= 1;
    total.checksums = sumWithout(total.checksums, checksum);
    this.#changed.add(table);
  }

  /** Replaces the total of a table. */
  set(table: string, total: Total): void {
    this.#totals.set(table, total);
    this.#changed.add(table);
  }

  /** Call it within the transaction that holds the rows. */
  store(): void {
    for (const table of this.#changed) {
      const { rows, checksums } = this.#totals.get(table)!;
      this.#write.run(table, rows, checksums, checksumOf([table, rows, checksums]));
    }
    this.#changed.clear();
  }
}
