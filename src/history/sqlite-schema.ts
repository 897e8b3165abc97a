/**
 * Tables of the SQLite history (docs/history.md), made by the files in `migrations`. Columns are named like the
 * interface's fields; decimals are text, times are Unix milliseconds, ids are the internal counter. The `..._printed`
 * views add what people see. A migration, once released, is never edited: a change is a new file at the end.
 */
import { readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

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
] as const;

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Brings the database to the newest schema, one migration per transaction; an older one is for tests of the way there. */
export function migrate(database: DatabaseSync, newest: number = SCHEMA_VERSION): void {
  database.exec('CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT');
  database.exec("INSERT INTO meta (key, value) VALUES ('schema_version', 0) ON CONFLICT (key) DO NOTHING");
  const found = readMeta(database, 'schema_version');
  if (found > SCHEMA_VERSION) {
    throw new Error(
      `the history database has schema version ${found}, this program knows up to ${SCHEMA_VERSION}: ` +
        'start the newer program, or move the file away to have it rebuilt',
    );
  }
  for (let version = found + 1; version <= newest; version++) {
    database.exec('BEGIN IMMEDIATE');
    database.exec(readFileSync(new URL(`migrations/${MIGRATIONS[version - 1]!}`, import.meta.url), 'utf8'));
    database.prepare("UPDATE meta SET value = ? WHERE key = 'schema_version'").run(version);
    database.exec('COMMIT');
  }
}

export function readMeta(database: DatabaseSync, key: 'schema_version' | 'last_seq'): number {
  const row = database.prepare('SELECT value FROM meta WHERE key = ?').get(key);
  if (row === undefined) throw new Error(`the history database has no ${key} in its table meta`);
  return Number(row.value);
}
