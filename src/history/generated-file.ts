/**
 * The generated past of a history on disk, in a file beside it. It is the same on every branch, so the laboratory's snapshots
 * and branches have hard links to one file (`docs/lab.md`). A file with several names is never changed: the first write gives
 * this one a copy of its own.
 *
 * It has a rollback journal, not a write-ahead log: a log would belong to one of the names, and readers would write to it.
 * Nobody else writes to it, and nothing links it while a transaction is open: the history's thread does both.
 */
import { chmodSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { copySpare, isShared, linkFile, removeSpare, replaceBySpare } from '../storage/shared-file.ts';
import type { GeneratedBooks } from './generated-books.ts';
import { type GeneratedPast, generatedRows } from './generated-candles.ts';
import type { GeneratedReads } from './generated-reads.ts';
import { migrateGenerated, readMeta } from './sqlite-schema.ts';
import { SqliteSelects } from './sqlite-selects.ts';
import { TableWriter } from './table-writer.ts';
import {
  bookNames,
  chunkRow,
  firstOpensOf,
  GENERATED_CANDLES,
  generatedRow,
} from './tables/generated-candles.ts';
import {
  GENERATED_FUNDING_RATES,
  generatedFundingRow,
  generatedRatesBefore,
} from './tables/market-records.ts';
import { Pages } from './tables/pages.ts';
import type { Row, RowValues, Table } from './tables/table.ts';
import { GENERATED_TABLES } from './tables/tables.ts';
import { Totals } from './totals.ts';

/** Readers lock the file against a commit; the writer tries again later rather than wait. */
const LOCK_TIMEOUT_MS = 100;

/** The file of the generated past that belongs to a history file: `history-generated.sqlite` beside `history.sqlite`. */
export function generatedPath(history: string): string {
  const { dir, name, ext } = parse(history);
  return join(dir, `${name}-generated${ext}`);
}

/** A connection and what is compiled for it. */
class Connection {
  readonly database: DatabaseSync;
  readonly totals: Totals;
  readonly candles: TableWriter;
  readonly rates: TableWriter;
  readonly selects: SqliteSelects;

  constructor(path: string) {
    const database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
    this.database = database;
    try {
      // The deletion of a journal is synced too: rows that were moved here are dropped elsewhere after the commit. No page
      // reaches the disk before a commit, so only a commit can meet a full disk.
      database.exec(
        'PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; PRAGMA cache_spill = OFF; PRAGMA temp_store = MEMORY',
      );
      migrateGenerated(database);
      this.totals = new Totals(database, GENERATED_TABLES);
      this.candles = new TableWriter(database, GENERATED_CANDLES, this.totals);
      this.rates = new TableWriter(database, GENERATED_FUNDING_RATES, this.totals);
      this.selects = new SqliteSelects(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }
}

export class GeneratedFile implements GeneratedReads {
  readonly #path: string;
  readonly #pages = new Pages(() => true);
  #connection: Connection | undefined;
  #openRows = 0;

  /** Creates the file when it does not exist. */
  constructor(path: string) {
    this.#path = path;
    removeSpare(path);
    this.#naming(() => {
      this.#connection = new Connection(path);
      // Also without the umask of the program: inside the process of somebody's test.
      chmodSync(path, 0o600);
    });
  }

  /** Rows written since the last commit. */
  get openRows(): number {
    return this.#openRows;
  }

  add(past: GeneratedPast): void {
    const { candles, funding } = past;
    this.#naming(() => {
      const open = this.#begin();
      for (const chunk of candles) open.candles.add(generatedRow(chunk));
      for (const rate of funding?.rates ?? []) open.rates.add(generatedFundingRow(funding!, rate));
    });
    this.#openRows += generatedRows(past);
  }

  /** The generated past of an exchange in memory. */
  addBooks(books: GeneratedBooks): void {
    const open = this.#begin();
    for (const [table, row] of books.rows())
      (table === GENERATED_CANDLES ? open.candles : open.rates).add(row);
  }

  /**
   * Takes over the tables of an older program's history; they are on disk when this returns. A row that is here stays, so it
   * can be done again. Damaged rows come as they are, and what a table lacks stays lacking.
   */
  takeFrom(history: DatabaseSync): void {
    const isSealed = readMeta(history, 'every_row_has_checksum') === 1;
    const stored = new Totals(history, GENERATED_TABLES);
    this.#naming(() => {
      const { database, totals } = this.#begin();
      for (const table of GENERATED_TABLES) {
        const { name } = table;
        const isNew = totals.of(name).rows === 0;
        const insert = database.prepare(table.insert);
        for (const [values, checksum] of sealedRows(history, table, isSealed)) {
          const { changes } = insert.run(...values, checksum);
          if (changes > 0 && checksum !== null) totals.add(name, Number(checksum));
        }
        if (isNew && isSealed) totals.set(name, { ...stored.of(name) });
      }
    });
    this.commit();
  }

  commit(): void {
    this.#naming(() => {
      const { database, totals } = this.#open();
      if (!database.isTransaction) return;
      totals.store();
      database.exec('COMMIT');
      this.#openRows = 0;
    });
  }

  /** Back to the last commit; some errors have rolled back already. */
  rollBack(): void {
    const { database } = this.#open();
    if (database.isTransaction) database.exec('ROLLBACK');
    this.#openRows = 0;
  }

  /** A second name for the file as it is; what is written later goes to a copy. No transaction may be open. */
  linkTo(path: string): void {
    linkFile(this.#path, path);
  }

  names(): string[] {
    return this.#open().selects.answer(bookNames(this.#pages));
  }

  firstOpens(category: string, symbol: string, width: string, from: number, until: number): number[] {
    return this.#open().selects.answer(firstOpensOf(this.#pages, [category, symbol, width], from, until));
  }

  chunk(category: string, symbol: string, width: string, firstOpen: number): Row | undefined {
    return this.#open().selects.answer(chunkRow(this.#pages, [category, symbol, width, firstOpen]));
  }

  ratesBefore(category: string, symbol: string, time: number): Row[] {
    return this.#open().selects.answer(generatedRatesBefore(this.#pages, category, symbol, time));
  }

  close(): void {
    this.#connection?.database.close();
    this.#connection = undefined;
  }

  /** It may be closed when it was replaced and could not be opened again. */
  #open(): Connection {
    this.#connection ??= new Connection(this.#path);
    return this.#connection;
  }

  #begin(): Connection {
    if (this.#open().database.isTransaction) return this.#open();
    if (isShared(this.#path)) this.#replaceByCopy();
    const open = this.#open();
    open.database.exec('BEGIN IMMEDIATE');
    // Totals continue from the stored ones, whatever happened to the transaction before.
    open.totals.load();
    return open;
  }

  #replaceByCopy(): void {
    copySpare(this.#path);
    this.close();
    replaceBySpare(this.#path);
  }

  /** Errors of a write and of the opening say which file they are of. */
  #naming(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (error instanceof Error) error.message = `${basename(this.#path)}: ${error.message}`;
      throw error;
    }
  }
}

/** Rows with their checksums; those of a program before checksums get them here. */
function* sealedRows(
  history: DatabaseSync,
  table: Table,
  isSealed: boolean,
): Generator<readonly [values: RowValues, checksum: SQLOutputValue]> {
  const all = history.prepare(table.select);
  all.setReturnArrays(true);
  // A damaged number may be beyond those of JavaScript.
  all.setReadBigInts(true);
  for (const row of all.iterate() as unknown as Iterable<SQLOutputValue[]>) {
    const checksum = row.pop()!;
    yield [row, checksum === null && !isSealed ? table.checksum(row) : checksum];
  }
}
