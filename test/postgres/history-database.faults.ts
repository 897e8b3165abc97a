/** A history in PostgreSQL whose server is killed, goes away, does not answer or has no space. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { HistoryStarved, HistoryUnavailable } from '../../src/history/history.ts';
import { until } from '../harness/until.ts';
import { COINS, INSTRUMENTS, START_TIME } from '../history/example-events.ts';
import { everything, projectInCommands, randomRows } from '../history/random-rows.ts';
import { ALL_TIME, openDescribed } from '../history/storage.ts';
import { NO_SERVER } from './server.ts';
import { assertTotals, orderCommand, withStorage } from './storage.ts';

const withServer = { skip: NO_SERVER };

test('a server that is killed and started again loses and doubles nothing', withServer, async () => {
  await withStorage(async (storage) => {
    const { server } = storage;
    const notices: string[] = [];
    const history = await storage.open({ onNotice: (text) => notices.push(text) });
    history.describe(INSTRUMENTS, COINS);
    const { events } = randomRows(3000);
    const commands = Math.ceil(events.length / 7);
    let killed: Promise<void> | undefined;
    for (let seq = 1; seq <= commands; seq++) {
      history.project({ seq, time: START_TIME, events: events.slice((seq - 1) * 7, seq * 7) });
      if (seq === 100 || seq === 300)
        killed = (killed ?? Promise.resolve()).then(() => server.kill()).then(() => server.resume());
      if (seq % 10 === 0)
        await history
          .fills({ uid: 1, ...ALL_TIME, limit: 5 })
          .catch((error: unknown) => assert.ok(error instanceof HistoryUnavailable));
    }
    await killed;
    await until('all rows are stored', () => history.lag() === 0);
    await history.flush();
    assert.equal(history.confirmedSeq, commands);
    assert.match(notices.join('\n'), /is away: .*\n.*is back after/);
    const found = await everything(history);
    await history.close();
    await assertTotals(storage);
    await storage.server.run(storage.empty, storage.database);
    const again = await openDescribed(storage);
    projectInCommands(again, events);
    assert.deepEqual(found, await everything(again));
    await again.close();
  });
});

test(
  'while the server is away rows wait, reads and flushes are refused, and a close does not wait',
  withServer,
  async () => {
    await withStorage(async (storage) => {
      const { server } = storage;
      const history = await openDescribed(storage);
      history.project(orderCommand(1));
      await history.flush();
      await server.stop();
      try {
        history.project(orderCommand(2));
        await assert.rejects(history.orderById(1, 2), HistoryUnavailable);
        await assert.rejects(history.flush(), HistoryStarved);
        assert.equal(history.lag(), 1);
        await until('it is starved', () => history.starved);
        await assert.rejects(history.prune(START_TIME), HistoryStarved);
        await server.resume();
        await until('it is not', () => !history.starved);
        assert.notEqual(await history.orderById(1, 2), undefined);
        assert.equal(history.lag(), 0);
        await server.stop();
        history.project(orderCommand(3));
        await history.close();
      } finally {
        await server.resume();
      }
      const next = await openDescribed(storage);
      assert.equal(next.confirmedSeq, 2);
      await next.close();
    });
  },
);

test('a server that does not answer is away, and its answers count when they come', withServer, async () => {
  await withStorage(async (storage) => {
    const { server } = storage;
    const history = await openDescribed(storage);
    history.project(orderCommand(1));
    assert.notEqual(await history.orderById(1, 1), undefined);
    server.pause();
    try {
      const read = history.orderById(1, 1);
      history.project(orderCommand(2));
      await assert.rejects(read, HistoryUnavailable);
      await assert.rejects(history.orderById(1, 2), HistoryUnavailable);
      await until('it is starved', () => history.starved);
    } finally {
      server.unpause();
    }
    await until('it is not', () => !history.starved);
    assert.equal((await history.counts()).closedOrders, 2);
    await history.close();
    await assertTotals(storage);
  });
});

test('a server without space is away for writes until it has some', withServer, async () => {
  await withStorage(async (storage) => {
    const { server, database } = storage;
    const notices: string[] = [];
    const history = await storage.open({ onNotice: (text) => notices.push(text) });
    history.describe(INSTRUMENTS, COINS);
    await server.run(
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
       CREATE TRIGGER full_disk BEFORE INSERT ON closed_orders EXECUTE FUNCTION full_disk()`,
      database,
      'history',
    );
    history.project(orderCommand(1));
    await until('it is starved', () => history.starved);
    assert.equal(history.lag(), 1);
    await assert.rejects(history.orderById(1, 1), HistoryUnavailable);
    await server.run('DROP FUNCTION full_disk CASCADE', database, 'history');
    await until('it is not', () => !history.starved);
    assert.notEqual(await history.orderById(1, 1), undefined);
    await history.close();
    assert.equal(notices.filter((text) => text.includes('No space left')).length, 1);
    assert.equal(notices.filter((text) => text.includes('is back')).length, 1);
  });
});

test('a transaction whose answer is lost is carried out once', withServer, async () => {
  await withStorage(async (storage) => {
    using proxy = await lossyProxy(storage.server.port);
    const url = storage.url.replace(`:${storage.server.port}/`, `:${proxy.port}/`);
    const notices: string[] = [];
    const history = await storage.open({ url, onNotice: (text) => notices.push(text) });
    history.describe(INSTRUMENTS, COINS);
    for (let seq = 1; seq <= 6; seq++) {
      if (seq % 2 === 0) proxy.loseAnswers();
      history.project(orderCommand(seq));
      await until('it is stored', () => history.confirmedSeq === seq);
      assert.equal((await history.counts()).closedOrders, seq);
    }
    assert.equal(notices.filter((text) => text.includes('is back')).length, 3);
    await history.close();
    await assertTotals(storage);
    const [meta] = await storage.server.run(
      'SELECT last_seq::int AS seq FROM history.meta',
      storage.database,
    );
    assert.deepEqual(meta, { seq: 6 });
  });
});

/** Passes everything on, until it is told to lose the answers to the next transaction and to hang up when it is carried out. */
async function lossyProxy(target: number) {
  let losing = false;
  const proxy = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    const hangUp = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', hangUp).on('close', hangUp);
    let lost = false;
    client.on('data', (bytes) => {
      lost ||= losing && bytes.includes('advance');
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (!lost) client.write(bytes);
      else if (bytes.includes('COMMIT')) {
        losing = false;
        hangUp();
      }
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const loseAnswers = () => {
    losing = true;
  };
  return {
    port: (proxy.address() as { port: number }).port,
    loseAnswers,
    [Symbol.dispose]: () => proxy.close(),
  };
}
