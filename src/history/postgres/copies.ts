/**
 * Copies between the two kinds of history: a file moves into an empty database at the first start with one, and a database is
 * copied into a file for backups and verification. Rows go over as they are, with their checksums, so that damage shows.
 */
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { checksumOf } from '../checksum.ts';
import { generatedPath } from '../generated-file.ts';
import { HistoryFile, plainValues } from '../proof/history-file.ts';
import { migrate, migrateGenerated, SCHEMA_VERSION, writeMeta } from '../sqlite-schema.ts';
import { CHECKSUM, type Table } from '../tables/table.ts';
import { ALL_TABLES, GENERATED_TABLES, PROJECTED_TABLES } from '../tables/tables.ts';
import type { PostgresAddress } from './address.ts';
import { refusal, refused } from './refusal.ts';
import { RowGroup } from './row-groups.ts';
import { checkMeta, readMeta } from './schema.ts';
import { checkServer, Session } from './session.ts';

/** Rows that are in memory at a time. */
const STEP_ROWS = 1000;

/** Everything in a file and in that of the generated past beside it, in groups of rows. */
export class FileRows {
  readonly path: string;
  readonly lastSeq: number;
  readonly completeSince: number;
  readonly #file: HistoryFile;
  readonly #generated: HistoryFile | undefined;

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
      const beside = generatedPath(path);
      if (!existsSync(beside)) throw new Error(`${beside} does not exist: put it back from a backup`);
      this.#generated = HistoryFile.open(beside);
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
    const file = GENERATED_TABLES.includes(table) ? this.#generated! : this.#file;
    const select = file.database.prepare(table.select);
    select.setReturnArrays(true);
    select.setReadBigInts(true);
    for (const row of select.iterate()) {
      const values = plainValues(row as unknown as Parameters<typeof plainValues>[0]);
      const checksum = values.pop();
      if (checksum !== null && checksum !== table.checksum(values))
        throw new Error(
          `the row ${table.nameOf(values)} of the table ${table.name} in ${file.path} is damaged: run "bourse verify" first`,
        );
      yield values;
    }
  }

  close(): void {
    this.#file.close();
    this.#generated?.close();
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

/** Writes the history as of one moment into a new file, and the generated past into another beside it. */
export async function copyToFile({ address, instance, path, meanwhile }: FileCopy): Promise<void> {
  const session = await Session.open(address, 'bourse history copy').catch((error: unknown) => {
    throw refusal(address, error);
  });
  const database = new DatabaseSync(path);
  const generated = new DatabaseSync(generatedPath(path));
  try {
    await checkServer(session, address);
    const begun = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
    await session.rows(begun);
    const meta = await readMeta(session, address);
    if (meta === undefined) throw refused(address, 'there is no history in it');
    checkMeta(meta, address, instance);
    for (const each of [database, generated])
      each.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF');
    migrate(database);
    migrateGenerated(generated);
    for (const each of [database, generated]) each.exec('BEGIN');
    for (const table of PROJECTED_TABLES) await copyTable(session, database, table, meanwhile);
    for (const table of GENERATED_TABLES) await copyTable(session, generated, table, meanwhile);
    await copyTotals(session, (table) => (GENERATED_NAMES.has(table) ? generated : database));
    generated.exec('COMMIT');
    const write = writeMeta(database);
    write('last_seq', meta.lastSeq);
    write('complete_since', meta.completeSince);
    write('every_row_has_checksum', 1);
    database.exec('COMMIT');
  } catch (error) {
    throw isOfFile(error) ? error : refusal(address, error);
  } finally {
    database.close();
    generated.close();
    session.destroy();
  }
  syncFile(generatedPath(path));
}

const GENERATED_NAMES: ReadonlySet<string> = new Set(GENERATED_TABLES.map(({ name }) => name));

/** Nothing writes to it later that would do it. */
function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
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

async function copyTotals(session: Session, databaseOf: (table: string) => DatabaseSync): Promise<void> {
  const totals = await session.rows(
    'SELECT table_name, rows, checksums FROM totals WHERE rows <> 0 OR checksums <> 0',
  );
  for (const total of totals as [string, number, number][])
    databaseOf(total[0])
      .prepare('INSERT INTO totals VALUES (?, ?, ?, ?)')
      .run(...total, checksumOf(total));
}
