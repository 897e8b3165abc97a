import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { DamagedRow } from './checksum.ts';
import { GeneratedBooks } from './generated-books.ts';
import { IN_MEMORY, migrate, writeMeta } from './sqlite-schema.ts';
import { SqliteWriter } from './sqlite-writer.ts';

const [FIRST, LATER] = [1_700_000_000_000, 1_700_028_800_000];

/** A database with two generated rates in its tables, as a file of an exchange has them. */
function fileOf(): DatabaseSync {
  const database = new DatabaseSync(IN_MEMORY);
  migrate(database);
  const writer = new SqliteWriter(database);
  const rates = [FIRST, LATER].map((time) => ({ time, fundingRate: '0.0001' }));
  writer.addGenerated({ candles: [], funding: { category: 'USDT-FUTURES', symbol: 'BTCUSDT', rates } });
  writer.commit();
  return database;
}

function taken(database: DatabaseSync): GeneratedBooks {
  const books = new GeneratedBooks();
  books.takeFrom(database);
  return books;
}

const timesOf = (books: GeneratedBooks, before: number) =>
  books.ratesBefore('USDT-FUTURES', 'BTCUSDT', before).map((row) => Number(row[2]));

test('takes the rows out of the tables, the latest first', () => {
  const database = fileOf();
  const books = taken(database);
  assert.deepEqual(timesOf(books, Infinity), [LATER, FIRST]);
  assert.deepEqual(timesOf(books, LATER), [FIRST]);
  assert.equal(database.prepare('SELECT count(*) AS n FROM generated_funding_rates').get()!.n, 0);
});

test('refuses a row that was changed, and one without a checksum where every row has one', () => {
  for (const change of ["SET funding_rate = '0.5'", 'SET checksum = NULL']) {
    const database = fileOf();
    writeMeta(database)('every_row_has_checksum', 1);
    database.exec(`UPDATE generated_funding_rates ${change} WHERE funding_time = ${FIRST}`);
    const books = taken(database);
    assert.throws(() => timesOf(books, Infinity), DamagedRow, change);
    assert.equal([...books.rows()].length, 1, 'it is not written on either');
  }
});

test('takes rows of an older program, which had no checksums', () => {
  const database = fileOf();
  writeMeta(database)('every_row_has_checksum', 0);
  database.exec('UPDATE generated_funding_rates SET checksum = NULL');
  assert.deepEqual(timesOf(taken(database), Infinity), [LATER, FIRST]);
});

test('what a copy gets later is its own', () => {
  const books = taken(fileOf());
  const copy = books.copy();
  const rates = [{ time: FIRST - 1, fundingRate: '0.0002' }];
  copy.add({ candles: [], funding: { category: 'USDT-FUTURES', symbol: 'BTCUSDT', rates } });
  assert.equal(timesOf(copy, Infinity).length, 3);
  assert.equal(timesOf(books, Infinity).length, 2);
});
