/** A new history gets its tables at once; one of every age comes to the same by the migrations. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrate, SCHEMA_VERSION } from './sqlite-schema.ts';

const NEW_SCHEMA = new URL('migrations/new-history.sql', import.meta.url);

function inMemory(...versions: readonly number[]): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  for (const version of versions) migrate(database, version);
  return database;
}

/** Texts of everything that was created, in its order, and what the tables begin with. */
function contentsOf(database: DatabaseSync): unknown {
  const created = database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all();
  const tables = created.filter(({ type }) => type === 'table').map(({ name }) => String(name));
  const rows = tables.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()]);
  return { created, rows };
}

test('a new history has what the migrations make, with the same texts', () => {
  const migrated = inMemory(SCHEMA_VERSION - 1, SCHEMA_VERSION);
  const statements = migrated.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').all();
  const expected = statements.map(({ sql }) => `${String(sql)};\n`).join('');
  assert.equal(readFileSync(NEW_SCHEMA, 'utf8'), expected, 'new-history.sql after the newest migration');
  assert.deepEqual(contentsOf(inMemory(SCHEMA_VERSION)), contentsOf(migrated));
});

test('whatever version a history has, the migrations from there come to the same', () => {
  const expected = contentsOf(inMemory(SCHEMA_VERSION));
  for (let version = 1; version < SCHEMA_VERSION; version++)
    assert.deepEqual(contentsOf(inMemory(version, SCHEMA_VERSION)), expected, `from version ${version}`);
});
