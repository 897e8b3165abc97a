/** Orders and fills over the socket through a kill -9: nothing that was not durable, none missing, none twice. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPerpetuals, PERPETUALS } from '../harness/contracts.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { startServer, type TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import type { Frame, StreamClient } from '../harness/stream-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { Rng } from '../security/hostile/rng.ts';
import { assertNothingUndone, assertToldIsKept, kept, told } from './pushes-and-records.ts';
import { CATEGORIES, MARKETS, reader, Trading } from './record-trading.ts';

const STANDING_TOPICS = ['account', 'position'].map((topic) => ({ instType: 'UTA', topic }));
const ARGS = ['--rate-limits', 'off'];

let server: TestServer;
const dice = new Rng(8);

after(() => server.stop());

test('through a kill -9 while every category trades: what was told is kept, and who comes back is told each once', async () => {
  // In a host it would tell more after the moment that is kept.
  const data = temporaryDirectory();
  server = await startServer({ data, args: ARGS });
  await openPerpetuals(server, '60000');
  const first = await reader(server, 'alice');
  const trading = await Trading.open(server, dice, 'k');
  const rounds = (async () => {
    await trading.plans();
    for (let n = 0; n < 1_000; n++) await trading.round(n);
  })().catch(() => {});
  await first.next((frame) => frame.arg?.topic === 'fill' && told([first], 'fill').length > 300);
  const { port } = new URL(server.url);
  await server.kill();
  await first.closed;
  await rounds;
  server = await startHosted({ data, args: [...ARGS, '--port', port] });
  const second = await reader(server, 'alice');
  const http = new SignedClient(server.url, server.account('alice'));
  const between = await kept(http, CATEGORIES);
  assertNothingUndone([first], between);
  await assertStandingIsKept(http, second);

  const afterwards = await Trading.open(server, dice, 'l');
  await afterwards.plans();
  for (let n = 0; n < 2 * MARKETS.length; n++) await afterwards.round(n);
  const counts = await assertToldIsKept(http, [second], CATEGORIES, between);
  assert.ok(counts.fills > 100 && counts.strategyOrders >= 2 * MARKETS.length, JSON.stringify(counts));
  for (const topic of ['fill', 'fast-fill']) {
    const ids = told([first, second], topic).map(({ execId }) => execId);
    assert.equal(new Set(ids).size, ids.length, `${topic}: none before and after the kill`);
  }
  await assertStandingIsKept(http, second);
  afterwards.close();
  second.close();
  http.close();
});

/** Balances and positions as they were pushed last are those of HTTP, now that nothing moves. */
async function assertStandingIsKept(http: SignedClient, socket: StreamClient): Promise<void> {
  const from = socket.frames.length;
  await socket.subscribe(...STANDING_TOPICS);
  const { data: assets } = await http.get('/api/v3/account/assets');
  const account = await socket.next(
    (frame) => frame.arg?.topic === 'account' && frame.data !== undefined,
    from,
  );
  const balances = (coins: Frame[]) =>
    coins.map(({ coin, balance, available, locked }) => [coin, balance, available, locked]);
  assert.deepEqual(balances(account.data[0].coin), balances(assets.assets));
  const lists = await Promise.all(
    PERPETUALS.map(({ category }) => http.get('/api/v3/position/current-position', { category })),
  );
  const position = await socket.next(
    ({ arg, action, data }) => arg?.topic === 'position' && action === 'snapshot' && data !== undefined,
    from,
  );
  const held = (list: Frame[]) =>
    new Set(
      list.map(({ symbol, posSide, size, total, avgPrice }) =>
        [symbol, posSide, size ?? total, avgPrice].join(' '),
      ),
    );
  assert.deepEqual(held(position.data), held(lists.flatMap(({ data }) => data.list)));
  socket.send({ op: 'unsubscribe', args: STANDING_TOPICS });
  await socket.answers();
}
