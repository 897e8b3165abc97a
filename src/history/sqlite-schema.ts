/**
 * Tables of the SQLite history (docs/history.md), created by the files in `migrations`. Columns are named like the
 * interface's fields; decimals are text, times are Unix milliseconds, ids are the internal counter. The `..._printed`
 * views add ids as they are on the wire. A migration, once released, is never edited: a change is a new file at the
 * end. A new history gets at once what they come to together (`new-history.sql`).
 */
import { readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { programFile } from '../program-files.ts';
import { checksumOf } from './checksum.ts';

const MIGRATIONS = [
  '01-first-tables.sql',
  '02-wallets.sql',
  '03-futures.sql',
  '04-price-candles.sql',
  '05-generated-candles.sql',
  '06-loans.sql',
  '07-insurance.sql',
  '08-conversions.sql',
  '09-ended-positions.sql',
  '10-strategy-orders.sql',
  '11-generated-funding.sql',
  '12-position-moves.sql',
  '13-commissions.sql',
  '14-checksums.sql',
  '15-checkpoints.sql',
  '16-generated-file.sql',
] as const;

/** SQLite's name of a database that is no file. */
export const IN_MEMORY = ':memory:';

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Since this version rows have checksums. */
export const CHECKSUMS_VERSION = MIGRATIONS.indexOf('14-checksums.sql') + 1;

/** Since this version the generated past is in a file of its own, whose schema has the same number. */
export const GENERATED_FILE_VERSION = MIGRATIONS.indexOf('16-generated-file.sql') + 1;

/** The version of a database; 0 when there is nothing in it. */
export function schemaVersion(database: DatabaseSync): number {
  const [meta] = database.prepare("SELECT name FROM sqlite_schema WHERE name = 'meta'").all();
  return meta === undefined ? 0 : (readVersion(database) ?? 0);
}

/**
 * Brings the database to the newest schema, or to that of a version, one migration per transaction. `moveGenerated` keeps the
 * rows of the generated past for good before their tables go; without it a database that has such rows is refused.
 */
export function migrate(
  database: DatabaseSync,
  version: number = SCHEMA_VERSION,
  moveGenerated: (database: DatabaseSync) => void = refuseToDrop,
): void {
  if (version === SCHEMA_VERSION && isEmpty(database)) {
    createTables(database);
    return;
  }
  database.exec('CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT');
  if (readVersion(database) === undefined)
    database.exec("INSERT INTO meta (key, value) VALUES ('schema_version', 0)");
  const found = readVersion(database)!;
  if (found > SCHEMA_VERSION) {
    throw new Error(
      `the history database has schema version ${found}, this program knows up to ${SCHEMA_VERSION}: ` +
        'start the newer program, or move the file away to have it rebuilt',
    );
  }
  if (found >= CHECKSUMS_VERSION)
    for (const key of META_KEYS) if (found >= (META_SINCE[key] ?? 0)) readMeta(database, key);
  for (let next = found + 1; next <= version; next++) {
    if (next === GENERATED_FILE_VERSION && holdsGenerated(database)) moveGenerated(database);
    database.exec('BEGIN IMMEDIATE');
    database.exec(readFileSync(programFile(`src/history/migrations/${MIGRATIONS[next - 1]!}`), 'utf8'));
    database.prepare("UPDATE meta SET value = ? WHERE key = 'schema_version'").run(next);
    if (next >= CHECKSUMS_VERSION) sealMeta(database);
    database.exec('COMMIT');
  }
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}

/** What all migrations come to, in one transaction and without tables that go again: a fifth of the time. */
function createTables(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  database.exec(readFileSync(programFile('src/history/migrations/new-history.sql'), 'utf8'));
  const insert = database.prepare('INSERT INTO meta (key, value) VALUES (?, ?)');
  for (const key of META_KEYS) insert.run(key, key === 'schema_version' ? SCHEMA_VERSION : 0);
  sealMeta(database);
  database.exec('COMMIT');
}

function holdsGenerated(database: DatabaseSync): boolean {
  const found = database.prepare(
    'SELECT EXISTS (SELECT 1 FROM generated_candles) OR EXISTS (SELECT 1 FROM generated_funding_rates) AS found',
  );
  return found.get()!.found === 1;
}

function refuseToDrop(): never {
  throw new Error('the database holds a generated past that would be lost');
}

/** The tables of the generated past, in a file that is empty or has them. */
export function migrateGenerated(database: DatabaseSync): void {
  const found = schemaVersion(database);
  if (found > SCHEMA_VERSION)
    throw new Error(
      `it has schema version ${found}, this program knows up to ${SCHEMA_VERSION}: start the newer program`,
    );
  if (found > 0) {
    readMeta(database, 'schema_version');
    return;
  }
  database.exec('BEGIN IMMEDIATE');
  const tables = 'src/history/migrations/generated/16-first-tables.sql';
  database.exec(readFileSync(programFile(tables), 'utf8'));
  database.exec(`INSERT INTO meta (key, value) VALUES ('schema_version', ${GENERATED_FILE_VERSION})`);
  sealMeta(database);
  database.exec('COMMIT');
}

const META_KEYS = [
  'schema_version',
  'last_seq',
  'every_row_has_checksum',
  'complete_since',
  'checkpoint',
] as const;
export type MetaKey = (typeof META_KEYS)[number];
/** Keys that came after the checksums. */
const META_SINCE: Partial<Record<MetaKey, number>> = {
  checkpoint: MIGRATIONS.indexOf('15-checkpoints.sql') + 1,
};

/** Throws when the row is damaged, since the next write would hide it; older versions have no checksum. */
export function readMeta(database: DatabaseSync, key: MetaKey): number {
  const hasChecksum = (readVersion(database) ?? 0) >= CHECKSUMS_VERSION;
  const columns = hasChecksum ? 'value, checksum' : 'value';
  const row = database.prepare(`SELECT ${columns} FROM meta WHERE key = ?`).get(key);
  if (row === undefined) throw new Error(`the table meta is malformed: it has no ${key}`);
  const value = Number(row.value);
  if (hasChecksum && row.checksum !== checksumOf([key, value]))
    throw new Error(`the table meta is malformed: ${key} is ${value}, which does not match its checksum`);
  return value;
}

export function writeMeta(database: DatabaseSync): (key: MetaKey, value: number) => void {
  const update = database.prepare('UPDATE meta SET value = ?, checksum = ? WHERE key = ?');
  return (key, value) => {
    update.run(value, checksumOf([key, value]), key);
  };
}

function readVersion(database: DatabaseSync): number | undefined {
  const row = database.prepare("SELECT value FROM meta WHERE key = 'schema_version'").get();
  return row && Number(row.value);
}

function sealMeta(database: DatabaseSync): void {
  const write = writeMeta(database);
  for (const { key, value } of database.prepare('SELECT key, value FROM meta').all())
    write(key as MetaKey, Number(value));
}
