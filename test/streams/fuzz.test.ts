/**
 * Many strangers at once who follow no protocol: frames of noise, of half a sense and of sense at the wrong time, logins
 * of every kind, races of subscribe and unsubscribe, orders, and every way of leaving. Each answer is a documented one,
 * nobody is told what is not theirs, and when all have left nothing of them stays behind.
 */
import assert from 'node:assert/strict';
import { after, before, it, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TRADE_TOPICS } from '../../src/api/ws/order-entry.ts';
import { PRIVATE_TOPIC_NAMES, PUBLIC_TOPICS } from '../../src/api/ws/topic-request.ts';
import type { DemoKeys } from '../harness/server.ts';
import { type Frame, loginFrame, type StreamClient } from '../harness/stream-client.ts';
import { StreamServer } from '../harness/stream-server.ts';
import { Rng } from '../security/hostile/rng.ts';

const STRANGERS = 40;
const STEPS = 60;
const SEED = 88;

let room: StreamServer;
let dice: Rng;

before(async () => {
  room = await StreamServer.start({ rateLimits: 'off' });
  dice = new Rng(SEED);
});

after(() => room.close());

const WORDS = [
  '',
  'BTCUSDT',
  'btcusdt',
  'ETHUSDT',
  'NOPE',
  '💥',
  '\u0000',
  'constructor',
  '__proto__',
  'a'.repeat(300),
];
const TYPES = ['spot', 'SPOT', 'margin', 'usdt-futures', 'coin-futures', 'UTA', 'uta', 'options', 'toString'];
const TOPICS = [...PUBLIC_TOPICS, ...PRIVATE_TOPIC_NAMES, 'weather', 'hasOwnProperty', ''];
const WIDTHS = ['1m', '1H', '1W', '7m', ''];

/** Something where something else belongs. */
function oddity(depth = 3): unknown {
  const kinds = depth === 0 ? 6 : 8;
  switch (dice.below(kinds)) {
    case 0:
      return null;
    case 1:
      return dice.pick([0, -1, 1.5, 1e15, -1e300]);
    case 2:
      return dice.chance(0.5);
    case 3:
      return dice.pick(WORDS);
    case 4:
      return '9'.repeat(dice.below(60));
    case 5:
      return [];
    case 6:
      return Array.from({ length: dice.below(4) }, () => oddity(depth - 1));
    default:
      return Object.fromEntries(
        Array.from({ length: dice.below(4) }, () => [dice.pick(WORDS.slice(0, 6)), oddity(depth - 1)]),
      );
  }
}

function topic(): object {
  const named = {
    instType: dice.pick(TYPES),
    topic: dice.pick(TOPICS),
    symbol: dice.pick(WORDS),
    interval: dice.pick(WIDTHS),
  };
  const sensible = { instType: dice.pick(['spot', 'usdt-futures']), symbol: 'BTCUSDT', interval: '1m' };
  if (dice.chance(0.5)) return { ...sensible, topic: dice.pick(PUBLIC_TOPICS) };
  if (dice.chance(0.5)) return { instType: 'UTA', topic: dice.pick(PRIVATE_TOPIC_NAMES) };
  return dice.chance(0.8) ? named : { ...named, [dice.pick(Object.keys(named))]: oddity() };
}

function order(): object {
  const sensible: Record<string, unknown> = {
    symbol: 'BTCUSDT',
    side: dice.pick(['buy', 'sell']),
    orderType: 'limit',
    price: String(50_000 + dice.below(20_000)),
    qty: '0.001',
  };
  if (dice.chance(0.5)) sensible[dice.pick([...Object.keys(sensible), 'clientOid', 'orderId'])] = oddity();
  return sensible;
}

function login(keys: DemoKeys): object {
  const frame: Frame = room.loginFrame(keys);
  if (dice.chance(0.3)) frame.args[0][dice.pick(['apiKey', 'passphrase', 'timestamp', 'sign'])] = oddity();
  if (dice.chance(0.1)) return loginFrame({ ...keys, secretKey: 'guessed' });
  return frame;
}

/** What a stranger sends next: bytes, text, or a frame. */
function message(keys: DemoKeys): Buffer | string {
  switch (dice.below(12)) {
    case 0:
      return Buffer.from(dice.bytes(dice.below(200)));
    case 1:
      return Buffer.from(dice.bytes(dice.below(60))).toString('latin1');
    case 2:
      return JSON.stringify(oddity());
    case 3:
      return JSON.stringify({
        op: dice.pick(['login', 'subscribe', 'unsubscribe', 'trade', 'stop']),
        args: oddity(),
      });
    case 4:
      return JSON.stringify(login(keys));
    case 5:
      return 'ping';
    case 6:
    case 7: {
      const args = Array.from({ length: 1 + dice.below(3) }, order);
      const name = dice.pick([...Object.keys(TRADE_TOPICS), 'nothing']);
      const category = dice.pick(['spot', 'SPOT', 'usdt-futures', 'options', 7]);
      return JSON.stringify({ op: 'trade', id: dice.pick(['1', 2, '', null]), topic: name, category, args });
    }
    default: {
      const args = Array.from({ length: 1 + dice.below(8) }, topic);
      return JSON.stringify({ op: dice.pick(['subscribe', 'unsubscribe']), args });
    }
  }
}

/** What a stranger does, drawn beforehand: however the machine shares its time, each of them says the same. */
interface Script {
  readonly keys: DemoKeys;
  readonly path: '/v3/ws/public' | '/v3/ws/private' | '/v3/ws';
  readonly logsIn: boolean;
  readonly steps: readonly Step[];
}

interface Step {
  readonly says: Buffer | string;
  readonly pings: Buffer | undefined;
  readonly stopsReading: boolean;
  readonly restsMs: number | undefined;
}

function script(keys: DemoKeys): Script {
  const path = dice.pick(['/v3/ws/public', '/v3/ws/private', '/v3/ws'] as const);
  const logsIn = dice.chance(0.6) && path !== '/v3/ws/public';
  const steps = Array.from({ length: STEPS }, () => ({
    says: message(keys),
    pings: dice.chance(0.05) ? Buffer.from(dice.bytes(dice.below(125))) : undefined,
    stopsReading: dice.chance(0.02),
    restsMs: dice.chance(0.1) ? dice.below(5) : undefined,
  }));
  return { keys, path, logsIn, steps };
}

/** Talks until it has said everything and heard the answers, stopped reading, or was shown the door. */
async function stranger({ keys, path, logsIn, steps }: Script): Promise<StreamClient> {
  const client = await room.connect({ path });
  if (logsIn) client.send(room.loginFrame(keys));
  for (const { says, pings, stopsReading, restsMs } of steps) {
    if (client.ws.readyState !== client.ws.OPEN) return client;
    client.ws.send(says, { binary: typeof says !== 'string' });
    if (pings !== undefined) client.ws.ping(pings);
    if (stopsReading) client.ws.pause();
    if (restsMs !== undefined) await sleep(restsMs);
  }
  if (!client.ws.isPaused) await Promise.race([client.closed, theEnd(client)]);
  return client;
}

/** Resolves when the last of many messages is answered; an earlier `ping` may still be under way, so it asks by name. */
async function theEnd(client: StreamClient): Promise<void> {
  const arg = { instType: 'spot', topic: 'the end', symbol: 'BTCUSDT' };
  client.send({ op: 'subscribe', args: [arg] });
  await client.next(({ event, arg }) => event === 'error' && arg?.topic === 'the end').catch(() => {});
}

/** What the venue keeps of its readers. */
interface Kept {
  readonly connections: ReadonlySet<unknown>;
  readonly connectionsByUid: ReadonlyMap<unknown, unknown>;
  readonly admission: { readonly openByAddress: ReadonlyMap<unknown, unknown> };
  readonly channels: Readonly<Record<string, { readonly size: number } | undefined>>;
}

function assertNothingKept(): void {
  const kept = room.streams as unknown as Kept;
  assert.equal(kept.connections.size, 0, 'connections');
  assert.equal(kept.connectionsByUid.size, 0, 'connections of accounts');
  assert.equal(kept.admission.openByAddress.size, 0, 'connections of addresses');
  for (const list of ['open', 'polled', 'feeds', 'trades', 'candles', 'liquidations']) {
    assert.equal(kept.channels[list]!.size, 0, list);
  }
  assert.equal(kept.channels.polling, undefined, 'nobody is looked after');
  const { connections, subscriptions } = room.streams.metrics;
  assert.deepEqual([connections, subscriptions], [0, 0]);
}

it(`${STRANGERS} strangers, ${STEPS} steps each (seed ${SEED}): no crash, only documented answers, nothing kept`, async () => {
  const witness = await room.login(room.account('maker'));
  await witness.subscribe(...PRIVATE_TOPIC_NAMES.map((name) => ({ instType: 'UTA', topic: name })));
  const names = ['alice', 'bob', 'bot'];
  const scripts = Array.from({ length: STRANGERS }, (_, n) => script(room.account(names[n % names.length]!)));
  const crowd = await Promise.all(scripts.map(stranger));
  await witness.answers();
  // Nobody but the maker may see the maker's, and the maker sees nothing of theirs.
  for (const name of ['order', 'fill', 'strategy-order']) assert.deepEqual(witness.pushes(name), []);
  const frames: Frame[] = crowd.flatMap((client) => client.frames);
  const codes = new Set(frames.filter(({ event }) => event === 'error').map(({ code }) => String(code)));
  for (const code of ['30001', '30002', '30003', '30004', '30016'])
    assert.ok(codes.has(code), `${code} was told`);
  assert.ok(![...codes].some((code) => /^5|^40725$/.test(code)), `defects: ${[...codes].join(' ')}`);
  // Some say goodbye, some vanish, some stop in the middle of a frame.
  for (const [n, client] of crowd.entries()) {
    if (n % 3 === 0) client.ws.close(1000, 'bye');
    else if (n % 3 === 1) client.ws.terminate();
  }
  await room.empty();
  assertNothingKept();
});

it('subscribe and unsubscribe in one breath, of every topic, many times: the last word counts', async () => {
  const client = await room.login(room.account('alice'), { path: '/v3/ws' });
  const args = [
    ...PUBLIC_TOPICS.map((name) => ({
      instType: 'usdt-futures',
      topic: name,
      symbol: 'BTCUSDT',
      ...(name === 'kline' && { interval: '1m' }),
    })),
    ...PRIVATE_TOPIC_NAMES.map((name) => ({ instType: 'UTA', topic: name })),
  ];
  for (let n = 0; n < 50; n++) {
    client.send({ op: 'subscribe', args });
    client.send({ op: 'unsubscribe', args });
  }
  await client.answers();
  assert.equal(room.streams.metrics.subscriptions, 0);
  const quiet = async () => {
    await sleep(50);
    await client.answers();
  };
  await quiet();
  const from = client.frames.length;
  await quiet();
  assert.deepEqual(client.frames.slice(from), ['pong'], 'nothing comes of what is over');
  client.send({ op: 'unsubscribe', args });
  client.send({ op: 'subscribe', args });
  await client.answers();
  assert.equal(room.streams.metrics.subscriptions, args.length);
  await room.empty();
  assertNothingKept();
});

it('a login under way when its socket goes, and two at once: one account, counted once', async () => {
  const alice = room.account('alice');
  const { identity } = room.rooms;
  const check = identity.checkPassphrase.bind(identity);
  // The first use of a key takes a while: its passphrase is hashed.
  let hashed = Promise.withResolvers<void>();
  mock.method(identity, 'checkPassphrase', async (...given: Parameters<typeof check>) => {
    await hashed.promise;
    return check(...given);
  });
  const gone = await room.connect({ path: '/v3/ws/private' });
  gone.send(room.loginFrame(alice));
  await gone.answers();
  gone.close();
  while (room.streams.metrics.connections > 0) await sleep(2);
  hashed.resolve();
  hashed = Promise.withResolvers();
  const hasty = await room.connect({ path: '/v3/ws/private' });
  hasty.send(room.loginFrame(alice));
  hasty.send(room.loginFrame(alice));
  hasty.send({ op: 'subscribe', args: [{ instType: 'UTA', topic: 'order' }] });
  await hasty.next(({ code }) => code === 30004);
  hashed.resolve();
  await hasty.next((frame) => frame.event === 'login');
  assert.deepEqual(
    hasty.frames.map(({ code }: Frame) => code),
    [30016, 30004, 0],
  );
  mock.restoreAll();
  const from = hasty.frames.length;
  hasty.send(room.loginFrame(alice));
  await hasty.next((frame) => frame.event === 'login', from);
  await room.empty();
  assertNothingKept();
});

it('a login that finds the check of passphrases busy waits for its turn, and is no failure of its address', async () => {
  const { identity } = room.rooms;
  const check = identity.checkPassphrase.bind(identity);
  let busy = Number.POSITIVE_INFINITY;
  mock.method(identity, 'checkPassphrase', (...given: Parameters<typeof check>) =>
    busy-- > 0 ? 'busy' : check(...given),
  );
  const client = await room.connect({ path: '/v3/ws/private' });
  client.send(room.loginFrame(room.account('alice')));
  client.send(room.loginFrame(room.account('alice')));
  await client.next(({ code }) => code === 30016);
  busy = 3;
  await client.next((frame) => frame.event === 'login');
  assert.deepEqual(
    client.frames.map(({ code }: Frame) => code),
    [30016, 0],
    'one login at a time',
  );
  busy = Number.POSITIVE_INFINITY;
  const gone = await room.connect({ path: '/v3/ws/private' });
  gone.send(room.loginFrame(room.account('alice')));
  await gone.answers();
  await room.empty();
  mock.restoreAll();
  assertNothingKept();
});
