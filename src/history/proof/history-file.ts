/** A database of the history on disk, while no exchange uses it. Reading it changes nothing. */
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { checksumOf } from '../checksum.ts';
import { CHECKSUMS_VERSION, GENERATED_FILE_VERSION, SCHEMA_VERSION } from '../sqlite-schema.ts';
import { Table } from '../tables/table.ts';
import { ALL_TABLES, PROJECTED_TABLES } from '../tables/tables.ts';

/** The two tables that have no projection. */
export const META = new Table({ name: 'meta', key: ['key'], before: ['key', 'value'], texts: [] });
export const TOTALS = new Table({
  name: 'totals',
  key: ['table_name'],
  before: ['table_name', 'rows', 'checksums'],
  texts: [],
});

const JOURNAL = '-journal';

export class HistoryFile {
  readonly path: string;
  readonly database: DatabaseSync;
  /** A directory that goes with it. */
  readonly #copy: string | undefined;

  private constructor(path: string, database: DatabaseSync, copy?: string) {
    this.path = path;
    this.database = database;
    this.#copy = copy;
  }

  static open(path: string): HistoryFile {
    if (hasBeside(path, JOURNAL)) return HistoryFile.#openCopy(path);
    // Without a write-ahead log the file can be read without creating others beside it.
    const location = hasBeside(path, '-wal') ? path : new URL(`${pathToFileURL(path).href}?immutable=1`);
    return new HistoryFile(path, new DatabaseSync(location, { readOnly: true }));
  }

  /** A kill has left a transaction half written, which SQLite takes back when it opens the file: here in a copy. */
  static #openCopy(path: string): HistoryFile {
    const directory = mkdtempSync(join(tmpdir(), 'bourse-proof-'));
    const copy = join(directory, basename(path));
    try {
      for (const end of ['', JOURNAL]) copyFileSync(`${path}${end}`, `${copy}${end}`);
      return new HistoryFile(path, new DatabaseSync(copy), directory);
    } catch (error) {
      rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  }

  static openToRepair(path: string): HistoryFile {
    return new HistoryFile(path, new DatabaseSync(path));
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
    if (this.#copy !== undefined) rmSync(this.#copy, { recursive: true, force: true });
  }

  /** Throws when the meta table is damaged. */
  facts(): HistoryFacts {
    const rows = this.database.prepare('SELECT * FROM meta').all();
    const facts = new Map(rows.map((row) => [String(row.key), row]));
    const number = (key: string) => {
      const row = facts.get(key);
      if (row === undefined) throw new Error(`the table meta has no ${key}`);
      const sound = row.checksum === undefined || row.checksum === checksumOf([key, row.value]);
      if (!sound)
        throw new Error(
          `${key} of the table meta is ${Number(row.value)}, which does not match its checksum`,
        );
      return Number(row.value);
    };
    const version = number('schema_version');
    if (version > SCHEMA_VERSION)
      throw new Error(`it has schema version ${version}, this program knows up to ${SCHEMA_VERSION}`);
    return {
      version,
      lastSeq: number('last_seq'),
      sealed: version >= CHECKSUMS_VERSION && number('every_row_has_checksum') === 1,
      completeSince: version >= CHECKSUMS_VERSION ? number('complete_since') : 0,
    };
  }

  /** Present columns of a table: a file of an older program may lack some. */
  columnsOf(table: Table): ReadonlySet<string> {
    const columns = this.database.prepare(`PRAGMA table_info(${table.name})`).all();
    return new Set(columns.map(({ name }) => String(name)));
  }
}

export interface HistoryFacts {
  readonly version: number;
  /** The last command whose events are here. */
  readonly lastSeq: number;
  /** Every row has a checksum. */
  readonly sealed: boolean;
  /** Records of commands up to this one may be missing. */
  readonly completeSince: number;
}

/** Tables of a history file; older ones have the generated past among them. */
export function tablesOf(version: number): readonly Table[] {
  return version < GENERATED_FILE_VERSION ? ALL_TABLES : PROJECTED_TABLES;
}

function hasBeside(path: string, end: string): boolean {
  return (statSync(`${path}${end}`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Rows as lists; numbers beyond the range of JavaScript, which only damage causes, do not throw. */
export function exactRows(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  return statement;
}

/** As the writer had them: integers are numbers. */
export function plainValues(row: SQLOutputValue[]): SQLInputValue[] {
  for (let n = 0; n < row.length; n++) {
    const value = row[n];
    if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) row[n] = Number(value);
    else if (typeof value === 'bigint') row[n] = String(value);
  }
  return row;
}
