/** Orders and fills over the socket are those of HTTP: none missing, none twice. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPerpetuals } from '../harness/contracts.ts';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import type { StreamClient } from '../harness/stream-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { sizeOf } from '../property/seeds.ts';
import { Rng } from '../security/hostile/rng.ts';
import { assertToldIsKept, told } from './pushes-and-records.ts';
import { CATEGORIES, MARKETS, reader, TRADERS, Trading } from './record-trading.ts';

const CHANGES = sizeOf(1_500, 10_000);

const data = temporaryDirectory();
const ARGS = ['--rate-limits', 'off'];

let server: TestServer;
const dice = new Rng(8);

before(async () => {
  server = await startHosted({ data, args: ARGS });
  await openPerpetuals(server, '60000');
});

after(() => server.stop());

async function assertAllKept(sockets: readonly (readonly StreamClient[])[]) {
  return Promise.all(
    TRADERS.map(async (name, n) => {
      const http = new SignedClient(server.url, server.account(name));
      const counts = await assertToldIsKept(http, sockets[n]!, CATEGORIES);
      http.close();
      return counts;
    }),
  );
}

test(`${CHANGES} changes of orders in every category: pushes equal the history, also across a restart with reconnect`, async () => {
  const first = await Promise.all(TRADERS.map((name) => reader(server, name)));
  const changes = (readers: readonly StreamClient[]) => told(readers, 'order').length;
  const before = await Trading.open(server, dice, 'a');
  await before.plans();
  for (let n = 0; changes(first) < CHANGES / 2; n++) await before.round(n);
  await assertAllKept(first.map((socket) => [socket]));
  before.close();

  const { port } = new URL(server.url);
  await server.stop();
  const reasons = await Promise.all(first.map(({ closed }) => closed));
  assert.deepEqual(
    reasons.map(({ code }) => code),
    [1012, 1012],
  );
  server = await startHosted({ data, args: [...ARGS, '--port', port] });
  const second = await Promise.all(TRADERS.map((name) => reader(server, name)));
  const afterwards = await Trading.open(server, dice, 'b');
  await afterwards.plans();
  for (let n = 0; changes(second) < CHANGES / 2; n++) await afterwards.round(n);
  const counts = await assertAllKept(TRADERS.map((_, n) => [first[n]!, second[n]!]));
  const sum = (of: (each: (typeof counts)[number]) => number) =>
    counts.reduce((all, each) => all + of(each), 0);
  assert.ok(sum(({ orderChanges }) => orderChanges) >= CHANGES);
  assert.ok(sum(({ fills }) => fills) > CHANGES / 10, 'many of them traded');
  assert.equal(counts[0]!.strategyOrders, 4 * MARKETS.length);
  const seen = new Set<string>(
    told([...first, ...second], 'fill').map(({ category }) => category.toUpperCase()),
  );
  assert.deepEqual(seen, new Set(CATEGORIES), 'every category traded');
  afterwards.close();
  for (const client of second) client.close();
});
