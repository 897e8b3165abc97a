/** What one connection, one address, one account and all of them may use, and for how long (wire 5.1, reliability 3.3). */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LEAVE_TOGETHER } from '../../src/api/ws/limits.ts';
import type { DemoKeys } from '../harness/server.ts';
import type { Frame, StreamClient, StreamOptions } from '../harness/stream-client.ts';
import { StreamServer } from '../harness/stream-server.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MIB = 1024 * 1024;
const TICKER = { instType: 'spot', topic: 'ticker', symbol: 'BTCUSDT' };

const isError = (frame: Frame) => frame.event === 'error';
const errorsOf = (client: StreamClient): number[] => client.frames.filter(isError).map(({ code }) => code);

async function until(fits: () => boolean): Promise<void> {
  while (!fits()) await sleep(2);
}

let room: StreamServer;

before(async () => {
  room = await StreamServer.start({ allowedOrigins: ['https://charts.example'] });
});

after(() => room.close());

afterEach(async () => {
  await room.empty();
  // A new second for handshakes.
  await room.pass(SECOND_MS);
});

describe('messages of a connection (wire 5.1)', () => {
  const says = (client: StreamClient, count: number) => {
    for (let n = 0; n < count; n++) client.send('ping');
  };
  const pongs = (client: StreamClient) => client.frames.filter((frame) => frame === 'pong').length;

  it('a hundred may come at once, and ten a second after that; 30006 warns, twenty more end it with 30007', async () => {
    const client = await room.connect();
    says(client, 100);
    await until(() => pongs(client) === 100);
    await room.pass(SECOND_MS);
    says(client, 10);
    await until(() => pongs(client) === 110);
    assert.deepEqual(errorsOf(client), []);
    says(client, 20);
    await until(() => pongs(client) === 130);
    assert.deepEqual(errorsOf(client), [30006], 'warned once, and served');
    says(client, 1);
    assert.equal((await client.closed).code, 1008);
    assert.deepEqual([errorsOf(client), pongs(client)], [[30006, 30007], 130]);
  });

  it('pings of the protocol count like the word, and so do pongs that nobody asked for', async () => {
    for (const kind of ['ping', 'pong'] as const) {
      const client = await room.connect();
      for (let n = 0; n < 200; n++) client.ws[kind]();
      assert.equal((await client.closed).code, 1008, kind);
      assert.deepEqual(errorsOf(client), [30006, 30007], kind);
    }
  });

  it('whoever heeds the warning stays, and is warned anew only after a pause', async () => {
    const client = await room.connect();
    says(client, 101);
    await until(() => pongs(client) === 101);
    assert.deepEqual(errorsOf(client), [30006]);
    await room.pass(2 * SECOND_MS);
    says(client, 30);
    await until(() => pongs(client) === 131);
    assert.deepEqual(errorsOf(client), [30006]);
    await room.pass(10 * SECOND_MS);
    says(client, 100);
    await until(() => pongs(client) === 231);
    assert.deepEqual(errorsOf(client), [30006, 30006]);
  });

  it('whoever keeps to ten a second is never cut off', async () => {
    const client = await room.connect();
    for (let second = 0; second < 40; second++) {
      says(client, 10);
      await until(() => pongs(client) === 10 * (second + 1));
      await room.pass(SECOND_MS);
    }
    assert.equal(client.ws.readyState, client.ws.OPEN);
  });

  it('240 subscribe requests an hour; the next are refused with 30006, twenty more end it with 30007', async () => {
    const patient = await room.connect();
    const hasty = await room.connect();
    const subscribes = async (client: StreamClient, count: number) => {
      for (let n = 0; n < count; n++) {
        await client.subscribe(TICKER);
        if (n % 10 === 9) await room.pass(SECOND_MS, patient, hasty);
      }
    };
    await subscribes(hasty, 240);
    await subscribes(patient, 240);
    hasty.send({ op: 'unsubscribe', args: [TICKER] });
    await hasty.next((frame) => frame.event === 'unsubscribe');
    const from = hasty.frames.length;
    for (let n = 0; n < 21; n++) hasty.send({ op: 'subscribe', args: [TICKER] });
    await hasty.closed;
    assert.deepEqual(
      hasty.frames.slice(from).map(({ code, msg }) => [code, msg]),
      Array.from({ length: 21 }, (_, n) => [
        n < 20 ? 30006 : 30007,
        'at most 240 subscribe requests an hour',
      ]),
      'none of them was carried out',
    );
    await room.pass(HOUR_MS, patient);
    for (let n = 0; n < 20; n++) await patient.subscribe(TICKER);
  });
});

describe('how long a connection lasts (wire 5.1, reliability 2.2 and 3.3)', () => {
  it('24 hours; a minute before the end 30033 tells so, once', async () => {
    const client = await room.connect();
    const young = await room.connect();
    await room.pass(24 * HOUR_MS - 2 * MINUTE_MS, client, young);
    assert.deepEqual(errorsOf(client), []);
    const late = await room.connect();
    await room.pass(MINUTE_MS + 1, client, late);
    await room.pass(SECOND_MS, client, late);
    await client.answers();
    assert.deepEqual(errorsOf(client), [30033]);
    await room.pass(MINUTE_MS, client, late);
    const { code, reason } = await client.closed;
    assert.deepEqual([code, reason], [1001, 'a connection lasts 24 hours']);
    await late.answers();
    assert.deepEqual(errorsOf(late), [], 'a younger one stays');
  });

  it('two minutes without a word of the client; answers to our pings are none', async () => {
    const quiet = await room.connect();
    const talking = await room.connect();
    const pinging = await room.connect();
    const ping = () => {
      const ponged = new Promise((resolve) => pinging.ws.once('pong', resolve));
      pinging.ws.ping();
      return ponged;
    };
    for (let passed = 0; passed <= 2 * MINUTE_MS; passed += 20 * SECOND_MS) {
      const asked = new Promise((resolve) => quiet.ws.once('ping', resolve));
      assert.equal(quiet.ws.readyState, quiet.ws.OPEN, `after ${passed} ms`);
      await ping();
      await room.pass(20 * SECOND_MS, talking);
      // Its library answers by itself; the answer needs a moment to arrive.
      if (passed < 2 * MINUTE_MS) await asked;
      await talking.answers();
    }
    const { code, reason } = await quiet.closed;
    assert.deepEqual([code, reason], [1008, 'no ping for 2 minutes']);
    for (const client of [talking, pinging]) assert.equal(client.ws.readyState, client.ws.OPEN);
  });

  it('a peer that does not even answer pings is gone after two of them', async () => {
    const client = await room.connect();
    const { dropped } = room.streams.metrics;
    client.ws.pause();
    await room.pass(40 * SECOND_MS);
    assert.equal(room.streams.metrics.dropped, dropped);
    await room.pass(6 * SECOND_MS);
    assert.equal(room.streams.metrics.dropped, dropped + 1);
  });

  it('a private one is logged in within ten seconds or ends with 30005; others need no login', async () => {
    const late = await room.connect({ path: '/v3/ws/private' });
    const both = await room.connect({ path: '/v3/ws' });
    const inTime = await room.login(room.account('alice'));
    await room.pass(10 * SECOND_MS, late, both, inTime);
    assert.deepEqual(errorsOf(late), []);
    await room.pass(1, both, inTime);
    assert.equal((await late.closed).code, 1008);
    assert.deepEqual(errorsOf(late), [30005]);
    for (const client of [both, inTime]) {
      await client.answers();
      assert.deepEqual(errorsOf(client), []);
    }
  });
});

describe('who may connect (wire 5.1, reliability 2.2 and 3.3)', () => {
  const attempt = (options: StreamOptions) =>
    room.connect(options).then(
      (client) => {
        client.close();
        return 'accepted';
      },
      (error: Error) => error.message,
    );

  it('300 attempts of one address in five minutes, not more', async () => {
    const localAddress = '127.0.8.1';
    for (let n = 0; n < 300; n++) assert.equal(await attempt({ localAddress }), 'accepted', `attempt ${n}`);
    assert.equal(await attempt({ localAddress }), 'refused with 429');
    assert.equal(await attempt({ localAddress: '127.0.8.2' }), 'accepted');
    await room.pass(5 * MINUTE_MS);
    assert.equal(await attempt({ localAddress }), 'accepted');
  });

  it('500 handshakes a second over all addresses: the herd waits at the door and is told for how long', async () => {
    const from = (n: number) => ({ localAddress: `127.0.10.${1 + (n % 25)}` });
    const answers = await Promise.all(Array.from({ length: 510 }, (_, n) => attempt(from(n))));
    assert.deepEqual(
      ['accepted', 'refused with 429'].map((answer) => answers.filter((each) => each === answer).length),
      [500, 10],
    );
    const rejectReason = await fetchUpgrade(room.url);
    assert.deepEqual([rejectReason.status, rejectReason.retryAfter], [429, '1']);
    await room.pass(SECOND_MS);
    assert.equal(await attempt(from(0)), 'accepted');
  });

  it('a hundred sockets of one account, whatever their addresses; the next login ends with 30007', async () => {
    const alice = room.account('alice');
    const mine = await Promise.all(Array.from({ length: 100 }, () => room.login(alice)));
    const over = await room.connect({ path: '/v3/ws/private' });
    over.send(room.loginFrame(alice));
    assert.deepEqual([(await over.next(isError)).code, (await over.closed).code], [30007, 1008]);
    await room.login(room.account('bob'));
    mine[0]!.close();
    await mine[0]!.closed;
    await until(() => room.streams.metrics.connections === 100);
    await room.login(alice);
  });

  it('programs, our own pages and pages that are named; no others', async () => {
    const page = (origin: string) => attempt({ headers: { origin } });
    assert.equal(await attempt({}), 'accepted');
    assert.equal(await page(room.url), 'accepted');
    assert.equal(await page('https://charts.example'), 'accepted');
    for (const origin of ['https://evil.example', 'https://charts.example.evil', 'null', 'file://', '']) {
      assert.equal(await page(origin), 'refused with 403', origin);
    }
  });
});

/** What a handshake that is turned away is told. */
async function fetchUpgrade(url: string): Promise<{ status: number; retryAfter: string | undefined }> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    };
    const outgoing = request(`${url}/v3/ws/public`, { headers }, (incoming) => {
      incoming.resume();
      resolve({ status: incoming.statusCode!, retryAfter: incoming.headers['retry-after'] });
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}

describe('rights that change (reliability 3.1: within a second)', () => {
  async function keyOf(label: string): Promise<DemoKeys> {
    const { uid } = room.account('alice');
    const made = await room.rooms.identity.createKey({
      uid,
      label,
      permType: 'read_write',
      permissions: ['uta_trade', 'uta_mgt'],
      passphrase: 'test12345',
      nowMs: Date.now(),
    });
    assert.ok(made.ok);
    const { key, secretKey } = made.value;
    return { name: label, uid, apiKey: key.apiKey, secretKey: secretKey!, passphrase: 'test12345' };
  }

  it('a key that was deleted or changed, or whose owner is frozen, ends its sockets at the next sweep', async () => {
    const { identity } = room.rooms;
    const keys = await Promise.all(['deleted', 'narrowed', 'kept'].map(keyOf));
    const sockets = await Promise.all(keys.map((key) => room.login(key)));
    for (const socket of sockets) await socket.subscribe({ instType: 'UTA', topic: 'order' });
    await room.pass(1);
    for (const socket of sockets) await socket.answers();
    await identity.change((to) => to.deleteKey(keys[0]!.apiKey));
    await identity.change((to) => to.setKey(keys[1]!.apiKey, { permissions: ['uta_mgt'] }));
    await room.pass(1);
    for (const socket of sockets.slice(0, 2)) {
      assert.deepEqual([(await socket.closed).code, errorsOf(socket)], [1008, [30011]]);
    }
    await sockets[2]!.answers();
    await identity.change((to) => to.setFrozen(keys[2]!.uid, true, Date.now()));
    await room.pass(1);
    assert.deepEqual([(await sockets[2]!.closed).code, errorsOf(sockets[2]!)], [1008, [30011]]);
    await identity.change((to) => to.setFrozen(keys[2]!.uid, false, Date.now()));
  });

  it('an order over the socket asks at once, before any sweep', async () => {
    const key = await keyOf('quick');
    const socket = await room.login(key);
    await room.rooms.identity.change((to) => to.deleteKey(key.apiKey));
    const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '50000', qty: '0.01' };
    socket.send({ op: 'trade', id: '1', topic: 'place-order', category: 'spot', args: [order] });
    await socket.closed;
    assert.deepEqual(errorsOf(socket), [30011]);
    assert.equal(room.rooms.sequencer.state.slab.count, 0);
  });
});

describe('what waits for all readers together (reliability 2.2, 5.5)', () => {
  it('is bounded: those who are furthest behind go first, and those who read stay', async () => {
    const room = await StreamServer.start({ rateLimits: 'off', unsentTotalBytesMax: MIB });
    try {
      const healthy = await room.connect();
      await healthy.subscribe(TICKER);
      const stalled: StreamClient[] = [];
      // Each answer is about as long as the request; a ticker that is asked for again comes again.
      const asking = JSON.stringify({ op: 'subscribe', args: Array.from({ length: 60 }, () => TICKER) });
      const waiting = () => {
        room.streams.checkAll();
        return room.streams.metrics.unsentBytes;
      };
      for (const share of [0.3, 0.6, 0.9]) {
        const client = await room.connect();
        client.ws.pause();
        stalled.push(client);
        // The kernel takes megabytes before the first byte waits here.
        while (waiting() < share * MIB) {
          client.ws.send(asking);
          await sleep(1);
        }
      }
      assert.equal(room.streams.metrics.dropped, 0, 'below the bound nobody is cut off');
      const last = stalled.at(-1)!;
      while (room.streams.metrics.dropped === 0) {
        last.ws.send(asking);
        await sleep(1);
        waiting();
      }
      assert.equal(room.streams.metrics.dropped, 1, 'no more than needed');
      await until(() => room.streams.metrics.connections === 3);
      assert.ok(waiting() <= MIB, `${waiting()} bytes wait`);
      await healthy.answers();
    } finally {
      await room.close();
    }
  });
});

describe('the end of an exchange (wire 5.1, reliability 2.2)', () => {
  it('everybody leaves with 1012, some earlier, some later, and who has to wait is told with 30033', async () => {
    const room = await StreamServer.start({ rateLimits: 'off' });
    // Ten turns, so that a busy machine has most of a second between the first goodbye and the last.
    const clients = await Promise.all(Array.from({ length: 10 * LEAVE_TOGETHER }, () => room.connect()));
    const ended = room.streams.close();
    await clients[0]!.closed;
    const last = clients.at(-1)!;
    await last.answers();
    assert.deepEqual(errorsOf(last), [30033], 'the last is still served when the first has left');
    await assert.rejects(room.connect(), /refused with 503/);
    const goodbyes = await Promise.all(clients.map(({ closed }) => closed));
    assert.deepEqual([...new Set(goodbyes.map(({ code }) => code))], [1012]);
    assert.deepEqual(errorsOf(clients[0]!), [], 'to the first the close says it');
    await ended;
    assert.equal(room.streams.metrics.connections, 0);
    await room.close();
  });
});
