/** Readers that stop reading are cut off; the others miss nothing and memory stays where it was (reliability 2.2). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeldWall } from '../harness/held-wall.ts';
import { type DemoKeys, type RunningServer, startServer } from '../harness/server.ts';
import { type Frame, StreamClient } from '../harness/stream-client.ts';

const READERS = 100;
const STALLED = READERS / 10;
const MIB = 1024 * 1024;

/** Moved by the test while they trade: whoever reads has shown it before each step, however slow the machine is. */
const wall = new HeldWall();

let server: RunningServer;
let alice: DemoKeys;
const clients: StreamClient[] = [];

before(async () => {
  server = await startServer({ args: ['--rate-limits', 'off'], wall });
  alice = server.account('alice');
});

after(async () => {
  for (const client of clients) client.close();
  await server.stop();
});

async function figure(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)![1]);
}

/** How many fills a reader has been told of so far. */
function countFills(client: StreamClient): () => number {
  let at = 0;
  let count = 0;
  return () => {
    for (; at < client.frames.length; at++) {
      const { arg, data } = client.frames[at];
      if (arg?.topic === 'fill' && data !== undefined) count += data.length;
    }
    return count;
  };
}

test(`${STALLED} of ${READERS} readers stop: they are cut off, the others get every trade, book change and order`, async () => {
  for (let n = 0; n < READERS - 2; n++) {
    const client = await StreamClient.login(server.url, alice, {
      path: '/v3/ws',
      localAddress: `127.0.5.${1 + (n % 4)}`,
    });
    clients.push(client);
    await client.subscribe(
      { instType: 'spot', topic: 'publicTrade', symbol: 'BTCUSDT' },
      { instType: 'spot', topic: 'books', symbol: 'BTCUSDT' },
      { instType: 'UTA', topic: 'order' },
      { instType: 'UTA', topic: 'fill' },
    );
  }
  const stalled = clients.slice(0, STALLED);
  const healthy = clients.slice(STALLED);
  const [buyer, seller] = await Promise.all(
    [alice, server.account('bob')].map((keys) => StreamClient.login(server.url, keys)),
  );
  clients.push(buyer!, seller!);
  const before = await figure('process_resident_memory_bytes');
  wall.hold();
  for (const client of stalled) client.ws.pause();
  let fills = 0;
  let unsentMax = 0;
  const fillsOf = healthy.map(countFills);
  for (let round = 0; (await figure('bourse_stream_dropped_total')) < STALLED; round++) {
    const orders = (side: string) =>
      Array.from({ length: 20 }, () => ({
        symbol: 'BTCUSDT',
        side,
        orderType: 'limit',
        price: '60000',
        qty: '0.0002',
      }));
    await seller!.trade(`s${round}`, 'batch-place', 'spot', ...orders('sell'));
    const { args } = await buyer!.trade(`b${round}`, 'batch-place', 'spot', ...orders('buy'));
    fills += args.filter((item: Frame) => item.code === '0').length;
    unsentMax = Math.max(unsentMax, await figure('bourse_stream_unsent_bytes'));
    while (fillsOf.some((count) => count() < fills)) await sleep(5);
    if (round % 3 === 0) await Promise.all(healthy.map((client) => client.answers()));
    wall.advance(200);
  }
  assert.equal(await figure('bourse_stream_dropped_total'), STALLED, 'nobody else was cut off');
  assert.ok(unsentMax <= STALLED * 1.1 * MIB, `${unsentMax} bytes waited for readers`);
  const grown = (await figure('process_resident_memory_bytes')) - before;
  assert.ok(grown < 200 * MIB, `memory grew by ${Math.round(grown / MIB)} MiB`);

  const records = (client: StreamClient, topic: string, key: string): string[] =>
    client
      .pushes(topic)
      .flatMap((push) => push.data)
      .map((item: Frame) => item[key]);
  for (const client of healthy) {
    while (records(client, 'publicTrade', 'i').length < fills) await sleep(10);
    while (records(client, 'fill', 'execId').length < fills) await sleep(10);
  }
  const [first, ...others] = healthy;
  for (const [topic, key] of [
    ['publicTrade', 'i'],
    ['fill', 'execId'],
    ['order', 'updatedTime'],
  ] as const) {
    const expected = records(first!, topic, key);
    if (topic !== 'order') assert.equal(new Set(expected).size, fills, `${topic}: each once`);
    for (const client of others) {
      const got = records(client, topic, key);
      // A push may hold several trades, newest first, and readers get them cut differently.
      assert.deepEqual(
        topic === 'publicTrade' ? got.toSorted() : got,
        topic === 'publicTrade' ? expected.toSorted() : expected,
      );
    }
  }
  for (const client of healthy) {
    let seq = 0;
    for (const { data } of client.pushes('books')) {
      assert.equal(data[0].pseq, seq === 0 ? 0 : seq, 'no gap in the book');
      seq = data[0].seq;
    }
  }
  wall.release();
  for (const client of stalled) client.ws.resume();
  await Promise.all(stalled.map(({ closed }) => closed));
});
