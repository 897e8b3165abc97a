/** A signed request that somebody has recorded is worth nothing with --reject-replays; without it the wire allows it. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startHosted } from '../harness/hosted-server.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { loginFrame, StreamClient } from '../harness/stream-client.ts';

const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '58000',
  qty: '0.01',
};
const PLACE = '/api/v3/trade/place-order';

let guarded: TestServer;
let open: TestServer;

before(async () => {
  guarded = await startHosted({ args: ['--reject-replays'] });
  open = await startHosted();
});
after(async () => {
  for (const server of [guarded, open]) await server.stop();
});

/** The same bytes each time it is sent. */
function recorded(keys: DemoKeys, method: string, path: string, body: string): Record<string, string> {
  const timestamp = String(Date.now());
  const sign = createHmac('sha256', keys.secretKey)
    .update(`${timestamp}${method}${path}${body}`)
    .digest('base64');
  return {
    'access-key': keys.apiKey,
    'access-passphrase': keys.passphrase,
    'access-timestamp': timestamp,
    'access-sign': sign,
  };
}

async function sentTwice(server: TestServer, method: string, path: string, body: string): Promise<string[]> {
  const client = new SignedClient(server.url);
  const headers = recorded(server.account('alice'), method, path, body);
  const replies = [
    await client.send(method, path, body, headers),
    await client.send(method, path, body, headers),
  ];
  client.close();
  for (const { status, code } of replies) assert.equal(status, code === '00000' ? 200 : 400);
  return replies.map(({ code }) => code);
}

async function openOrders(server: TestServer): Promise<number> {
  const client = new SignedClient(server.url, server.account('alice'));
  const { data } = await client.get('/api/v3/trade/unfilled-orders');
  client.close();
  return data.list.length;
}

test('a recorded order is carried out once with --reject-replays, and twice without it', async () => {
  const body = JSON.stringify(ORDER);
  assert.deepEqual(await sentTwice(guarded, 'POST', PLACE, body), ['00000', '40008']);
  assert.equal(await openOrders(guarded), 1);
  assert.deepEqual(await sentTwice(open, 'POST', PLACE, body), ['00000', '00000']);
  assert.equal(await openOrders(open), 2);
});

test('two requests at once are one: whichever comes second is refused', async () => {
  const client = new SignedClient(guarded.url);
  const body = JSON.stringify({ ...ORDER, price: '57000' });
  const headers = recorded(guarded.account('bob'), 'POST', PLACE, body);
  const replies = await Promise.all([1, 2, 3].map(() => client.send('POST', PLACE, body, headers)));
  client.close();
  assert.deepEqual(replies.map(({ code }) => code).sort(), ['00000', '40008', '40008']);
});

test('a question may be asked again, and an order signed anew is another one', async () => {
  assert.deepEqual(await sentTwice(guarded, 'GET', '/api/v3/account/info', ''), ['00000', '00000']);
  const client = new SignedClient(guarded.url, guarded.account('maker'));
  let tick = Date.now();
  const later = new SignedClient(guarded.url, guarded.account('maker'), () => ++tick);
  for (const sender of [client, later, later]) {
    assert.equal((await sender.post(PLACE, ORDER)).code, '00000');
    sender.close();
  }
});

test('a recorded login opens one socket with --reject-replays, and any number without it', async () => {
  for (const [server, expected] of [
    [guarded, 30014],
    [open, undefined],
  ] as const) {
    const frame = loginFrame(server.account('alice'), Date.now());
    const codes: (number | undefined)[] = [];
    for (let times = 0; times < 2; times++) {
      const socket = await StreamClient.open(server.url, { path: '/v3/ws/private' });
      socket.send(frame);
      const answer = await socket.next(({ event }) => event === 'login' || event === 'error');
      codes.push(answer.event === 'error' ? Number(answer.code) : undefined);
      socket.close();
    }
    assert.deepEqual(codes, [undefined, expected]);
  }
});
