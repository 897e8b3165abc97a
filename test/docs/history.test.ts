/** `docs/history.md` names every table and column of the history, and none that is not there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrate, migrateGenerated } from '../../src/history/sqlite-schema.ts';
import { ROOT } from './blocks.ts';

function stored(make: (database: DatabaseSync) => void): Record<string, string[]> {
  const database = new DatabaseSync(':memory:');
  make(database);
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));
  const columns = (table: string) =>
    database
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map(({ name }) => String(name));
  const found = Object.fromEntries(tables.map((table) => [table, columns(table).sort()]));
  database.close();
  return found;
}

/** Key and columns of each row; what stands in brackets, or behind a colon, explains them. */
function documented(): Record<string, string[]> {
  const lines = readFileSync(join(ROOT, 'docs/history.md'), 'utf8').split('\n');
  const rows = lines.filter((line) => line.startsWith('| `')).map((line) => line.split('|'));
  const names = (text: string) => [...text.matchAll(/`(\w+)`/g)].map((match) => match[1]!);
  return Object.fromEntries(
    rows.map((row) => {
      const plain = row.slice(3).map((cell) => cell.replace(/\([^)]*\)/g, '').replace(/: .*/, ''));
      return [names(row[1]!)[0]!, names(plain.join(' ')).sort()];
    }),
  );
}

test('docs/history.md shows the tables and columns of the history', () => {
  const [history, generated] = [stored(migrate), stored(migrateGenerated)];
  for (const both of ['meta', 'totals']) assert.deepEqual(history[both], generated[both]);
  assert.deepEqual(documented(), { ...history, ...generated });
});
