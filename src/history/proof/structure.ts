/** Checks pages, indexes and schema of the file: SQLite's own integrity check, and the definitions of its tables. */
import { DatabaseSync } from 'node:sqlite';
import { migrate, migrateGenerated } from '../sqlite-schema.ts';
import type { Damages } from './damage.ts';

const PROBLEMS_MAX = 100;

/** Reads every page, and compares every index with its table. */
export function checkStructure(database: DatabaseSync, damages: Damages): void {
  for (const { integrity_check: problem } of database
    .prepare(`PRAGMA integrity_check(${PROBLEMS_MAX})`)
    .all()) {
    if (problem !== 'ok') damages.add({ table: 'file', row: '', problem: String(problem) });
  }
}

/** Tables, indexes and views are created by the migrations alone, so their texts are known. */
export function checkSchema(database: DatabaseSync, version: number, damages: Damages): void {
  compareSchema(database, schemaOfVersion(version), damages);
}

/** Those of the file of the generated past. */
export function checkGeneratedSchema(database: DatabaseSync, damages: Damages): void {
  compareSchema(database, schemaMadeBy(migrateGenerated), damages);
}

function compareSchema(database: DatabaseSync, schema: ReadonlyMap<string, string>, damages: Damages): void {
  const found = schemaOf(database);
  for (const [name, expected] of schema) {
    const stored = found.get(name);
    if (stored === expected) continue;
    const row = `name=${name}`;
    if (stored === undefined) damages.add({ table: 'sqlite_schema', row, problem: 'is missing' });
    else damages.add({ table: 'sqlite_schema', row, problem: 'differs', field: 'sql', stored, expected });
  }
}

const schemas = new Map<number, ReadonlyMap<string, string>>();

function schemaOfVersion(version: number): ReadonlyMap<string, string> {
  const known = schemas.get(version);
  if (known !== undefined) return known;
  const schema = schemaMadeBy((database) => migrate(database, version));
  schemas.set(version, schema);
  return schema;
}

function schemaMadeBy(make: (database: DatabaseSync) => void): ReadonlyMap<string, string> {
  const fresh = new DatabaseSync(':memory:');
  make(fresh);
  const schema = schemaOf(fresh);
  fresh.close();
  return schema;
}

function schemaOf(database: DatabaseSync): Map<string, string> {
  const rows = database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all();
  return new Map(
    rows.map(({ type, name, tbl_name, sql }) => [String(name), [type, tbl_name, sql].join(' ')]),
  );
}
