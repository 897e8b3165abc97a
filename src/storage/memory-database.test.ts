import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryDatabases } from './memory-database.ts';

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
