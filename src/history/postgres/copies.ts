/**
 * Copies between the two kinds of history: a file moves into an empty database at the first start with one, and a database is
 * copied into a file for backups and verification. Rows go over as they are, with their checksums, so that damage shows.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { checksumOf } from '../checksum.ts';
import { HistoryFile, plainValues } from '../proof/history-file.ts';
import { migrate, SCHEMA_VERSION, writeMeta } from '../sqlite-schema.ts';
import { CHECKSUM, type Table } from '../tables/table.ts';
import { ALL_TABLES } from '../tables/tables.ts';
import type { PostgresAddress } from './address.ts';
import { refusal, refused } from './refusal.ts';
import { RowGroup } from './row-groups.ts';
import { checkMeta, readMeta } from './schema.ts';
import { checkServer, Session } from './session.ts';

/** Rows that are in memory at a time. */
const STEP_ROWS = 1000;

/** Everything in a file, in groups of rows. */
export class FileRows {
  readonly path: string;
  readonly lastSeq: number;
  readonly completeSince: number;
  readonly #file: HistoryFile;

  /** Throws when the file is damaged or of another version of the program. */
  constructor(path: string) {
    this.path = path;
    this.#file = HistoryFile.open(path);
    try {
      const { version, lastSeq, completeSince } = this.#file.facts();
      if (version !== SCHEMA_VERSION)
        throw new Error(`${path} is of an older program: start once with --history sqlite, then move it`);
      this.lastSeq = lastSeq;
      this.completeSince = completeSince;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  *groups(): Generator<RowGroup> {
    for (const table of ALL_TABLES) {
      let group = new RowGroup(table);
      let rows = 0;
      for (const values of this.#rows(table)) {
        group.add(values);
        if (++rows % STEP_ROWS !== 0) continue;
        yield group;
        group = new RowGroup(table);
      }
      if (rows % STEP_ROWS !== 0) yield group;
    }
  }

  *#rows(table: Table): Generator<SQLInputValue[]> {
    const select = this.#file.database.prepare(table.select);
    select.setReturnArrays(true);
    select.setReadBigInts(true);
    for (const row of select.iterate()) {
      const values = plainValues(row as unknown as Parameters<typeof plainValues>[0]);
      const checksum = values.pop();
      if (checksum !== null && checksum !== table.checksum(values))
        throw new Error(
          `the row ${table.nameOf(values)} of the table ${table.name} in ${this.path} is damaged: run "bourse verify" first`,
        );
      yield values;
    }
  }

  close(): void {
    this.#file.close();
  }
}

export interface FileCopy {
  readonly address: PostgresAddress;
  /** The exchange that the history must belong to. */
  readonly instance: string;
  readonly path: string;
  /** Called between steps. */
  readonly meanwhile: () => void;
}

/** Writes the history as of one moment into a new file. */
export async function copyToFile({ address, instance, path, meanwhile }: FileCopy): Promise<void> {
  const session = await Session.open(address, 'bourse history copy').catch((error: unknown) => {
    throw refusal(address, error);
  });
  const database = new DatabaseSync(path);
  try {
    await checkServer(session, address);
    const begun = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
    await session.rows(begun);
    const meta = await readMeta(session, address);
    if (meta === undefined) throw refused(address, 'there is no history in it');
    checkMeta(meta, address, instance);
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF');
    migrate(database);
    database.exec('BEGIN');
    for (const table of ALL_TABLES) await copyTable(session, database, table, meanwhile);
    await copyTotals(session, database);
    const write = writeMeta(database);
    write('last_seq', meta.lastSeq);
    write('complete_since', meta.completeSince);
    write('every_row_has_checksum', 1);
    database.exec('COMMIT');
  } catch (error) {
    throw isOfFile(error) ? error : refusal(address, error);
  } finally {
    database.close();
    session.destroy();
  }
}

/** SQLite's own errors have a number. */
function isOfFile(error: unknown): boolean {
  return (error as { readonly errcode?: number }).errcode !== undefined;
}

async function copyTable(
  session: Session,
  database: DatabaseSync,
  table: Table,
  meanwhile: () => void,
): Promise<void> {
  const { key, name, columns, select } = table;
  const insert = database.prepare(
    `INSERT INTO ${name} (${[...columns, CHECKSUM].join(', ')}) VALUES (${[...columns, CHECKSUM].map(() => '?').join(', ')})`,
  );
  const order = `ORDER BY ${key.join(', ')} LIMIT ${STEP_ROWS}`;
  const after = `WHERE (${key.join(', ')}) > (${key.map((_, n) => `$${n + 1}`).join(', ')})`;
  let rows = (await session.rows(`${select} ${order}`)) as SQLInputValue[][];
  while (rows.length > 0) {
    for (const row of rows) insert.run(...row);
    meanwhile();
    if (rows.length < STEP_ROWS) return;
    rows = (await session.rows(
      `${select} ${after} ${order}`,
      table.keyOf(rows.at(-1)!),
    )) as SQLInputValue[][];
  }
}

async function copyTotals(session: Session, database: DatabaseSync): Promise<void> {
  const insert = database.prepare('INSERT INTO totals VALUES (?, ?, ?, ?)');
  const totals = await session.rows(
    'SELECT table_name, rows, checksums FROM totals WHERE rows <> 0 OR checksums <> 0',
  );
  for (const total of totals as [string, number, number][]) insert.run(...total, checksumOf(total));
}
