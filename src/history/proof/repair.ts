/**
 * Repairs what can be repaired, in one transaction: rows that the journal produces again, single changed bits that
 * the checksum identifies, indexes that disagree with their tables. The rest needs a backup.
 */
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { checksumOf } from '../checksum.ts';
import { CHECKSUM, type RowValues, type Table } from '../tables/table.ts';
import { GENERATED_TABLES } from '../tables/tables.ts';
import type { Total } from '../totals.ts';
import { Damages } from './damage.ts';
import {
  exactRows,
  type HistoryFacts,
  HistoryFile,
  META,
  plainValues,
  TOTALS,
  tablesOf,
} from './history-file.ts';
import { findOneBit, type OneBit } from './one-bit.ts';
import { checkRows, readTotals } from './row-checks.ts';
import { checkStructure } from './structure.ts';

/** Rows of a table that are repaired by their checksum in one pass. */
const BITS_MAX = 1000;

export class HistoryRepair {
  readonly file: HistoryFile;
  #rows = 0;

  constructor(path: string) {
    this.file = HistoryFile.openToRepair(path);
  }

  /** An unfinished repair is rolled back when the file is closed. */
  begin(): void {
    this.file.database.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
  }

  get hasChecksums(): boolean {
    return this.file.columnsOf(META).has(CHECKSUM);
  }

  /** Rows rewritten. */
  get rows(): number {
    return this.#rows;
  }

  /** Faults that must be repaired before the rest can be read; false when the file itself is beyond repair. */
  mendFile(): boolean {
    const { database } = this.file;
    const before = new Damages();
    checkStructure(database, before);
    if (before.count > 0) {
      database.exec('REINDEX');
      const after = new Damages();
      checkStructure(database, after);
      if (after.count > 0) return false;
    }
    this.#mendBits(META);
    return true;
  }

  /** Rewrites a row that differs from the journal's. */
  readonly mend = (table: Table, expected: RowValues, _stored: RowValues | undefined): void => {
    this.#write(table, expected);
  };

  /** After the replay: rows that its commands do not reach, and the totals. */
  finish({ sealed, version }: Pick<HistoryFacts, 'sealed' | 'version'>): void {
    this.#finish(tablesOf(version), sealed);
    this.file.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Of the file of the generated past, which the journal does not hold. */
  finishGenerated(): void {
    this.#finish(GENERATED_TABLES, true);
  }

  #finish(tables: readonly Table[], sealed: boolean): void {
    for (const table of tables) this.#mendBits(table);
    this.#settleTotals(tables, sealed);
    this.file.database.exec('COMMIT');
  }

  close(): void {
    this.file.close();
  }

  #mendBits(table: Table): void {
    const changed: { readonly values: SQLInputValue[]; readonly bit: OneBit }[] = [];
    for (const row of exactRows(this.file.database, table.select).iterate()) {
      const values = plainValues(row as unknown as SQLOutputValue[]);
      const checksum = values.pop();
      if (checksum === null || checksum === table.checksum(values) || changed.length >= BITS_MAX) continue;
      const bit = findOneBit(table, values, checksum);
      if (bit !== undefined) changed.push({ values, bit });
    }
    for (const { values, bit } of changed) {
      if (table.key.includes(bit.field))
        this.file.database.prepare(`DELETE FROM ${table.name} ${table.whereKey}`).run(...table.keyOf(values));
      this.#write(table, bit.values);
    }
  }

  #write(table: Table, values: RowValues): void {
    const columns = [...table.columns, CHECKSUM];
    this.file.database
      .prepare(
        `INSERT OR REPLACE INTO ${table.name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      )
      .run(...values, table.checksum(values));
    this.#rows += 1;
  }

  /**
   * A table with all its rows sound is counted anew; one that lacks rows keeps its total, so that the loss stays
   * visible.
   */
  #settleTotals(tables: readonly Table[], sealed: boolean): void {
    const left = new Damages();
    const rows = checkRows(this.file, tables, sealed, left);
    let step = rows.next();
    while (step.done !== true) step = rows.next();
    const { found } = step.value;
    const stored = readTotals(this.file);
    const unsound = new Set(left.list.filter(({ row }) => row !== '').map(({ table }) => table));
    for (const { name } of tables) {
      const there = found.get(name);
      const damagedTotal = left.list.some((damage) => damage.row === `table_name=${name}`);
      const lacks = !damagedTotal && (there?.rows ?? 0) < (stored.get(name)?.rows ?? 0);
      if (there !== undefined && !unsound.has(name) && !lacks) this.#writeTotal(name, there);
    }
  }

  #writeTotal(name: string, { rows, checksums }: Total): void {
    if (rows === 0) return;
    this.file.database
      .prepare(`INSERT OR REPLACE INTO ${TOTALS.name} VALUES (?, ?, ?, ?)`)
      .run(name, rows, checksums, checksumOf([name, rows, checksums]));
  }
}
