/** A history on the disk, changed behind its back: what the proof finds, and what it does not mind. */

import assert from 'node:assert/strict';
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import {
  aCandle,
  aConversion,
  aFill,
  aGeneratedPast,
  anOrder,
  aTransfer,
  aWalletRecord,
  COINS,
  INSTRUMENTS,
  START_TIME,
} from '../../../test/history/example-events.ts';
import { projectInCommands, type RandomRows, randomRows } from '../../../test/history/random-rows.ts';
import { ALL_TIME } from '../../../test/history/storage.ts';
import { withDatabase } from '../../../test/history/with-database.ts';
import { sizeOf } from '../../../test/property/seeds.ts';
import type { Event } from '../../core/model/event.ts';
import { Threads } from '../../storage/threads.ts';
import { GeneratedFile, generatedPath } from '../generated-file.ts';
import { RETENTION_MS } from '../history.ts';
import { openSqliteHistory } from '../sqlite-history.ts';
import { CHECKSUMS_VERSION, migrate } from '../sqlite-schema.ts';
import { SqliteWriter } from '../sqlite-writer.ts';
import { GENERATED_TABLES, PROJECTED_TABLES, PROJECTIONS } from '../tables/tables.ts';
import type { Damage } from './damage.ts';
import { HistoryProof } from './history-proof.ts';
import { HistoryRepair } from './repair.ts';

const folder = mkdtempSync(join(tmpdir(), 'bourse-proof-'));
const SOUND = join(folder, 'sound.sqlite');
after(() => rmSync(folder, { recursive: true, force: true }));

const ROWS = randomRows(400);
const EVENTS = withKnown(ROWS);

function withKnown({ events, lastTime: time }: RandomRows): readonly Event[] {
  return [
    ...events,
    { type: 'fill', fill: aFill({ execId: 5001, priceTicks: 6_001_800, time }) },
    { type: 'order', order: anOrder({ orderId: 5002, clientOid: 'the-only-one', createdTime: time }) },
    aCandle({ openTime: START_TIME }),
    aConversion({ conversionId: 5003, time }),
  ];
}

/** One for the files of all tests, one after another. */
const threads = new Threads();
after(() => threads.close());

const unexpected = (error: Error) => {
  throw error;
};

async function write(path: string, events: readonly Event[]): Promise<void> {
  const history = await openSqliteHistory({ path, onFailure: unexpected, threads });
  history.describe(INSTRUMENTS, COINS);
  history.addGenerated(aGeneratedPast(START_TIME));
  projectInCommands(history, events);
  await history.close();
}

before(() => write(SOUND, EVENTS));

let copies = 0;
function copy(change?: (database: DatabaseSync) => void): string {
  const path = join(folder, `copy-${copies++}.sqlite`);
  copyFileSync(SOUND, path);
  copyFileSync(generatedPath(SOUND), generatedPath(path));
  if (change !== undefined) withDatabase(path, change);
  return path;
}

/** What is found in the rows by themselves and, with events, by what the log makes. */
function findings(path: string, events: readonly Event[] = [], repair?: HistoryRepair): readonly Damage[] {
  const proof = new HistoryProof(path, repair);
  try {
    proof.describe(INSTRUMENTS, COINS);
    proof.compare(1, events, START_TIME);
    proof.finishComparison(START_TIME);
    if (repair !== undefined) {
      repair.finish(proof.facts!);
      return [];
    }
    for (const _ of proof.checkRows());
    return proof.damages;
  } finally {
    proof.close();
  }
}

function mend(path: string, events: readonly Event[] = []): number {
  const repair = new HistoryRepair(path);
  try {
    repair.begin();
    assert.ok(repair.mendFile());
    findings(path, events, repair);
    return repair.rows;
  } finally {
    repair.close();
  }
}

/** Changes one bit at each place that holds the text, as long as `where` wants it. */
function flip(path: string, text: string, at: number, bit: number, where = (_page: number) => true): number {
  const bytes = readFileSync(path);
  let changed = 0;
  for (let found = bytes.indexOf(text); found >= 0; found = bytes.indexOf(text, found + 1)) {
    if (!where(bytes[found - (found % 4096)]!)) continue;
    bytes[found + at]! ^= bit;
    changed += 1;
  }
  writeFileSync(path, bytes);
  return changed;
}

test('a history that nobody touched is sound, after updates and pruning as well', async () => {
  assert.deepEqual(findings(SOUND, EVENTS), []);
  const path = copy();
  const history = await openSqliteHistory({ path, onFailure: unexpected, threads });
  assert.ok((await history.prune(ROWS.lastTime + RETENTION_MS + 1)) > 100);
  await history.close();
  assert.deepEqual(findings(path), []);
});

test('to prove a history leaves nothing behind and changes nothing', () => {
  const path = copy();
  const stored = readFileSync(path);
  findings(path, EVENTS);
  assert.deepEqual(readFileSync(path), stored);
  assert.throws(() => readFileSync(`${path}-wal`), /ENOENT/);
});

test('a changed bit of a price is found, named with what it was, and mended', () => {
  const path = copy();
  assert.equal(flip(path, '60018', 0, 1), 1);
  const expected = {
    table: 'fills',
    row: 'exec_id=5001',
    field: 'exec_price',
    stored: '70018',
    expected: '60018',
  };
  assert.deepEqual(findings(path), [{ ...expected, problem: 'its checksum does not match' }]);
  const [byLog] = findings(path, EVENTS);
  assert.deepEqual(byLog, { ...expected, problem: 'is not what the log makes' });
  assert.equal(mend(path), 1);
  assert.deepEqual(findings(path, EVENTS), []);
});

test('a read does not serve a changed row, and serves the others', async () => {
  const path = copy();
  flip(path, '60018', 0, 1);
  const history = await openSqliteHistory({ path, onFailure: unexpected, threads });
  const query = { uid: 1, ...ALL_TIME, limit: 100 };
  await assert.rejects(history.fills(query), /row exec_id=5001 of the table fills is damaged/);
  assert.equal(history.damagedReads(), 1);
  assert.ok((await history.fills({ ...query, beforeId: 5001 })).length > 5);
  assert.equal(history.damagedReads(), 1);
  await history.close();
});

test('every single bit of a value and its neighbours is noticed', async () => {
  const path = join(folder, 'flipped.sqlite');
  // Other rows are read in every trial and prove nothing more.
  await write(path, withKnown(randomRows(40)));
  const bytes = readFileSync(path);
  const at = bytes.indexOf('60018') - 12;
  for (let bit = 0; bit < 8 * 32; bit++) {
    const there = at + (bit >> 3);
    withFlip(path, bytes, there, 1 << (bit & 7), () =>
      assert.notEqual(findings(path).length, 0, `byte ${there}, bit ${bit & 7}`),
    );
  }
});

test('a bit changed anywhere is noticed, or changes nothing that can be read', () => {
  const path = copy();
  const bytes = readFileSync(path);
  const everything = contents(path);
  const random = generator(4711);
  const used = [...bytes.keys()].filter((at) => bytes[at] !== 0);
  let harmless = 0;
  const trials = sizeOf(160, 400);
  for (let trial = 0; trial < trials; trial++) {
    // Most of a small file is empty; three of four go where something is written.
    const at = trial % 4 === 0 ? random(bytes.length) : used[random(used.length)]!;
    withFlip(path, bytes, at, 1 << random(8), () => {
      if (findings(path).length > 0) return;
      harmless += 1;
      assert.equal(contents(path), everything, `byte ${at} of ${bytes.length}`);
    });
  }
  assert.ok(harmless < trials / 2, `${harmless} flips were not noticed`);
});

/** A file with one bit changed, for as long as it is looked at. */
function withFlip(path: string, bytes: Uint8Array, at: number, bit: number, look: () => void): void {
  const file = openSync(path, 'r+');
  try {
    writeSync(file, Uint8Array.of(bytes[at]! ^ bit), 0, 1, at);
    look();
    writeSync(file, bytes, at, 1, at);
  } finally {
    closeSync(file);
  }
}

test('a row that was deleted is missed', () => {
  const path = copy((database) => database.exec('DELETE FROM fills WHERE exec_id = 5001'));
  const lost = findings(path);
  assert.equal(lost.length, 1);
  assert.match(lost[0]!.problem, /lacks 1 of its rows/);
  assert.equal(lost[0]!.table, 'fills');
  assert.deepEqual(findings(path, EVENTS)[0], {
    table: 'fills',
    row: 'exec_id=5001',
    problem: 'is missing: the log makes it',
  });
  assert.equal(mend(path, EVENTS), 1);
  assert.deepEqual(findings(path, EVENTS), []);
});

test('a row that nobody wrote, or that took the place of another, is found', () => {
  const doubled = copy((database) => {
    const columns = columnsOf(database, 'fills')
      .filter((column) => column !== 'exec_id')
      .join(', ');
    database.exec(
      `INSERT INTO fills (exec_id, ${columns}) SELECT 9000, ${columns} FROM fills WHERE exec_id = 5001`,
    );
  });
  assert.deepEqual(
    findings(doubled).map(({ row, problem }) => row || problem),
    ['exec_id=9000', 'has 1 rows that the history did not write'],
  );
  const replaced = copy((database) => {
    database.exec('DELETE FROM conversions');
    const other = copy();
    withDatabase(other, (from) => from.exec('UPDATE conversions SET conversion_id = 5004'));
    database.exec(`ATTACH '${other}' AS other; INSERT INTO conversions SELECT * FROM other.conversions`);
    const table = PROJECTIONS.conversions.table;
    const row = Object.values(database.prepare(`SELECT ${table.columns.join(', ')} FROM conversions`).get()!);
    database.prepare('UPDATE conversions SET checksum = ?').run(table.checksum(row));
  });
  assert.match(findings(replaced)[0]!.problem, /sum of the checksums is another/);
});

test('an index that disagrees with its table is found and made anew', () => {
  const path = copy();
  const LEAF_OF_INDEX = 0x0a;
  assert.equal(
    flip(path, 'the-only-one', 4, 1, (page) => page === LEAF_OF_INDEX),
    1,
  );
  assert.match(findings(path)[0]!.problem, /closed_orders_by_client_oid/);
  mend(path);
  assert.deepEqual(findings(path, EVENTS), []);
});

test('a projection that wrote something else than the log says is found, with checksums that match', async () => {
  const path = join(folder, 'planted.sqlite');
  const wrong = EVENTS.map((event) =>
    event.type === 'fill' && event.fill.execId === 5001
      ? { ...event, fill: { ...event.fill, priceTicks: 6_001_900 } }
      : event,
  ).filter((event) => event.type !== 'conversion');
  await write(path, wrong);
  assert.deepEqual(findings(path), []);
  assert.deepEqual(
    findings(path, EVENTS).map(({ table, row, field, stored, expected }) => [
      table,
      row,
      field,
      stored,
      expected,
    ]),
    [
      ['fills', 'exec_id=5001', 'exec_price', '60019', '60018'],
      ['conversions', 'conversion_id=5003', undefined, undefined, undefined],
    ],
  );
  assert.equal(mend(path, EVENTS), 2);
  assert.deepEqual(findings(path, EVENTS), []);
});

test('a row that the log does not make is found', async () => {
  const path = join(folder, 'surplus.sqlite');
  const surplus = aTransfer({ transferId: 6000, time: ROWS.lastTime });
  await write(path, [...EVENTS, surplus, aCandle({ openTime: START_TIME + 60_000 })]);
  const proof = new HistoryProof(path);
  proof.describe(INSTRUMENTS, COINS);
  proof.startAfter(0, 0);
  proof.compare(1, EVENTS, START_TIME);
  proof.finishComparison(START_TIME);
  assert.deepEqual(
    proof.damages.map(({ table, problem }) => `${table} ${problem}`),
    [
      'transfers has 1 rows with transfer_id above 0 that the log does not make',
      'candles has 1 rows with open_time above 0 that the log does not make',
    ],
  );
  proof.close();
});

test('a withdrawal is compared as it ended, and a row that may have been pruned is not missed', async () => {
  const path = join(folder, 'withdrawals.sqlite');
  const pending = aWalletRecord({ recordId: 1, createdTime: START_TIME });
  const events: Event[] = [
    pending,
    aWalletRecord({ recordId: 2, createdTime: START_TIME }),
    { ...pending, status: 'success', reference: 'tx 1' },
    aTransfer({ transferId: 3, time: START_TIME - 2 * RETENTION_MS }),
  ];
  await write(path, events);
  assert.deepEqual(findings(path, events), []);
  const history = await openSqliteHistory({ path, onFailure: unexpected, threads });
  assert.equal(await history.prune(START_TIME), 1);
  await history.close();
  assert.deepEqual(findings(path, events), []);
  withDatabase(path, (database) =>
    database.exec("UPDATE wallet_records SET reference = 'tx 2' WHERE order_id = 1"),
  );
  assert.equal(findings(path, events)[0]!.field, 'reference');
});

test('what the file says of itself is checked before it is believed', async () => {
  const path = copy((database) => database.exec("UPDATE meta SET value = value + 1 WHERE key = 'last_seq'"));
  await assert.rejects(
    openSqliteHistory({ path, onFailure: unexpected, threads }),
    /meta is malformed: last_seq/,
  );
  assert.equal(findings(path)[0]!.table, 'meta');
  const counted = copy((database) =>
    database.exec("UPDATE totals SET rows = rows + 1 WHERE table_name = 'fills'"),
  );
  assert.deepEqual(
    findings(counted).map(({ table, row }) => `${table} ${row}`),
    ['totals table_name=fills', 'fills '],
  );
  mend(counted);
  assert.deepEqual(findings(counted), []);
  const view = copy((database) => database.exec('DROP VIEW fills_printed'));
  assert.deepEqual(findings(view), [
    { table: 'sqlite_schema', row: 'name=fills_printed', problem: 'is missing' },
  ]);
});

test('what a table lacks that the log no longer has stays lacking after a repair', () => {
  const path = copy((database) => database.exec('DELETE FROM fills WHERE exec_id = 5001'));
  mend(path);
  assert.match(findings(path)[0]!.problem, /lacks 1 of its rows/);
});

/** A file of the version before checksums, with the rows of the sound one. */
function older(): string {
  const path = join(folder, `older-${copies++}.sqlite`);
  withDatabase(path, (database) => {
    database.exec('PRAGMA journal_mode = WAL');
    migrate(database, CHECKSUMS_VERSION - 1);
    database.exec(`ATTACH '${SOUND}' AS sound; ATTACH '${generatedPath(SOUND)}' AS generated`);
    const from = { sound: PROJECTED_TABLES, generated: GENERATED_TABLES };
    for (const [schema, tables] of Object.entries(from))
      for (const { name } of tables) {
        const columns = columnsOf(database, name).join(', ');
        database.exec(`INSERT INTO main.${name} (${columns}) SELECT ${columns} FROM ${schema}.${name}`);
      }
    database.exec(
      "UPDATE meta SET value = (SELECT value FROM sound.meta WHERE key = 'last_seq') WHERE key = 'last_seq'",
    );
  });
  return path;
}

test('rows of an older program can be compared with the log, and get checksums after the start', async () => {
  const path = older();
  assert.deepEqual(findings(path, EVENTS), []);
  let sealed = 0;
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const onSealed = (rows: number, all: boolean) => {
    sealed = rows;
    if (all) resolve();
  };
  const history = await openSqliteHistory({ path, onFailure: unexpected, onSealed, threads });
  const query = { uid: 1, ...ALL_TIME, limit: 1000 };
  assert.ok((await history.fills(query)).length > 10, 'read while some have none yet');
  await done;
  await history.close();
  const rows = withDatabase(path, (database) =>
    Number(database.prepare('SELECT sum(rows) AS rows FROM totals').get()!.rows),
  );
  assert.equal(sealed, rows);
  assert.deepEqual(findings(path, EVENTS), []);
  flip(path, '60018', 0, 1);
  assert.equal(findings(path).length, 1);
});

test('the start that gives checksums may end at any step, with rows written, changed and deleted meanwhile', () => {
  const path = older();
  withDatabase(path, (database) => {
    database.exec('BEGIN; DELETE FROM transfers');
    const insert = database.prepare(
      PROJECTIONS.transfers.table.insert.replace(', checksum)', ')').replace(', ?)', ')'),
    );
    for (let n = 0; n < 1800; n++)
      insert.run(...transferRow(20_000 + n, START_TIME - (n < 900 ? 2 * RETENTION_MS : 0)));
    database.exec('COMMIT');
  });
  for (let start = 0; start < 4; start++) {
    withDatabase(path, (database) => {
      migrateFile(path, database);
      const writer = new SqliteWriter(database);
      writer.describe(INSTRUMENTS, COINS);
      assert.equal(writer.sealed, false);
      const steps = writer.seal();
      steps.next();
      // One start in two dies with its transaction open.
      if (start % 2 === 0) writer.commit();
    });
    assert.deepEqual(findings(path), []);
  }
  withDatabase(path, (database) => {
    migrateFile(path, database);
    const writer = new SqliteWriter(database);
    const pruned = [...writer.prune(START_TIME)].reduce((sum, rows) => sum + rows, 0);
    assert.equal(pruned, 900);
    writer.commit();
  });
  assert.deepEqual(findings(path), []);
  withDatabase(path, (database) => {
    const writer = new SqliteWriter(database);
    for (const _ of writer.seal());
    writer.commit();
    assert.equal(writer.sealed, true);
  });
  assert.deepEqual(findings(path), []);
  withDatabase(path, (database) =>
    database.exec('UPDATE transfers SET checksum = NULL WHERE transfer_id = 21000'),
  );
  assert.deepEqual(
    findings(path).map(({ row, problem }) => row || problem),
    ['transfer_id=21000', 'lacks 1 of its rows'],
  );
});

/** As a start does it. */
function migrateFile(path: string, database: DatabaseSync): void {
  const generated = new GeneratedFile(generatedPath(path));
  migrate(database, undefined, (from) => generated.takeFrom(from));
  generated.close();
}

function transferRow(id: number, time: number) {
  const names = { coin: (coin: number) => COINS[coin]! } as Parameters<typeof PROJECTIONS.transfers.row>[1];
  return PROJECTIONS.transfers.row(aTransfer({ transferId: id, time }), names);
}

function columnsOf(database: DatabaseSync, table: string): string[] {
  const columns = database.prepare(`PRAGMA main.table_info(${table})`).all();
  return columns.map(({ name }) => String(name));
}

/** Everything that can be read: each table by itself and through each of its indexes. */
function contents(path: string): string {
  return withDatabase(path, (database) => {
    const objects = database
      .prepare("SELECT type, name, tbl_name FROM sqlite_schema WHERE type <> 'view'")
      .all();
    const read = objects.map(({ type, name, tbl_name }) => {
      const index =
        type === 'index' && !String(name).startsWith('sqlite_') ? `INDEXED BY ${String(name)}` : '';
      const rows = database.prepare(`SELECT * FROM ${String(tbl_name)} ${index}`);
      rows.setReturnArrays(true);
      return [name, rows.columns().map((column) => column.name), rows.all()];
    });
    return JSON.stringify(read);
  });
}

/** Small and repeatable (Lehmer's generator). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}
