/** The file of the generated past: shared without being changed, moved out of older histories, put right after a kill. */

import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { withDatabase } from '../../test/history/with-database.ts';
import { DamagedRow } from './checksum.ts';
import type { GeneratedPast } from './generated-candles.ts';
import { GeneratedFile, generatedPath } from './generated-file.ts';
import { HistoryStarved } from './history.ts';
import { proveGenerated, repairGenerated } from './proof/generated-proof.ts';
import { openSqliteHistory } from './sqlite-history.ts';
import { GENERATED_FILE_VERSION, migrate, readMeta, SCHEMA_VERSION, writeMeta } from './sqlite-schema.ts';
import { GENERATED_CANDLES, generatedRow } from './tables/generated-candles.ts';
import { GENERATED_FUNDING_RATES, generatedFundingRow } from './tables/market-records.ts';
import { GENERATED_TABLES } from './tables/tables.ts';
import { Totals } from './totals.ts';

const FIRST = 1_700_000_000_000 - (1_700_000_000_000 % 60_000);
const COUNT = 500;

function past(symbol: string): GeneratedPast {
  const candles = {
    category: 'SPOT',
    symbol,
    interval: '1m',
    firstOpen: FIRST,
    pricePrecision: 2,
    quantityPrecision: 6,
    ticks: Int32Array.from({ length: 4 * COUNT }, (_, n) => 6_000_000 + ((n * 7919) % 1000)),
    lots: Float64Array.from({ length: COUNT }, (_, n) => (n * 104_729) % 1_000_000),
  } as const;
  const rates = [FIRST, FIRST + 1000].map((time) => ({ time, fundingRate: '0.0001' }));
  return { candles: [candles], funding: { category: 'USDT-FUTURES', symbol, rates } };
}

const unexpected = (error: Error) => {
  throw error;
};
const inode = (path: string) => statSync(path).ino;
const booksIn = (path: string) => {
  const file = new GeneratedFile(path);
  try {
    return file.names();
  } finally {
    file.close();
  }
};

test('is written in place while it has one name, and by a copy when it has several', () => {
  const home = temporaryDirectory();
  const [path, other] = [join(home, 'a.sqlite'), join(home, 'b.sqlite')] as const;
  const file = new GeneratedFile(path);
  const first = inode(path);
  file.add(past('BTCUSDT'));
  file.commit();
  assert.equal(inode(path), first);
  file.linkTo(other);
  assert.equal(inode(other), first);
  const shared = readFileSync(other);
  file.add(past('ETHUSDT'));
  file.commit();
  const second = inode(path);
  assert.notEqual(second, first);
  assert.deepEqual(readFileSync(other), shared, 'what is shared never changes');
  file.add(past('XRPUSDT'));
  file.commit();
  assert.equal(inode(path), second, 'it is copied once');
  assert.deepEqual(file.names(), ['SPOT:BTCUSDT', 'SPOT:ETHUSDT', 'SPOT:XRPUSDT']);
  assert.equal(file.ratesBefore('USDT-FUTURES', 'ETHUSDT', Infinity).length, 2);
  file.close();
  assert.deepEqual(booksIn(other), ['SPOT:BTCUSDT']);
  assert.deepEqual(proveGenerated(path).damages, []);
  assert.deepEqual(readdirSync(home).sort(), ['a.sqlite', 'b.sqlite']);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('a copy that a kill has cut off is removed by the next start', () => {
  const path = join(temporaryDirectory(), 'a.sqlite');
  new GeneratedFile(path).close();
  copyFileSync(path, `${path}.tmp`);
  new GeneratedFile(path).close();
  assert.ok(!existsSync(`${path}.tmp`));
});

/** A history of the program before, with two books in its tables. */
function older(change = (_database: DatabaseSync): void => {}): string {
  const path = join(temporaryDirectory(), 'history.sqlite');
  withDatabase(path, (database) => {
    database.exec('PRAGMA journal_mode = WAL');
    migrate(database, GENERATED_FILE_VERSION - 1);
    const totals = new Totals(database, GENERATED_TABLES);
    database.exec('BEGIN');
    const insert = (table: (typeof GENERATED_TABLES)[number], row: ReturnType<typeof generatedRow>) => {
      const checksum = table.checksum(row);
      database.prepare(table.insert).run(...row, checksum);
      totals.add(table.name, checksum);
    };
    for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
      const { candles, funding } = past(symbol);
      for (const chunk of candles) insert(GENERATED_CANDLES, generatedRow(chunk));
      for (const rate of funding!.rates) insert(GENERATED_FUNDING_RATES, generatedFundingRow(funding!, rate));
    }
    totals.store();
    writeMeta(database)('every_row_has_checksum', 1);
    writeMeta(database)('last_seq', 7);
    change(database);
    database.exec('COMMIT');
  });
  return path;
}

async function seen(path: string): Promise<unknown> {
  const history = await openSqliteHistory({ path, onFailure: unexpected });
  try {
    const series = { category: 'SPOT', symbol: 'BTCUSDT', type: 'market', interval: '1m' } as const;
    const rates = { category: 'USDT-FUTURES', symbol: 'ETHUSDT', skip: 0, limit: 9 } as const;
    assert.equal(history.confirmedSeq, 7);
    return [
      await history.generatedBooks(),
      await history.candles({ ...series, limit: COUNT, from: 'oldest' }),
      await history.fundingRates(rates),
    ];
  } finally {
    await history.close();
  }
}

const versionOf = (path: string) => withDatabase(path, (database) => readMeta(database, 'schema_version'));

test('a history of the program before gives up its tables and their space, and reads as it was', async () => {
  const path = older((database) => {
    // A past as large as the default one, compared with the rest.
    database.exec('CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(1500000))');
    database.exec('DROP TABLE filler');
  });
  const before = statSync(path).size;
  const [books, candles, rates] = (await seen(path)) as [string[], unknown[], unknown[]];
  assert.deepEqual(books, ['SPOT:BTCUSDT', 'SPOT:ETHUSDT']);
  assert.deepEqual([candles.length, rates.length], [COUNT, 2]);
  assert.equal(versionOf(path), SCHEMA_VERSION);
  assert.ok(statSync(path).size < before - 1_400_000, `${statSync(path).size} of ${before} bytes`);
  withDatabase(path, (database) => {
    assert.throws(() => database.prepare(GENERATED_CANDLES.select), /no such table/);
    assert.equal(
      database.prepare("SELECT count(*) AS n FROM totals WHERE table_name LIKE 'generated%'").get()!.n,
      0,
    );
  });
  assert.deepEqual(proveGenerated(generatedPath(path)), { sound: 6 + 3, damages: [], damageCount: 0 });
  assert.deepEqual(await seen(path), [books, candles, rates]);
});

test('a kill between the move and the end of the tables is made good by the next start', async () => {
  const path = older();
  const expected = await seen(older());
  for (const kills of [1, 2]) {
    withDatabase(path, (database) => {
      const generated = new GeneratedFile(generatedPath(path));
      const killed = new Error('killed');
      const die = (from: DatabaseSync) => {
        generated.takeFrom(from);
        throw killed;
      };
      assert.throws(() => migrate(database, undefined, die), killed, `kill ${kills}`);
      generated.close();
    });
    assert.equal(versionOf(path), GENERATED_FILE_VERSION - 1);
    assert.equal(proveGenerated(generatedPath(path)).damageCount, 0);
  }
  assert.deepEqual(await seen(path), expected);
  assert.equal(versionOf(path), SCHEMA_VERSION);
  assert.deepEqual(proveGenerated(generatedPath(path)).damages, []);
});

test('damage of the tables goes with them: it is neither served nor forgotten', async () => {
  const path = older((database) => {
    database.exec("UPDATE generated_candles SET last_open = last_open + 1 WHERE symbol = 'BTCUSDT'");
    database.exec(`DELETE FROM generated_funding_rates WHERE symbol = 'ETHUSDT' AND funding_time = ${FIRST}`);
  });
  await assert.rejects(seen(path), /row .*symbol=BTCUSDT .* of the table generated_candles is damaged/);
  const { damages } = proveGenerated(generatedPath(path));
  assert.deepEqual(
    damages.map(({ table, problem }) => `${table} ${problem}`),
    ['generated_candles its checksum does not match', 'generated_funding_rates lacks 1 of its rows'],
  );
});

test('rows of a program before checksums get them on the way', async () => {
  const path = older((database) => {
    for (const { name } of GENERATED_TABLES) database.exec(`UPDATE ${name} SET checksum = NULL`);
    database.exec('DELETE FROM totals');
    writeMeta(database)('every_row_has_checksum', 0);
  });
  assert.equal(((await seen(path)) as unknown[][])[1]!.length, COUNT);
  assert.deepEqual(proveGenerated(generatedPath(path)).damages, []);
});

/** Two books in it; the second is half written when the process is killed. */
function killed(): string {
  const home = temporaryDirectory();
  const [path, left] = [join(home, 'a.sqlite'), join(home, 'killed.sqlite')] as const;
  const file = new GeneratedFile(path);
  file.add(past('BTCUSDT'));
  file.commit();
  file.close();
  withDatabase(path, (database) => {
    // Pages reach the file before the commit.
    database.exec('PRAGMA cache_spill = 1; PRAGMA cache_size = 1; BEGIN IMMEDIATE');
    database.exec('UPDATE generated_candles SET candles = zeroblob(300000)');
    for (const end of ['', '-journal']) copyFileSync(`${path}${end}`, `${left}${end}`);
    database.exec('ROLLBACK');
  });
  return left;
}

test('a transaction that a kill has cut off is taken back, and verification only reads', () => {
  const path = killed();
  const files = () => ['', '-journal'].map((end) => readFileSync(`${path}${end}`));
  const before = files();
  assert.deepEqual(proveGenerated(path).damages, []);
  assert.deepEqual(files(), before);
  const file = new GeneratedFile(path);
  assert.equal(file.chunk('SPOT', 'BTCUSDT', '1m', FIRST)![2], '1m');
  file.close();
  assert.deepEqual(readdirSync(dirname(path)).sort(), ['a.sqlite', 'killed.sqlite']);
});

test('a reader of the file puts a commit off, and holds up neither rows of commands nor reads', async () => {
  const path = join(temporaryDirectory(), 'history.sqlite');
  const history = await openSqliteHistory({ path, onFailure: unexpected });
  const reader = new DatabaseSync(generatedPath(path), { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM meta').get();
  history.addGenerated(past('BTCUSDT'));
  history.project({ seq: 1, time: FIRST, events: [] });
  await assert.rejects(
    history.flush(),
    (error: Error) =>
      error instanceof HistoryStarved && /another program reads .*-generated/.test(error.message),
  );
  assert.equal(history.confirmedSeq, 1);
  assert.equal(history.starved, false, 'the disk is not full');
  assert.deepEqual(await history.generatedBooks(), ['SPOT:BTCUSDT']);
  reader.exec('COMMIT');
  reader.close();
  await history.flush();
  await history.close();
  assert.deepEqual(booksIn(generatedPath(path)), ['SPOT:BTCUSDT']);
});

test('a copy of the history has a link to it, and what comes later is not in the copy', async () => {
  const home = temporaryDirectory();
  const [path, copy] = [join(home, 'history.sqlite'), join(home, 'copy.sqlite')] as const;
  const history = await openSqliteHistory({ path, onFailure: unexpected });
  history.addGenerated(past('BTCUSDT'));
  await history.copyTo(copy);
  assert.equal(inode(generatedPath(copy)), inode(generatedPath(path)));
  history.addGenerated(past('ETHUSDT'));
  await history.flush();
  const branch = await openSqliteHistory({ path: copy, onFailure: unexpected });
  assert.deepEqual(await branch.generatedBooks(), ['SPOT:BTCUSDT']);
  branch.addGenerated(past('XRPUSDT'));
  await branch.close();
  assert.deepEqual(await history.generatedBooks(), ['SPOT:BTCUSDT', 'SPOT:ETHUSDT']);
  await history.close();
});

test('a history whose generated past is lost is refused, until the loss is accepted', async () => {
  const path = join(temporaryDirectory(), 'history.sqlite');
  const open = (acceptGap: boolean, onNotice = (_text: string) => {}) =>
    openSqliteHistory({ path, onFailure: unexpected, acceptGap, onNotice });
  await (await open(false)).close();
  rmSync(generatedPath(path));
  await assert.rejects(open(false), /history-generated\.sqlite does not exist/);
  assert.ok(!existsSync(generatedPath(path)));
  const notices: string[] = [];
  const history = await open(true, (text) => notices.push(text));
  assert.match(notices[0]!, /the generated past is lost/);
  assert.deepEqual(await history.generatedBooks(), []);
  await history.close();
  await (await open(false)).close();
});

test('a history that is lost leaves the generated past as it is', async () => {
  const path = join(temporaryDirectory(), 'history.sqlite');
  const history = await openSqliteHistory({ path, onFailure: unexpected });
  history.addGenerated(past('BTCUSDT'));
  await history.close();
  rmSync(path);
  const again = await openSqliteHistory({ path, onFailure: unexpected });
  assert.deepEqual(await again.generatedBooks(), ['SPOT:BTCUSDT']);
  await again.close();
});

test('a changed row is not served; a changed number is mended, in a copy where others have the file too', () => {
  const home = temporaryDirectory();
  const [path, other] = [join(home, 'a.sqlite'), join(home, 'b.sqlite')] as const;
  const file = new GeneratedFile(path);
  file.add(past('BTCUSDT'));
  file.commit();
  file.linkTo(other);
  file.close();
  withDatabase(path, (database) => database.exec('UPDATE generated_candles SET price_precision = 3'));
  const reading = new GeneratedFile(path);
  assert.throws(() => reading.chunk('SPOT', 'BTCUSDT', '1m', FIRST), DamagedRow);
  reading.close();
  const [damage] = proveGenerated(path).damages;
  assert.deepEqual([damage!.field, damage!.stored, damage!.expected], ['price_precision', '3', '2']);
  assert.equal(repairGenerated(path), 1);
  assert.deepEqual(proveGenerated(path).damages, []);
  assert.equal(proveGenerated(other).damageCount, 1);
  withDatabase(path, (database) => database.exec('UPDATE generated_candles SET candles = zeroblob(7)'));
  assert.equal(repairGenerated(path), 0);
  assert.equal(proveGenerated(path).damageCount, 1, 'bytes of candles are not guessed');
});

test('a file that is missing, no database or of a newer program is named', async () => {
  const home = temporaryDirectory();
  const path = join(home, 'history.sqlite');
  const gone = proveGenerated(generatedPath(path));
  assert.deepEqual(gone.damages[0], {
    table: 'history-generated.sqlite file',
    row: '',
    problem: 'does not exist',
  });
  await (await openSqliteHistory({ path, onFailure: unexpected })).close();
  const newer = SCHEMA_VERSION + 1;
  withDatabase(generatedPath(path), (database) => writeMeta(database)('schema_version', newer));
  await assert.rejects(
    openSqliteHistory({ path, onFailure: unexpected }),
    new RegExp(`history-generated\\.sqlite: it has schema version ${newer}`),
  );
  renameSync(path, join(home, 'kept.sqlite'));
  copyFileSync(import.meta.filename, generatedPath(path));
  await assert.rejects(
    openSqliteHistory({ path, onFailure: unexpected }),
    /history-generated\.sqlite: .*not a database/,
  );
  assert.match(proveGenerated(generatedPath(path)).damages[0]!.problem, /not a database/);
});
