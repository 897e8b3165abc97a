/** A reader that comes in the middle of trading: what it gets first and what follows fit together, without gap or overlap. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHosted } from '../harness/hosted-server.ts';
import { type Frame, StreamClient } from '../harness/stream-client.ts';

const ROUNDS = 60;
const TRADES = { instType: 'spot', topic: 'publicTrade', symbol: 'BTCUSDT' };

const tradesOf = (client: StreamClient): string[] =>
  client
    .pushes('publicTrade')
    .flatMap(({ data }) => data.map((trade: Frame) => trade.i).reverse())
    .flat();

test('whoever joins gets the last trades and then every later one, each once and in order', async () => {
  const server = await startHosted({ args: ['--rate-limits', 'off'] });
  const first = await StreamClient.open(server.url);
  await first.subscribe(TRADES);
  const [buyer, seller] = await Promise.all(
    ['alice', 'bob'].map((name) => StreamClient.login(server.url, server.account(name))),
  );
  const readers: StreamClient[] = [];
  try {
    const order = (side: string) => ({
      symbol: 'BTCUSDT',
      side,
      orderType: 'limit',
      price: '60000',
      qty: '0.0002',
    });
    const five = (side: string) => Array.from({ length: 5 }, () => order(side));
    for (let round = 0; round < ROUNDS; round++) {
      const sold = seller!.trade(`s${round}`, 'batch-place', 'spot', ...five('sell'));
      const bought = buyer!.trade(`b${round}`, 'batch-place', 'spot', ...five('buy'));
      // The subscription arrives between orders that are applied and not yet on disk.
      const joined = StreamClient.open(server.url).then((client) => {
        readers.push(client);
        client.send({ op: 'subscribe', args: [TRADES] });
      });
      await Promise.all([sold, bought, joined]);
    }
    const all = 5 * ROUNDS;
    while (tradesOf(first).length < all) await sleep(10);
    const expected = tradesOf(first);
    assert.equal(new Set(expected).size, all);
    assert.deepEqual(expected, expected.toSorted());
    for (const reader of readers) {
      while (tradesOf(reader).at(-1) !== expected.at(-1)) await sleep(10);
      const got = tradesOf(reader);
      assert.deepEqual(got, expected.slice(-got.length));
    }
  } finally {
    for (const client of [first, buyer!, seller!, ...readers]) client.close();
    await server.stop();
  }
});
