/** What a history in PostgreSQL promises beyond the contract: one writer, and words for refusals. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import pg from 'pg';
import { generatedPath } from '../../src/history/generated-file.ts';
import { HistoryRefused } from '../../src/history/history.ts';
import { readAddress } from '../../src/history/postgres/address.ts';
import { copyToFile } from '../../src/history/postgres/copies.ts';
import { openPostgresHistoryInPlace } from '../../src/history/postgres/postgres-history.ts';
import { refusal } from '../../src/history/postgres/refusal.ts';
import { checkServer, type Session } from '../../src/history/postgres/session.ts';
import { META, TOTALS } from '../../src/history/proof/history-file.ts';
import { RecordDamaged } from '../../src/history/record-damaged.ts';
import { openSqliteHistory } from '../../src/history/sqlite-history.ts';
import { GENERATED_TABLES } from '../../src/history/tables/tables.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import {
  aFill,
  aGeneratedPast,
  aLedgerLine,
  anOrder,
  COINS,
  INSTRUMENTS,
  START_TIME,
} from '../history/example-events.ts';
import { everything, projectInCommands, randomRows } from '../history/random-rows.ts';
import { ALL_TIME, openDescribed, orderEvent, orderKey } from '../history/storage.ts';
import { NO_SERVER, sharedServer } from './server.ts';
import { assertTotals, INSTANCE, openAt, orderCommand, unexpected, withStorage } from './storage.ts';

const withServer = { skip: NO_SERVER };

test('rows and last_seq become visible to other programs together', withServer, async () => {
  await withStorage(async (storage) => {
    const history = await openDescribed(storage);
    const other = new pg.Client({ connectionString: storage.url });
    await other.connect();
    const states = new Set<number>();
    let seq = 0;
    while (states.size < 5) {
      for (let n = 0; n < 50; n++) history.project(orderCommand(++seq));
      if (seq % 200 === 0) void history.counts();
      const { rows } = await other.query<Record<'seq' | 'newest' | 'orders', string>>(
        `SELECT (SELECT last_seq FROM history.meta) AS seq, (SELECT count(*) FROM history.closed_orders) AS orders,
                (SELECT coalesce(max(order_id), 0) FROM history.closed_orders) AS newest`,
      );
      const [seen] = rows;
      assert.deepEqual([seen?.newest, seen?.orders], [seen?.seq, seen?.seq]);
      states.add(Number(seen?.seq));
    }
    await other.end();
    await history.close();
  });
});

test('a history that lost its place is projected again without a double row', withServer, async () => {
  await withStorage(async (storage) => {
    const rows = randomRows(600);
    const projectAll = async () => {
      const history = await openDescribed(storage);
      projectInCommands(history, rows.events);
      const all = await everything(history);
      await history.close();
      return all;
    };
    const stored = await projectAll();
    await storage.server.run('UPDATE history.meta SET last_seq = 30', storage.database);
    assert.deepEqual(await projectAll(), stored);
    await assertTotals(storage);
  });
});

test(
  'totals count every row and sum its checksum, also of replaced and pruned rows',
  withServer,
  async () => {
    await withStorage(async (storage) => {
      const history = await openDescribed(storage);
      projectInCommands(history, randomRows(2000).events);
      await history.flush();
      await assertTotals(storage);
      assert.ok((await history.prune(START_TIME + 91 * 24 * 60 * 60 * 1000)) > 0);
      await assertTotals(storage);
      await history.close();
    });
  },
);

test('the generated past moves in with a file, and out into another', withServer, async () => {
  const home = temporaryDirectory();
  const [path, copy] = [join(home, 'history.sqlite'), join(home, 'copy.sqlite')] as const;
  const file = await openSqliteHistory({ path, onFailure: unexpected });
  file.describe(INSTRUMENTS, COINS);
  file.project(orderCommand(1));
  file.addGenerated(aGeneratedPast(START_TIME - 6_000_000));
  await file.close();

  const server = await sharedServer();
  const address = readAddress(server.url(await server.createDatabase()))!;
  const opening = { address, instance: INSTANCE, onFailure: unexpected };
  const history = await openPostgresHistoryInPlace({ ...opening, moveFrom: path });
  assert.deepEqual(await history.generatedBooks(), ['SPOT:BTCUSDT']);
  await history.close();
  await copyToFile({ address, instance: INSTANCE, path: copy, meanwhile: () => {} });
  const rowsOf = (each: string) => {
    const database = new DatabaseSync(generatedPath(each), { readOnly: true });
    const rows = [...GENERATED_TABLES, TOTALS, META].map(({ select }) => database.prepare(select).all());
    database.close();
    return rows;
  };
  assert.deepEqual(rowsOf(copy), rowsOf(path));
  rmSync(generatedPath(path));
  const other = { ...opening, address: readAddress(server.url(await server.createDatabase()))! };
  await assert.rejects(
    openPostgresHistoryInPlace({ ...other, moveFrom: path }),
    /-generated\.sqlite does not exist/,
  );
});

test('a changed row is not shown', withServer, async () => {
  await withStorage(async (storage) => {
    const history = await openDescribed(storage);
    history.project(orderCommand(1));
    await history.flush();
    await storage.server.run("UPDATE history.closed_orders SET qty = '5000'", storage.database);
    await assert.rejects(history.orderById(1, 1), (error: Error) => {
      assert.ok(error instanceof RecordDamaged);
      assert.match(error.message, /order_id=1 of the table closed_orders is damaged/);
      return true;
    });
    assert.equal(history.damagedReads(), 1);
    await history.close();
  });
});

test('a failed write is reported once and ends every call', withServer, async () => {
  const server = await sharedServer();
  const database = await server.createDatabase();
  const failures: Error[] = [];
  const history = await openAt(server.url(database), { onFailure: (error) => failures.push(error) });
  history.describe(INSTRUMENTS, COINS);
  await server.run('DROP TABLE history.fills CASCADE', database);
  history.project({ seq: 1, time: START_TIME, events: [{ type: 'fill', fill: aFill({ execId: 1 }) }] });
  await assert.rejects(history.flush(), /history failed: .*fills/);
  await assert.rejects(history.orderById(1, 1), /history failed/);
  assert.equal(failures.length, 1);
  assert.equal(history.confirmedSeq, 0);
  await history.close();
  await server.dropDatabase(database);
});

test(
  'a second exchange is refused, and one that wrote in spite of it ends the first',
  withServer,
  async () => {
    await withStorage(async (storage) => {
      const failures: Error[] = [];
      const history = await storage.open({ onFailure: (error) => failures.push(error) });
      history.describe(INSTRUMENTS, COINS);
      await assert.rejects(storage.open(), /another exchange is writing to it, from 127\.0\.0\.1/);
      const write = 'SELECT advance((SELECT revision FROM meta), 7, 0)';
      await storage.server.run(write, storage.database, 'history');
      history.project(orderCommand(8));
      await assert.rejects(history.flush(), /another program has written to the history/);
      assert.equal(failures.length, 1);
      assert.deepEqual(
        await storage.server.run('SELECT count(*)::int AS n FROM history.closed_orders', storage.database),
        [{ n: 0 }],
      );
    });
  },
);

test('what cannot be a history is refused in words, without the password', withServer, async () => {
  const server = await sharedServer();
  const database = await server.createDatabase();
  const url = server.url(database);
  const refuses = async (place: string, expected: RegExp, instance = INSTANCE) => {
    const refused = await openAt(place, { instance }).then(
      (history) => history.close().then(() => assert.fail(`${place} was accepted`)),
      (error: Error) => error,
    );
    assert.match(String(refused), expected);
    assert.doesNotMatch(
      `${refused.stack} ${JSON.stringify(refused)} ${String((refused.cause as Error).stack)}`,
      /s3cret/,
    );
  };
  await refuses(
    `postgres://bourse:s3cret@127.0.0.1:1/${database}`,
    /postgres:\/\/bourse@127\.0\.0\.1:1\/.*: no server listens there/,
  );
  await refuses(
    `postgres://bourse:s3cret@no-such-host.invalid/${database}`,
    /the host name (is unknown|cannot be looked up)/,
  );
  await refuses(`postgres://bourse:s3cret@%2Fno-such-folder/${database}`, /the socket does not exist/);
  await refuses(url.replace(database, 'absent'), /there is no database absent: make it with createdb absent/);
  await refuses(server.url(database, 'stranger'), /does not let stranger in/);

  await server.run('CREATE ROLE guest LOGIN');
  await refuses(server.url(database, 'guest'), /guest lacks the rights: GRANT CREATE, CONNECT ON DATABASE/);
  const latin = await server.createDatabase("ENCODING 'LATIN1'");
  await refuses(server.url(latin), /its encoding is LATIN1/);

  await server.run('CREATE SCHEMA history CREATE TABLE essays (n int)', database);
  await refuses(url, /its schema "history" holds other tables/);
  await server.run('DROP SCHEMA history CASCADE', database);
  await (await openAt(url)).close();
  await refuses(url, /it holds the history of another exchange/, 'f'.repeat(32));
  await server.run('UPDATE history.meta SET schema_version = 99', database);
  await refuses(url, /it has schema version 99, this program knows up to \d+: start the newer program/);
  for (const each of [database, latin]) await server.dropDatabase(each);
  await server.run('DROP ROLE guest');
});

test('an old server, a standby and a missing password have words too', async () => {
  const address = readAddress('postgres://me:s3cret@db.example/exchange')!;
  const answering = (row: readonly unknown[]) => ({ rows: async () => [row] }) as unknown as Session;
  await assert.rejects(
    checkServer(answering([150_004, '15.4', 'UTF8', false, 'on']), address),
    /me@db\.example\/exchange cannot be used: it is PostgreSQL 15\.4, and 16 is the oldest/,
  );
  await assert.rejects(checkServer(answering([160_001, '16.1', 'UTF8', true, 'on']), address), /a standby/);
  assert.match(await checkServer(answering([160_001, '16.1', 'UTF8', false, 'off']), address), /fsync=off/);
  const unasked = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  assert.match(refusal(address, unasked).message, /asks for the password of me: give it in PGPASSWORD/);
  for (const wrong of [
    '',
    'history.sqlite',
    'mysql://me@db/x',
    'postgres://me@db',
    'postgres://me@db/a/b',
    'postgres:///',
  ])
    assert.equal(readAddress(wrong), undefined, wrong);
  assert.equal(readAddress('postgres:///x?host=/run/postgresql')?.database, 'x');
});

test('a history with a thread says the same', withServer, async () => {
  await withStorage(async (storage) => {
    const notices: string[] = [];
    const history = await storage.open({ thread: true, onNotice: (text) => notices.push(text) });
    history.describe(INSTRUMENTS, COINS);
    history.project(orderCommand(1));
    assert.notEqual(await history.orderById(1, 1), undefined);
    assert.match(notices.join(), /fsync=off/);
    const second = storage.open({ thread: true, instance: 'f'.repeat(32) });
    await assert.rejects(second, (error: Error) => error.cause instanceof HistoryRefused);
    await storage.server.run("UPDATE history.closed_orders SET qty = '5000'", storage.database);
    await assert.rejects(history.orderById(1, 1), RecordDamaged);
    await history.close();
  });
});

test('a read sees one moment, whatever is stored meanwhile', withServer, async () => {
  await withStorage(async (storage) => {
    const history = await openDescribed(storage);
    let seq = 0;
    const reads: Promise<void>[] = [];
    const page = async () => {
      const orders = await history.closedOrders({ uid: 1, ...ALL_TIME, limit: 40 });
      const ids = orders.map(orderKey);
      // Each order is of another category than the last, and a page is put together from one query a category.
      assert.deepEqual(
        ids,
        ids.map((_, n) => ids[0]! - n),
      );
    };
    for (let round = 0; round < 60; round++) {
      for (let n = 0; n < 20; n++) {
        const instrument = ++seq % INSTRUMENTS.length;
        const { category } = INSTRUMENTS[instrument]!;
        const order = anOrder({ orderId: seq, instrument, category, createdTime: START_TIME + seq });
        history.project({ seq, time: START_TIME, events: [orderEvent(order)] });
      }
      reads.push(page());
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(reads);
    await history.close();
  });
});

test('every page walks an index and sorts nothing', withServer, async () => {
  await withStorage(async (storage) => {
    const history = await openDescribed(storage);
    projectInCommands(history, randomRows(300).events);
    await history.close();
    const client = new pg.Client({ connectionString: storage.url });
    await client.connect();
    await client.query(
      'SET search_path = history; SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off',
    );
    for (const [table, filters, time, id] of [
      ['closed_orders', ['uid = 1', "category = 'SPOT'"], 'created_time', 'order_id'],
      ['closed_orders', ['uid = 1', "symbol = 'BTCUSDT'"], 'created_time', 'order_id'],
      ['fills', ['uid = 1', "category = 'SPOT'"], 'created_time', 'exec_id'],
      ['fills', ['uid = 1', "symbol = 'BTCUSDT'"], 'created_time', 'exec_id'],
      ['ledger_lines', ['uid = 1', "wallet = 'uta'", "category = 'SPOT'"], 'ts', 'id'],
      ['ledger_lines', ['uid = 1', "wallet = 'uta'", "coin = 'BTC'"], 'ts', 'id'],
      ['transfers', ['initiator_uid = 1'], 'created_time', 'transfer_id'],
      ['wallet_records', ['uid = 1', "type = 'deposit'"], 'created_time', 'order_id'],
      ['conversions', ['uid = 1'], 'ts', 'conversion_id'],
    ] as const) {
      const { rows } = await client.query<Record<string, string>>(
        `EXPLAIN SELECT * FROM ${table} WHERE ${filters.join(' AND ')} AND ${time} BETWEEN 1 AND 2 AND ${id} < 9
         ORDER BY ${time} DESC, ${id} DESC LIMIT 5`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      assert.match(plan, /^Limit.*\n {2}-> {2}Index Scan Backward using \w+ on/, plan);
      assert.doesNotMatch(plan, /Sort/);
    }
    await client.end();
  });
});

test('the printed views show ids and times as people know them', withServer, async () => {
  await withStorage(async (storage) => {
    const history = await openDescribed(storage);
    const events = [
      orderEvent(anOrder({ orderId: 42, createdTime: 1_790_000_000_123 })),
      aLedgerLine({ lineId: 43 }),
    ];
    history.project({ seq: 1, time: START_TIME, events });
    await history.close();
    const [row] = await storage.server.run('SELECT * FROM history.closed_orders_printed', storage.database);
    assert.equal(row?.printed_order_id, '1000000000000000042');
    assert.equal(row?.created_at, '2026-09-21 14:13:20.123');
  });
});
