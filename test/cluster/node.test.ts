/** Nodes of a cluster as clients see them, on a real server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { CannotStart } from '../../src/app/exit-codes.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { ccxtClient } from '../api/clients.ts';
import type { Reply } from '../harness/signed-client.ts';
import { until } from '../harness/until.ts';
import { NO_SERVER, PostgresServer, QUICK_BUT_TRUSTED } from '../postgres/server.ts';
import {
  clientOf,
  demoKeys,
  keysFor,
  newCluster,
  ORDER,
  startNode,
  type TestCluster,
  type TestNode,
} from './nodes.ts';

const READY = '/readyz';
const BOOK = '/api/v3/market/orderbook?category=SPOT&symbol=BTCUSDT';
const FILLS = '/api/v3/trade/fills?category=SPOT';
const OPEN_ORDERS = '/api/v3/trade/unfilled-orders?category=SPOT';

/** Asks again, as the answer says, while a node of a busy machine hears its log too late. */
const LATE = /has not applied command|has heard nothing from the log/;
const served = (ask: () => Promise<Reply>): Promise<Reply> =>
  until('the node hears its log', async () => {
    const reply = await ask();
    return !LATE.test(reply.msg) && reply;
  });

describe('nodes of a cluster', { skip: NO_SERVER }, () => {
  let server: PostgresServer;
  let cluster: TestCluster;
  const nodes = new Map<string, TestNode>();
  const start = async (name: string, settings = {}) => {
    const node = await startNode(cluster, name, settings);
    nodes.set(name, node);
    return node;
  };
  const stop = async (name: string) => {
    await nodes.get(name)?.stop();
    nodes.delete(name);
  };
  const node = (name: string) => nodes.get(name)!;
  const place = async (on: string, by: string, side: string, price: string, clientOid: string) => {
    const order = { ...ORDER, side, price, clientOid };
    const placed = await served(() => clientOf(node(on), by).post('/api/v3/trade/place-order', order));
    assert.equal(placed.code, '00000', placed.text);
    return String(placed.headers['x-bourse-seq']);
  };
  const get = (on: string, by: string, path: string, after?: string): Promise<Reply> =>
    clientOf(node(on), by).send('GET', path, '', after === undefined ? {} : { 'x-bourse-after': after });
  /** Not at once: a node whose timers or log are late says that it is not. */
  const ready = (on: string) =>
    until('it is ready', async () => (await get(on, 'alice', READY)).status === 200);
  const read = (...request: Parameters<typeof get>) => served(() => get(...request));
  before(async () => {
    server = await PostgresServer.start({ settings: QUICK_BUT_TRUSTED });
    cluster = await newCluster(server);
  });
  after(async () => {
    for (const name of nodes.keys()) await stop(name);
  });

  it('have one book, one past and one state', async () => {
    const [a, b] = await Promise.all([start('a'), start('b')]);
    const bought = await place('a', 'alice', 'buy', '59000', 'one');
    assert.match(bought, /^[1-9]\d*$/);
    const book = await read('b', 'bob', BOOK, bought);
    assert.deepEqual(book.data.b, [['59000', '0.001']], book.text);
    assert.ok(Number(book.headers['x-bourse-seq']) >= Number(bought));
    const sold = await place('b', 'bob', 'sell', '59000', 'two');
    for (const on of ['a', 'b']) {
      const fills = await read(on, 'alice', FILLS, sold);
      assert.equal(fills.data.list.length, 1, fills.text);
    }
    await until('both have applied the same', () => a.sequencer.appliedSeq === b.sequencer.appliedSeq);
    assert.equal(stateHash(a.sequencer.state), stateHash(b.sequencer.state));
    assert.deepEqual([...a.failures, ...b.failures], []);
  });

  it('serve a client that knows nothing of clusters', async () => {
    const [onA, onB] = ['a', 'b'].map((name) => ccxtClient(node(name).url, demoKeys('alice')));
    const order = await onA!.createOrder('BTC/USDT', 'limit', 'buy', 0.002, 58_900);
    await until('the other node has it', async () =>
      (await onB!.fetchOpenOrders('BTC/USDT')).some(({ id }) => id === order.id),
    );
    await onB!.cancelOrder(String(order.id), 'BTC/USDT');
  });

  it('wait for what a client has seen on another, and no longer than a second', async () => {
    const far = await get('a', 'alice', BOOK, '999999999');
    assert.equal(far.status, 503, far.text);
    assert.equal(far.headers['retry-after'], '1');
    assert.match(far.msg, /has not applied command 999999999/);
    for (const wrong of ['-1', '1.5', 'x', '']) {
      const refused = await get('a', 'alice', BOOK, wrong);
      assert.equal(refused.status, 400, wrong);
      assert.match(refused.msg, /X-Bourse-After must be a whole number/);
    }
  });

  it('go on where all of them have stopped, and begin with a snapshot', async () => {
    const resting = await place('a', 'alice', 'buy', '58000', 'resting');
    const before = node('a').sequencer.appliedSeq;
    for (const name of ['a', 'b']) await stop(name);
    const c = await start('c');
    assert.ok(c.sequencer.appliedSeq > before);
    assert.ok(c.replayedCommands < 10, `${c.replayedCommands} of ${resting} replayed`);
    await place('c', 'bob', 'sell', '60000', 'resting-too');
    const d = await start('d');
    assert.ok(d.replayedCommands < 20, `${d.replayedCommands} replayed`);
    const open = await read('d', 'alice', OPEN_ORDERS);
    assert.deepEqual(
      open.data.list.map(({ clientOid }: { clientOid: string }) => clientOid),
      ['resting'],
      open.text,
    );
    assert.equal((await read('d', 'alice', FILLS)).data.list.length, 1);
    await stop('c');
    await place('d', 'bob', 'sell', '58000', 'last');
    await until('this node writes the history', async () => (await get('d', 'alice', FILLS)).status === 200);
    assert.equal((await read('d', 'alice', FILLS)).data.list.length, 2);
  });

  it('answer no private request while the database does not, and say so', async () => {
    await ready('d');
    server.pause();
    try {
      const refused = await until('it is cut off', async () => {
        const reply = await get('d', 'alice', OPEN_ORDERS);
        return reply.status === 503 && /has heard nothing/.test(reply.msg) && reply;
      });
      assert.match(refused.msg, /has heard nothing from the log of the cluster for [2-9]/);
      assert.equal(refused.headers['retry-after'], '1');
      assert.match((await get('d', 'alice', READY)).text, /"cluster log","ok":false/);
      assert.equal((await get('d', 'alice', BOOK)).status, 200);
    } finally {
      server.unpause();
    }
    await ready('d');
    await place('d', 'bob', 'sell', '60000', 'afterwards');
    assert.deepEqual(node('d').failures, []);
  });

  it('end when their thread that reads the history does', async () => {
    const readers: Worker[] = [];
    const note = (worker: Worker) => {
      if (worker.threadName?.startsWith('history/postgres')) readers.push(worker);
    };
    process.on('worker', note);
    const e = await start('e', { role: 'node' });
    process.off('worker', note);
    assert.deepEqual(e.failures, []);
    await readers[0]!.terminate();
    const failure = await until('the node has failed', () => e.failures[0]);
    assert.match(failure.message, /^history failed: the worker ended/);
    await stop('e');
  });

  it('refuse to join with other keys, under a name that is taken, or without a cluster', async () => {
    await assert.rejects(startNode({ ...cluster, keys: keysFor() }, 'e'), refusal(/--keys are others/));
    await assert.rejects(startNode(cluster, 'd'), refusal(/node d is running already/));
    const empty = { ...cluster, url: server.url(await server.createDatabase()) };
    await assert.rejects(startNode(empty, 'e'), refusal(/bourse cluster init/));
    await assert.rejects(
      startNode(cluster, 'e', { clusterDurability: 'standby' }),
      refusal(/synchronous_standby_names is empty/),
    );
  });
});

const refusal = (words: RegExp) => (error: unknown) =>
  error instanceof CannotStart && words.test(error.message);
