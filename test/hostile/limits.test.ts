import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROUTES } from '../../src/gateway/routes.ts';
import { Operator } from '../harness/operator-door.ts';
import { type RunningServer, startServer } from '../harness/server.ts';
import { type Reply, SignedClient } from '../harness/signed-client.ts';
import { assertEnvelope, assertRefused, ORDER } from './floor.ts';
import { dial, ReplyReader, requestBytes } from './raw-http.ts';

/** `interface-v3.md` 8, by the end of the path; what the contract does not list is held to the route table. */
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

// Both mostly wait, so they wait side by side.
describe('limits', { concurrency: 2 }, () => {
  describe('rate limits', { concurrency: 1 }, () => {
    let server: RunningServer;
    let alice: SignedClient;
    let bob: SignedClient;
    before(async () => {
      server = await startServer();
      // Rights come before limits, so the one who tries every route must have them all.
      await new Operator(server).makeBroker('alice');
      alice = new SignedClient(server.url, server.account('alice'));
      bob = new SignedClient(server.url, server.account('bob'));
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

    it('over three seconds of pressure the rate is kept within 5 %', async (test) => {
      await sleep(1_100);
      const startedMs = performance.now();
      let allowed = 0;
      let sent = 0;
      while (performance.now() - startedMs < 2_900) {
        const replies = await Promise.all(
          Array.from({ length: 4 }, () => alice.get('/api/v3/trade/unfilled-orders')),
        );
        sent += replies.length;
        allowed += replies.filter(({ status }) => status === 200).length;
        await sleep(20);
      }
      test.diagnostic(`${allowed} of ${sent} let through in 2.9 s at 20 a second`);
      assert.ok(Math.abs(allowed - 60) <= 3, `${allowed} instead of 60`);
    });

    it('the limit counts per account, not per key or connection; cancelling has its own', async () => {
      await Promise.all(Array.from({ length: 15 }, () => alice.post('/api/v3/trade/place-order', {})));
      const again = new SignedClient(server.url, server.account('alice'));
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
          ['ACCESS-TIMESTAMP', String(Date.now())],
          ['ACCESS-PASSPHRASE', 'demo'],
        ],
      });
      const replies = await pipeline(server.url, '127.0.0.9', guess, 1_300);
      const refusals = replies.findIndex(({ status }) => status === 429);
      // 6,000 a minute; a failed authentication costs five.
      assert.ok(Math.abs(refusals - 1_200) <= 60, `shut out after ${refusals} guesses`);
      assert.ok(Number(replies.at(-1)!.headers.get('retry-after')) > 250);
      assertEnvelope(replies.at(-1)!.body, 'shut out');
      for (const path of ['/api/v3/public/time', '/nowhere', '/%zz', '/healthz']) {
        const [still] = await pipeline(server.url, '127.0.0.9', requestBytes({ method: 'GET', path }), 1);
        assert.equal(still!.status, 429, path);
      }
      await sleep(1_000);
      assert.equal((await alice.get('/api/v3/public/time')).status, 200);
      test.diagnostic(`shut out after ${refusals} failed authentications`);
    });
  });

  describe('connections', { concurrency: 1 }, () => {
    let server: RunningServer;
    let alice: SignedClient;
    before(async () => {
      server = await startServer({ args: ['--rate-limits', 'off'] });
      alice = new SignedClient(server.url, server.account('alice'));
    });
    after(async () => {
      alice.close();
      await server.stop();
    });

    it('a flood from one address is cut at 512 and leaves others alone', needsAddresses, async (test) => {
      const sockets = Array.from({ length: 700 }, () => dial(server.url, '127.0.0.5'));
      let refused = 0;
      for (const socket of sockets) {
        socket.on('error', () => {});
        socket.once('close', () => {
          refused += 1;
        });
        socket.on('end', () => socket.destroy());
      }
      // Until all are settled, however busy the machine; then a moment in which none more may be refused.
      for (let tries = 0; tries < 100 && refused < 700 - 512; tries++) await sleep(100);
      await sleep(200);
      assert.equal((await alice.get('/api/v3/account/info')).status, 200);
      test.diagnostic(`${refused} of 700 connections refused`);
      assert.equal(refused, 700 - 512);
      for (const socket of sockets) socket.destroy();
      await sleep(200);
      const [reply] = await pipeline(
        server.url,
        '127.0.0.5',
        requestBytes({ method: 'GET', path: '/api/v3/public/time' }),
        1,
      );
      assert.equal(reply!.status, 200, 'the address is welcome again when the flood is over');
    });

    async function orderMs(clientOid: string): Promise<number> {
      const startedMs = performance.now();
      const placed = await alice.post('/api/v3/trade/place-order', { ...ORDER, clientOid });
      const takenMs = performance.now() - startedMs;
      assert.equal(placed.code, '00000', placed.text);
      const cancelled = await alice.post('/api/v3/trade/cancel-order', { clientOid });
      assert.equal(cancelled.code, '00000', cancelled.text);
      await sleep(10);
      return takenMs;
    }

    it('slow senders are dropped while a good client is served quickly', async (test) => {
      const head = `POST /api/v3/trade/place-order HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
      const attackers = [
        ...Array.from(
          { length: 300 },
          () => new SlowSender(server.url, 'slow headers', 'GET /api HTTP/1.1\r\nX-'),
        ),
        ...Array.from({ length: 50 }, () => new SlowSender(server.url, 'silent', '')),
        ...Array.from(
          { length: 100 },
          () => new SlowSender(server.url, 'slow body', `${head}Content-Length: 1000\r\n\r\n{`),
        ),
      ];
      const latencies: number[] = [];
      const deadlineMs = performance.now() + 14_000;
      while (attackers.some(({ droppedMs }) => droppedMs === undefined) && performance.now() < deadlineMs) {
        latencies.push(await orderMs(`good-${latencies.length}`));
      }
      for (const attacker of attackers) attacker.leave();
      // How quick the machine is with nobody attacking, measured in the same minute.
      const undisturbed: number[] = [];
      while (undisturbed.length < 100) undisturbed.push(await orderMs(`calm-${undisturbed.length}`));
      const [p99, calmP99] = [percentile(latencies), percentile(undisturbed)];
      const dropped = (kind: string) =>
        Math.max(...attackers.filter((each) => each.kind === kind).map((each) => each.droppedMs ?? Infinity));
      test.diagnostic(
        `450 attackers; slowest drop: headers ${Math.round(dropped('slow headers'))} ms, silent ` +
          `${Math.round(dropped('silent'))} ms, body ${Math.round(dropped('slow body'))} ms`,
      );
      test.diagnostic(
        `good client meanwhile: ${latencies.length} orders, p99 ${p99.toFixed(1)} ms; after it ${calmP99.toFixed(1)} ms`,
      );
      assert.ok(
        dropped('slow headers') < 7_000 && dropped('silent') < 7_000,
        'headers within 5 s and a check',
      );
      assert.ok(dropped('slow body') < 12_500, 'a request within 10 s and a check');
      assert.ok(p99 < Math.max(250, calmP99 * 3), `p99 ${p99} ms, without attackers ${calmP99} ms`);
    });
  });
});

function percentile(latencies: readonly number[]): number {
  const sorted = latencies.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length * 0.99)]!;
}

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
    socket.on('data', (chunk) => {
      reader.read(chunk);
      if (reader.replies.length < count) return;
      socket.destroy();
      resolve(reader.replies);
    });
    socket.write(Buffer.concat(Array.from({ length: count }, () => bytes)));
  });
}

/** One byte a second, for ever, and no reaction when the server wants to say goodbye. */
class SlowSender {
  readonly kind: string;
  droppedMs: number | undefined;
  private readonly socket: Socket;
  private readonly startedMs = performance.now();
  private readonly trickle: NodeJS.Timeout;

  constructor(url: string, kind: string, opening: string) {
    this.kind = kind;
    this.socket = dial(url);
    this.socket.write(opening);
    this.trickle = setInterval(() => opening !== '' && this.socket.write('x'), 1_000);
    this.socket.on('error', () => this.dropped());
    this.socket.on('end', () => this.dropped());
    this.socket.on('close', () => this.dropped());
    this.socket.resume();
  }

  leave(): void {
    clearInterval(this.trickle);
    this.socket.destroy();
  }

  private dropped(): void {
    this.droppedMs ??= performance.now() - this.startedMs;
  }
}
