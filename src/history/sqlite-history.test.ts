import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import {
  aFill,
  aLedgerLine,
  anOrder,
  COINS,
  INSTRUMENTS,
  START_TIME,
} from '../../test/history/example-events.ts';
import { historyContract } from '../../test/history/history.contract.ts';
import { withDatabase } from '../../test/history/with-database.ts';
import { Threads } from '../storage/threads.ts';
import type { History } from './history.ts';
import { openMemoryHistory, openSqliteHistory } from './sqlite-history.ts';
import { SCHEMA_VERSION, writeMeta } from './sqlite-schema.ts';

const unexpected = (error: Error) => {
  throw error;
};

/** One thread for the files of all of them, one after another. */
const threads = new Threads();
after(() => threads.close());

historyContract(
  'sqlite',
  async () => {
    const { path, remove } = await temporaryFile();
    return { open: () => openSqliteHistory({ path, onFailure: unexpected, threads }), remove };
  },
  { keeps: true },
);

historyContract(
  'memory',
  async () => ({ open: () => openMemoryHistory({ onFailure: unexpected }), remove: async () => {} }),
  { keeps: false },
);

test('a copy has everything also while another program reads what was before', async () => {
  const { path, remove } = await temporaryFile();
  const history = await openSqliteHistory({ path, onFailure: unexpected, threads });
  history.describe(INSTRUMENTS, COINS);
  await history.flush();
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT * FROM meta').all();
  history.project({ seq: 1, time: START_TIME, events: [{ type: 'order', order: anOrder({ orderId: 1 }) }] });
  await history.copyTo(`${path}.copy`);
  reader.close();
  await history.close();
  const copy = await openSqliteHistory({ path: `${path}.copy`, onFailure: unexpected, threads });
  assert.equal(copy.confirmedSeq, 1);
  assert.ok((await copy.orderById(1, 1)) !== undefined);
  await copy.close();
  await remove();
});

test('memory: an answer comes in a later turn, after what was projected before it', async () => {
  const history = await openMemoryHistory({ onFailure: unexpected });
  history.describe(INSTRUMENTS, COINS);
  history.project({ seq: 1, time: START_TIME, events: [{ type: 'order', order: anOrder({ orderId: 1 }) }] });
  const order: string[] = [];
  const read = history.orderById(1, 1).then((found) => order.push(`read ${found !== undefined}`));
  await Promise.resolve().then(() => order.push('same turn'));
  await read;
  assert.deepEqual(order, ['same turn', 'read true']);
  await history.close();
});

test('memory: a failed write is reported once and ends every call', async () => {
  const failures: Error[] = [];
  const history = await openMemoryHistory({ onFailure: (error) => failures.push(error) });
  history.project({ seq: 1, time: START_TIME, events: [{ type: 'order', order: anOrder({ orderId: 1 }) }] });
  await assert.rejects(history.flush(), /history failed: .*instrument 0 was not described/);
  await assert.rejects(history.orderById(1, 1), /history failed/);
  assert.throws(() => history.project({ seq: 2, time: START_TIME, events: [] }), /history failed/);
  assert.equal(failures.length, 1);
  await history.close();
});

test('memory: two histories do not see each other', async () => {
  const [one, other] = await Promise.all([
    openMemoryHistory({ onFailure: unexpected }),
    openMemoryHistory({ onFailure: unexpected }),
  ]);
  one.describe(INSTRUMENTS, COINS);
  one.project({ seq: 1, time: START_TIME, events: [{ type: 'order', order: anOrder({ orderId: 1 }) }] });
  await one.flush();
  assert.equal((await one.counts()).closedOrders, 1);
  assert.equal((await other.counts()).closedOrders, 0);
  assert.equal(other.confirmedSeq, 0);
  await one.close();
  await other.close();
});

test('rows and last_seq become visible to other programs together', async () => {
  await withFile(async (path, open) => {
    const history = await open();
    history.describe(INSTRUMENTS, COINS);
    const other = new DatabaseSync(path, { readOnly: true });
    const seen = other.prepare(
      `SELECT (SELECT value FROM meta WHERE key = 'last_seq') AS seq,
              (SELECT coalesce(max(order_id), 0) FROM closed_orders) AS newest,
              (SELECT count(*) FROM closed_orders) AS orders`,
    );
    const states = new Set<number>();
    let seq = 0;
    while (states.size < 5) {
      for (let n = 0; n < 50; n++) {
        seq++;
        const order = anOrder({ orderId: seq });
        history.project({ seq, time: START_TIME, events: [{ type: 'order', order }] });
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
      const { seq: stored, newest, orders } = seen.get()!;
      assert.deepEqual([newest, orders], [stored, stored]);
      assert.ok(Number(stored) >= history.confirmedSeq);
      states.add(Number(stored));
    }
    await history.flush();
    assert.equal(seen.get()!.orders, seq);
    other.close();
    await history.close();
  });
});

test('a database that lost its place is projected again without a double row', async () => {
  await withFile(async (path, open) => {
    const commands = Array.from({ length: 300 }, (_, n) => ({
      seq: n + 1,
      time: START_TIME,
      events: [
        { type: 'order', order: anOrder({ orderId: n + 1 }) } as const,
        { type: 'fill', fill: aFill({ execId: n + 1 }) } as const,
        aLedgerLine({ lineId: n + 1 }),
      ],
    }));
    const projectAll = async () => {
      const history = await open();
      history.describe(INSTRUMENTS, COINS);
      for (const command of commands) history.project(command);
      const counts = await history.counts();
      await history.close();
      return counts;
    };
    const stored = await projectAll();
    assert.deepEqual(stored, {
      closedOrders: 300,
      strategies: 0,
      closedPositions: 0,
      positionMoves: 0,
      fills: 300,
      ledgerLines: 300,
      transfers: 0,
      walletRecords: 0,
      conversions: 0,
      candles: 0,
      fundingRates: 0,
      insuranceHours: 0,
      liquidations: 0,
      loanRecords: 0,
    });
    withDatabase(path, (database) => writeMeta(database)('last_seq', 120));
    assert.deepEqual(await projectAll(), stored);
  });
});

test('a failed write is reported once and ends every call', async () => {
  await withFile(async (path, open) => {
    const failures: Error[] = [];
    const history = await open((error) => failures.push(error));
    history.describe(INSTRUMENTS, COINS);
    withDatabase(path, (database) => database.exec('DROP TABLE fills'));
    history.project({ seq: 1, time: START_TIME, events: [{ type: 'fill', fill: aFill({ execId: 1 }) }] });
    await assert.rejects(history.flush(), /history failed: .*fills/);
    await assert.rejects(history.orderById(1, 1), /history failed/);
    assert.throws(() => history.project({ seq: 2, time: START_TIME, events: [] }), /history failed/);
    assert.equal(failures.length, 1);
    assert.equal(history.confirmedSeq, 0);
    await history.close();
  });
});

test('an event of an instrument that was never described is a failure, not a wrong row', async () => {
  await withFile(async (_path, open) => {
    const failures: Error[] = [];
    const history = await open((error) => failures.push(error));
    history.project({
      seq: 1,
      time: START_TIME,
      events: [{ type: 'order', order: anOrder({ orderId: 1 }) }],
    });
    await assert.rejects(history.flush(), /instrument 0 was not described/);
    assert.equal(failures.length, 1);
  });
});

test('a database of a newer program is not touched', async () => {
  await withFile(async (path, open) => {
    await (await open()).close();
    const newer = SCHEMA_VERSION + 1;
    withDatabase(path, (database) =>
      database.exec(`UPDATE meta SET value = ${newer} WHERE key = 'schema_version'`),
    );
    await assert.rejects(open(), new RegExp(`schema version ${newer}`));
  });
});

test('a history with nothing to do holds no lock', async () => {
  await withFile(async (path, open) => {
    const history = await open();
    history.describe(INSTRUMENTS, COINS);
    history.project({ seq: 1, time: START_TIME, events: [aLedgerLine({ lineId: 1 })] });
    assert.equal(await history.prune(START_TIME), 0);
    withDatabase(path, (database) => database.exec('BEGIN IMMEDIATE; ROLLBACK'));
    assert.equal(await history.prune(START_TIME), 0);
    withDatabase(path, (database) => database.exec('BEGIN IMMEDIATE; ROLLBACK'));
  });
});

test('the printed views show ids and times as people know them', async () => {
  await withFile(async (path, open) => {
    const history = await open();
    history.describe(INSTRUMENTS, COINS);
    history.project({
      seq: 1,
      time: START_TIME,
      events: [{ type: 'order', order: anOrder({ orderId: 42, createdTime: 1_790_000_000_123 }) }],
    });
    await history.close();
    withDatabase(path, (database) => {
      const row = database.prepare('SELECT * FROM closed_orders_printed').get()!;
      assert.equal(row.printed_order_id, '1000000000000000042');
      assert.equal(row.created_at, '2026-09-21 14:13:20.123');
      assert.equal(row.symbol, 'BTCUSDT');
    });
  });
});

test('every page walks an index and sorts nothing', async () => {
  await withFile(async (path, open) => {
    await (await open()).close();
    withDatabase(path, (database) => {
      for (const [table, index, filters, time, id] of [
        ['closed_orders', 'category', ['uid', 'category'], 'created_time', 'order_id'],
        ['closed_orders', 'symbol', ['uid', 'symbol'], 'created_time', 'order_id'],
        ['fills', 'category', ['uid', 'category'], 'created_time', 'exec_id'],
        ['fills', 'symbol', ['uid', 'symbol'], 'created_time', 'exec_id'],
        ['ledger_lines', 'category', ['uid', 'wallet', 'category'], 'ts', 'id'],
        ['ledger_lines', 'coin', ['uid', 'wallet', 'coin'], 'ts', 'id'],
        ['transfers', 'initiator', ['initiator_uid'], 'created_time', 'transfer_id'],
        ['transfers', 'sender', ['from_user_id'], 'created_time', 'transfer_id'],
        ['transfers', 'receiver', ['to_user_id'], 'created_time', 'transfer_id'],
        ['position_moves', 'category', ['master_uid', 'category'], 'created_time', 'order_id'],
        ['position_moves', 'symbol', ['master_uid', 'category', 'symbol'], 'created_time', 'order_id'],
        ['conversions', 'uid', ['uid'], 'ts', 'conversion_id'],
        ['wallet_records', 'type', ['uid', 'type'], 'created_time', 'order_id'],
        ['wallet_records', 'coin', ['uid', 'type', 'coin'], 'created_time', 'order_id'],
        ['wallet_records', 'client_oid', ['uid', 'type', 'client_oid'], 'created_time', 'order_id'],
      ] as const) {
        const plan = database
          .prepare(
            `EXPLAIN QUERY PLAN SELECT * FROM ${table} INDEXED BY ${table}_by_${index}
             WHERE ${filters.map((column) => `${column} = 1`).join(' AND ')} AND ${time} BETWEEN 1 AND 2 AND ${id} < 9
             ORDER BY ${time} DESC, ${id} DESC LIMIT 5`,
          )
          .all()
          .map((step) => String(step.detail));
        assert.equal(plan.length, 1, plan.join('; '));
        assert.match(plan[0]!, /SEARCH .* USING INDEX .*\((\w+=\? AND )+\w+>\? AND \w+<\?\)/);
      }
    });
  });
});

type Open = (onFailure?: (error: Error) => void) => Promise<History>;

/** Runs with a database file of its own; what was opened is closed afterwards, whatever happened. */
async function withFile(run: (path: string, open: Open) => Promise<void>): Promise<void> {
  const { path, remove } = await temporaryFile();
  const opened: History[] = [];
  const open: Open = async (onFailure = unexpected) => {
    const history = await openSqliteHistory({ path, onFailure });
    opened.push(history);
    return history;
  };
  try {
    await run(path, open);
  } finally {
    for (const history of opened) await history.close();
    await remove();
  }
}

async function temporaryFile(): Promise<{ path: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'bourse-history-'));
  return { path: join(folder, 'history.db'), remove: () => rm(folder, { recursive: true, force: true }) };
}
