import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import {
  contentsByFile,
  contentsOf,
  databaseByFile,
  databaseWith,
  MemoryDatabases,
} from './memory-database.ts';

test('each begins like the first and shares nothing with the others', () => {
  let made = 0;
  const databases = new MemoryDatabases((database) => {
    made += 1;
    database.exec("CREATE TABLE words (word TEXT) STRICT; INSERT INTO words VALUES ('first')");
  });
  const [one, other] = [databases.open(), databases.open()];
  one.exec("INSERT INTO words VALUES ('one')");
  other.exec("DELETE FROM words; INSERT INTO words VALUES ('other')");
  one.close();
  const third = databases.open();
  const words = (database: typeof third) =>
    database
      .prepare('SELECT word FROM words')
      .all()
      .map(({ word }) => word);
  assert.deepEqual([words(other), words(third)], [['other'], ['first']]);
  // Where Node can copy a database it is made once.
  assert.equal(made, 'deserialize' in third ? 1 : 3);
  other.close();
  third.close();
});

const COPIES = { contentsOf, contentsByFile };
const OPENS = { databaseWith, databaseByFile };

for (const [way, copy] of Object.entries(COPIES))
  for (const [back, open] of Object.entries(OPENS))
    test(`a copy by ${way} and ${back} has every row, index and number, and is on its own`, () => {
      const one = new DatabaseSync(':memory:');
      one.exec(`PRAGMA user_version = 7;
        CREATE TABLE rows (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE keys (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX names ON rows (name);
        INSERT INTO rows (name, bytes) VALUES ('a', x'00ff'), ('b', x''), ('c', x'01');
        DELETE FROM rows WHERE name = 'c'; INSERT INTO keys VALUES ('k')`);
      const contents = copy(one);
      const other = open(contents);
      const again = open(contents);
      const all = (database: DatabaseSync) => [
        ...database.prepare('SELECT name, hex(bytes) AS bytes FROM rows ORDER BY id').all(),
        ...database.prepare('SELECT key FROM keys').all(),
        database.prepare('PRAGMA user_version').get(),
      ];
      assert.deepEqual(all(other), all(one));
      other.exec("INSERT INTO rows (name, bytes) VALUES ('d', x'02')");
      assert.equal(other.prepare("SELECT id FROM rows WHERE name = 'd'").get()!.id, 4, 'ids go on');
      assert.throws(() => other.exec("INSERT INTO rows (name, bytes) VALUES ('a', x'')"), /UNIQUE/);
      assert.deepEqual(all(again), all(one), 'what one writes is not in the others');
      for (const database of [one, other, again]) database.close();
    });

test('no file of a copy stays', () => {
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('bourse-copy-')).length;
  const before = left();
  const database = new DatabaseSync(':memory:');
  databaseByFile(contentsByFile(database)).close();
  assert.throws(() => databaseByFile(Buffer.from('no database at all')));
  database.close();
  assert.ok(left() <= before);
});
