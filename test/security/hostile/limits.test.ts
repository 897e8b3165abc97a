import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HTTP_LIMITS, limitConnections } from '../../../src/api/http/http-limits.ts';
import { ROUTES } from '../../../src/api/http/routes.ts';
import { HeldWall } from '../../harness/held-wall.ts';
import { startHosted, startHostedInMemory } from '../../harness/hosted-server.ts';
import { Operator } from '../../harness/operator-client.ts';
import type { TestServer } from '../../harness/server.ts';
import { type Reply, SignedClient } from '../../harness/signed-client.ts';
import { assertEnvelope, assertRefused, ORDER } from './hostile-venue.ts';
import { dial, ReplyReader, requestBytes } from './raw-http.ts';
import { crowdOfSlowSenders, SlowSender } from './slow-sender.ts';

/** interface 8, by the end of the path; what the contract does not list is held to the route table. */
const CONTRACT: Readonly<Record<string, number>> = {
  'market/candles': 20,
  'market/instruments': 20,
  'market/tickers': 20,
  'market/fills': 20,
  'market/index-components': 10,
  'trade/unfilled-orders': 20,
  'trade/history-orders': 20,
  'trade/order-info': 20,
  'trade/fills': 20,
  'trade/history-strategy-orders': 20,
  'trade/cancel-order': 10,
  'trade/cancel-batch': 5,
  'trade/cancel-symbol-order': 5,
  'trade/batch-modify-order': 10,
  'account/info': 5,
};
/** All of 127.0.0.0/8 is this machine on Linux; elsewhere only one address of it is. */
const needsAddresses = process.platform === 'linux' ? {} : { skip: 'needs a second loopback address' };

/** A connection may take so long to send its headers, or a whole request. */
const DROPPED_AFTER_MS = { 'slow headers': 5_000, silent: 5_000, 'slow body': 10_000 } as const;
/** Orders that the good client must get through while every slow sender is there. */
const GOOD_ORDERS = 50;

// Time-outs of connections are waited for, so the rest is done meanwhile.
describe('limits', { concurrency: 2 }, () => {
  describe('rate limits', { concurrency: 1 }, () => {
    const wall = new HeldWall();
    let server: TestServer;
    let alice: SignedClient;
    let bob: SignedClient;
    before(async () => {
      wall.hold();
      server = await startHostedInMemory([], wall);
      // Rights come before limits, so the one who tries every route must have them all.
      await new Operator(server).makeBroker('alice');
      alice = new SignedClient(server.url, server.account('alice'), wall.now);
      bob = new SignedClient(server.url, server.account('bob'), wall.now);
    });
    after(async () => {
      alice.close();
      bob.close();
      await server.stop();
    });

    it('each route lets exactly its limit through in a burst, and says when to come back', async (test) => {
      let sent = 0;
      // A path that is served under two methods is one endpoint with one limit.
      const endpoints = new Map(ROUTES.map((route) => [route.path, route]));
      for (const { method, path, perSecond, access } of endpoints.values()) {
        const limit = CONTRACT[path.slice('/api/v3/'.length)] ?? perSecond;
        const body = method === 'POST' ? '{}' : '';
        const burst = Array.from({ length: limit + 10 }, () => alice.send(method, path, body));
        const replies = await Promise.all(burst);
        sent += replies.length;
        const limited = replies.filter(({ status }) => status === 429);
        assert.equal(replies.length - limited.length, limit, `${method} ${path}`);
        for (const reply of limited) assertTooMany(reply, path);
        if (access === 'public') continue;
        // Limits are per account: another one is not held up.
        const other = await bob.send(method, path, body);
        assert.notEqual(other.status, 429, `${method} ${path}: ${other.text}`);
      }
      test.diagnostic(`${endpoints.size} endpoints, ${sent} requests`);
    });

    it('over three seconds of pressure exactly the rate gets through', async (test) => {
      wall.advance(1_100);
      let allowed = 0;
      let sent = 0;
      for (let ms = 0; ms < 2_900; ms += 20) {
        const replies = await Promise.all(
          Array.from({ length: 4 }, () => alice.get('/api/v3/trade/unfilled-orders')),
        );
        sent += replies.length;
        allowed += replies.filter(({ status }) => status === 200).length;
        wall.advance(20);
      }
      test.diagnostic(`${allowed} of ${sent} let through in 2.9 s at 20 a second`);
      assert.equal(allowed, 60);
    });

    it('a limit that is used up lets nobody through a millisecond before the time it has told', async () => {
      wall.advance(1_100);
      const path = '/api/v3/trade/order-info';
      const ask = async (count: number) => {
        const replies = await Promise.all(Array.from({ length: count }, () => alice.get(path)));
        return replies.filter(({ status }) => status !== 429).length;
      };
      assert.equal(await ask(25), 20);
      const waitMs = Number(/try again in ([0-9]+) ms/.exec((await alice.get(path)).msg)![1]);
      wall.advance(waitMs - 1);
      assert.equal(await ask(1), 0);
      wall.advance(1);
      assert.equal(await ask(25), 20);
    });

    it('the limit counts per account, not per key or connection; cancelling has its own', async () => {
      await Promise.all(Array.from({ length: 15 }, () => alice.post('/api/v3/trade/place-order', {})));
      const again = new SignedClient(server.url, server.account('alice'), wall.now);
      assert.equal((await again.post('/api/v3/trade/place-order', ORDER)).status, 429);
      assert.notEqual((await again.post('/api/v3/trade/cancel-order', { clientOid: 'none' })).status, 429);
      again.close();
    });

    it('an address that guesses keys is shut out, and only it', needsAddresses, async (test) => {
      const guess = requestBytes({
        method: 'GET',
        path: '/api/v3/account/info',
        headers: [
          ['ACCESS-KEY', 'demo-alice'],
          ['ACCESS-SIGN', 'A'.repeat(43).concat('=')],
          ['ACCESS-TIMESTAMP', String(wall.now())],
          ['ACCESS-PASSPHRASE', 'demo'],
        ],
      });
      const replies = await pipeline(server.url, '127.0.0.9', guess, 1_300);
      const refusals = replies.findIndex(({ status }) => status === 429);
      // 6,000 a minute; a failed authentication costs five.
      assert.equal(refusals, 1_200);
      assert.ok(Number(replies.at(-1)!.headers.get('retry-after')) > 250);
      assertEnvelope(replies.at(-1)!.body, 'shut out');
      for (const path of ['/api/v3/public/time', '/nowhere', '/%zz', '/healthz']) {
        const [still] = await pipeline(server.url, '127.0.0.9', requestBytes({ method: 'GET', path }), 1);
        assert.equal(still!.status, 429, path);
      }
      wall.advance(1_000);
      assert.equal((await alice.get('/api/v3/public/time')).status, 200);
      const time = requestBytes({ method: 'GET', path: '/api/v3/public/time' });
      wall.advance(300_000 - 1_001);
      assert.equal((await pipeline(server.url, '127.0.0.9', time, 1))[0]!.status, 429, 'for five minutes');
      wall.advance(1);
      assert.equal((await pipeline(server.url, '127.0.0.9', time, 1))[0]!.status, 200);
      test.diagnostic(`shut out after ${refusals} failed authentications`);
    });
  });

  describe('connections', { concurrency: 1 }, () => {
    let server: TestServer;
    let alice: SignedClient;
    before(async () => {
      server = await startHosted({ args: ['--rate-limits', 'off'] });
      alice = new SignedClient(server.url, server.account('alice'));
    });
    after(async () => {
      alice.close();
      await server.stop();
    });

    it('a flood from one address is cut at 512 and leaves others alone', needsAddresses, async (test) => {
      const time = requestBytes({ method: 'GET', path: '/api/v3/public/time' });
      const served: number[] = [];
      let refused = 0;
      // Each asks at once, so that none is dropped for its silence; one that is let in is answered and stays.
      const sockets = Array.from({ length: 700 }, () => {
        const socket = dial(server.url, '127.0.0.5');
        const reader = new ReplyReader();
        socket.on('error', () => {});
        socket.on('end', () => socket.destroy());
        socket.on('data', (chunk) => {
          reader.read(chunk);
          if (reader.replies.length === 1) served.push(reader.replies[0]!.status);
        });
        socket.once('close', () => {
          if (reader.replies.length === 0) refused += 1;
        });
        socket.write(time);
        return socket;
      });
      while (served.length + refused < sockets.length) await sleep(10);
      assert.equal((await alice.get('/api/v3/account/info')).status, 200);
      test.diagnostic(`${refused} of 700 connections refused`);
      assert.equal(refused, 700 - 512);
      assert.deepEqual(new Set(served), new Set([200]));
      for (const socket of sockets) socket.destroy();
      // The address is welcome again when the flood is over, as soon as the server has seen that.
      for (;;) {
        const replies = await pipeline(server.url, '127.0.0.5', time, 1).catch(() => []);
        if (replies[0]?.status === 200) break;
        await sleep(10);
      }
    });

    async function order(clientOid: string): Promise<void> {
      const placed = await alice.post('/api/v3/trade/place-order', { ...ORDER, clientOid });
      assert.equal(placed.code, '00000', placed.text);
      const cancelled = await alice.post('/api/v3/trade/cancel-order', { clientOid });
      assert.equal(cancelled.code, '00000', cancelled.text);
    }

    it('headers have five seconds, a request ten, and that is looked at every second', () => {
      const { headersTimeout, connectionsCheckingInterval } = HTTP_LIMITS.server;
      const http = createServer(HTTP_LIMITS.server);
      limitConnections(http);
      assert.deepEqual(
        [headersTimeout, http.headersTimeout, http.requestTimeout, connectionsCheckingInterval],
        [5_000, 5_000, 10_000, 1_000],
      );
    });

    it('slow senders are dropped when their time is over, and a good client is served meanwhile', async (test) => {
      let attackers = crowdOfSlowSenders(server.url);
      const all = [...attackers];
      let orders = 0;
      let amidAll = 0;
      while (amidAll < GOOD_ORDERS || attackers.some(({ connected }) => connected)) {
        // On a machine so slow that they are gone before the good client is done, others take their places.
        if (amidAll < GOOD_ORDERS) {
          attackers = attackers.map((each) =>
            each.connected ? each : new SlowSender(server.url, each.kind),
          );
          all.push(...attackers.filter((each) => !all.includes(each)));
        }
        const before = attackers.every(({ connected }) => connected);
        await order(`good-${orders++}`);
        if (before && attackers.every(({ connected }) => connected)) amidAll += 1;
        await sleep(amidAll < GOOD_ORDERS ? 10 : 250);
      }
      for (const attacker of all) attacker.leave();
      for (const { kind, droppedMs, said } of all) {
        assert.match(said, /^HTTP\/1\.1 408 .*took too long to arrive/s, kind);
        assert.ok(droppedMs! >= DROPPED_AFTER_MS[kind], `${kind}: dropped after ${droppedMs} ms`);
      }
      test.diagnostic(`${all.length} slow senders dropped; ${orders} orders of a good client meanwhile`);
    });
  });
});

function assertTooMany(reply: Reply, path: string): void {
  assertRefused(reply, /Too many requests/, path);
  assert.equal(reply.code, '429');
  assert.ok(Number(reply.headers['retry-after']) >= 1, `Retry-After of ${path}`);
}

/** The same request many times on one connection. */
function pipeline(
  url: string,
  localAddress: string,
  bytes: Buffer,
  count: number,
): Promise<ReplyReader['replies']> {
  return new Promise((resolve, reject) => {
    const socket = dial(url, localAddress);
    const reader = new ReplyReader();
    socket.on('error', reject);
    socket.on('end', () => reject(new Error('the server hung up')));
    socket.on('data', (chunk) => {
      reader.read(chunk);
      if (reader.replies.length < count) return;
      socket.destroy();
      resolve(reader.replies);
    });
    socket.write(Buffer.concat(Array.from({ length: count }, () => bytes)));
  });
}
