import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { DamagedRow } from './checksum.ts';
import { GeneratedBooks } from './generated-books.ts';
import { GeneratedFile } from './generated-file.ts';
import { GENERATED_FILE_VERSION, IN_MEMORY, migrate, writeMeta } from './sqlite-schema.ts';
import { GENERATED_FUNDING_RATES } from './tables/market-records.ts';

const [FIRST, LATER] = [1_700_000_000_000, 1_700_028_800_000];

/** A history with two generated rates in its tables, as programs before the file of its own wrote it. */
function fileOf(): DatabaseSync {
  const database = new DatabaseSync(IN_MEMORY);
  migrate(database, GENERATED_FILE_VERSION - 1);
  const insert = database.prepare(GENERATED_FUNDING_RATES.insert);
  for (const time of [FIRST, LATER]) {
    const row = ['USDT-FUTURES', 'BTCUSDT', time, '0.0001'];
    insert.run(...row, GENERATED_FUNDING_RATES.checksum(row));
  }
  return database;
}

function taken(database: DatabaseSync): GeneratedBooks {
  const books = new GeneratedBooks();
  migrate(database, undefined, (from) => books.takeFrom(from));
  return books;
}

const timesOf = (books: GeneratedBooks, before: number) =>
  books.ratesBefore('USDT-FUTURES', 'BTCUSDT', before).map((row) => Number(row[2]));

test('takes the rows out of the tables, the latest first', () => {
  const database = fileOf();
  const books = taken(database);
  assert.deepEqual(timesOf(books, Infinity), [LATER, FIRST]);
  assert.deepEqual(timesOf(books, LATER), [FIRST]);
  assert.throws(() => database.prepare(GENERATED_FUNDING_RATES.select), /no such table/);
});

test('tables that hold a past are not dropped before somebody has taken it', () => {
  const database = fileOf();
  assert.throws(() => migrate(database), /generated past that would be lost/);
  assert.deepEqual(timesOf(taken(database), Infinity), [LATER, FIRST]);
});

test('reads a file once while its books are in use, whatever name it has', () => {
  const home = temporaryDirectory();
  const [path, other] = [join(home, 'a.sqlite'), join(home, 'b.sqlite')] as const;
  const file = new GeneratedFile(path);
  file.addBooks(taken(fileOf()));
  file.commit();
  file.linkTo(other);
  const books = GeneratedBooks.ofFile(path);
  assert.deepEqual(timesOf(books, Infinity), [LATER, FIRST]);
  assert.equal(GeneratedBooks.ofFile(other), books);
  const rates = [{ time: FIRST - 1, fundingRate: '0.0002' }];
  file.add({ candles: [], funding: { category: 'USDT-FUTURES', symbol: 'BTCUSDT', rates } });
  file.commit();
  file.close();
  assert.equal(timesOf(GeneratedBooks.ofFile(path), Infinity).length, 3);
  assert.equal(GeneratedBooks.ofFile(other), books);
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
