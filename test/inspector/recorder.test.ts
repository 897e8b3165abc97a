/** What the recorder keeps of real traffic, and who may see it. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { loginFrame, StreamClient } from '../harness/stream-client.ts';
import { InspectClient } from './inspect-client.ts';

let server: TestServer;
const open: { close(): void }[] = [];
const closed = <Client extends { close(): void }>(client: Client): Client => {
  open.push(client);
  return client;
};

before(async () => {
  server = await startHostedInMemory();
});
after(async () => {
  for (const client of open) client.close();
  await server.stop();
});

const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  qty: '0.01',
  price: '50000',
};
const PLACE = '/api/v3/trade/place-order';
const clientOf = (keys: DemoKeys) => closed(new SignedClient(server.url, keys));
const inspect = async (keys: DemoKeys) => closed(await InspectClient.login(server.url, keys));

test('a call is shown to its account, with request, answer and what was signed', async () => {
  const alice = clientOf(server.account('alice'));
  const before = await alice.post(PLACE, ORDER);
  const view = await inspect(server.account('alice'));
  const first = await view.summary(({ path }) => path === PLACE);
  assert.equal(first.about, `BTCUSDT buy 0.01 @ 50000 -> ${before.data.orderId}`);
  assert.deepEqual([first.status, first.code, first.refused], [200, '00000', false]);
  const { data } = await alice.post(PLACE, { ...ORDER, price: '50001' });
  const live = await view.summary(({ about }) => about.endsWith(data.orderId));
  const entry = (await view.entry(live.id))!;
  assert.equal(entry.body, JSON.stringify({ ...ORDER, price: '50001' }));
  assert.match(entry.answer, new RegExp(data.orderId));
  assert.equal(entry.base, `${entry.timestamp}POST${PLACE}${entry.body}`);
  assert.ok(entry.why.steps.every(({ verdict }) => verdict === 'ok'));
});

test('the commands of a request are named, with the time that each step took', async () => {
  const alice = server.account('alice');
  const client = clientOf(alice);
  const view = await inspect(alice);
  const marked = async (mark: string) => (await view.entry((await view.summary(shows(mark))).id))!;
  const shows =
    (mark: string) =>
    ({ about, method }: { about: string; method: string }) =>
      method !== 'in' && about.includes(mark);

  const placed = await client.post(PLACE, { ...ORDER, price: '50003', clientOid: 'one-command' });
  const one = await marked(placed.data.orderId);
  assert.equal(one.commands.length, 1);
  for (const spent of Object.values(one.times!)) assert.ok(spent! >= 0, JSON.stringify(one.times));
  const sum = Object.values(one.times!).reduce<number>((total, spent) => total + spent!, 0);
  assert.ok(Math.abs(sum - one.ms) <= 0.051, `${sum} of ${one.ms}`);

  // The margin mode is a command of its own, which another takes back once the order is refused.
  await client.post(PLACE, { ...ORDER, category: 'USDT-FUTURES', qty: '77', marginMode: 'isolated' });
  const { code, commands } = await marked('buy 77');
  assert.deepEqual([code, commands.length], ['25103', 3]);
  assert.equal(commands[1], commands[0]! + 1);
  assert.ok(commands[0]! > one.commands[0]! && commands[2]! > commands[1]);

  await client.post(PLACE, { ...ORDER, qty: '1001' });
  const refused = await marked('buy 1001');
  assert.deepEqual([refused.refused, refused.commands.length], [true, 1]);
  await client.post(PLACE, { ...ORDER, qty: '1002', side: 'bye' });
  const early = await marked('bye 1002');
  assert.deepEqual([early.commands, early.times!.apply, early.times!.durable], [[], null, null]);
  assert.equal(early.times!.authenticate, null, 'parameters are the last part of that step');
  await client.get('/api/v3/account/info', { mark: 'a-read' });
  const read = await marked('a-read');
  assert.deepEqual([read.commands, read.times!.apply], [[], null]);

  const stream = closed(await StreamClient.open(server.url, { path: '/v3/ws' }));
  stream.send(loginFrame(alice));
  await stream.next(({ event }) => event === 'login');
  const args = ['50004', '50005'].map((price) => ({ ...ORDER, price }));
  stream.send({ op: 'trade', id: '7', category: 'spot', topic: 'batch-place', args });
  const { args: answers } = await stream.next(({ event }) => event === 'trade');
  const batch = await marked(answers[1].orderId);
  assert.deepEqual([batch.kind, batch.commands.length], ['ws', 2]);
  assert.ok(batch.ms > 0 && batch.times!.apply !== null && batch.times!.durable !== null);
});

test('a call of a path that is not served is kept with its body', async () => {
  const alice = server.account('alice');
  await clientOf(alice).post('/api/v3/trade/no-such-call', { mark: 'kept-anyway' });
  const view = await inspect(alice);
  const { id } = await view.summary(({ path }) => path.endsWith('no-such-call'));
  const { status, body, times } = (await view.entry(id))!;
  assert.deepEqual([status, body, times!.apply], [404, '{"mark":"kept-anyway"}', null]);
});

test('requests that run at once are followed each by itself, also behind a wait', async () => {
  const bot = server.account('bot');
  const view = await inspect(bot);
  const stream = closed(await StreamClient.open(server.url, { path: '/v3/ws' }));
  stream.send(loginFrame(bot));
  await stream.next(({ event }) => event === 'login');
  const clients = Array.from({ length: 4 }, () => clientOf(bot));
  const entries = new Map<string, { commands: number[]; orderId: string }>();
  // As many as the limit of a second allows.
  const rounds = 2;
  // Two orders over HTTP, one that takes its margin mode back once it is refused, one over the socket, and a read.
  for (let round = 0; round < rounds; round++) {
    const oid = (kind: string) => `${kind}${round}`;
    const refused = { category: 'USDT-FUTURES', qty: '77', marginMode: 'isolated', clientOid: oid('moded') };
    stream.send({
      op: 'trade',
      id: oid('framed'),
      category: 'spot',
      topic: 'place-order',
      args: [{ ...ORDER, clientOid: oid('framed') }],
    });
    await Promise.all([
      clients[0]!.post(PLACE, { ...ORDER, clientOid: oid('plain') }),
      clients[1]!.post(PLACE, { ...ORDER, ...refused }),
      clients[2]!.post(PLACE, { ...ORDER, clientOid: oid('other') }),
      clients[3]!.get('/api/v3/trade/fills', { category: 'SPOT', mark: oid('read') }),
      stream.next(({ event, id }) => event === 'trade' && id === oid('framed')),
    ]);
  }
  const last = await view.summary(({ about }) => about.includes(`read${rounds - 1}`));
  await view.summary(({ kind, about, method }) => kind === 'ws' && method === 'out' && about.includes('->'));
  for (let id = 1; id <= last.id + 4; id++) {
    const entry = await view.entry(id);
    if (entry === null || entry.method === 'in') continue;
    const mark = /"clientOid":"((?:plain|other|moded|framed)\d)"/.exec(entry.body + entry.answer)?.[1];
    const name = mark ?? /mark=(read\d)/.exec(entry.target)?.[1];
    const orderId = /"orderId":"(\d+)"/.exec(entry.answer)?.[1] ?? '';
    if (name !== undefined) entries.set(name, { commands: entry.commands, orderId });
  }
  const of = (kind: string) => Array.from({ length: rounds }, (_, n) => entries.get(`${kind}${n}`)!);
  assert.equal(entries.size, 5 * rounds);
  for (const { commands } of of('read')) assert.deepEqual(commands, []);
  for (const { commands } of of('moded')) {
    assert.deepEqual([commands.length, commands[1]], [3, commands[0]! + 1]);
    assert.ok(commands[2]! > commands[1]!);
  }
  const orders = [...of('plain'), ...of('other'), ...of('framed')];
  for (const { commands } of orders) assert.equal(commands.length, 1);
  const all = [...entries.values()].flatMap(({ commands }) => commands);
  assert.equal(new Set(all).size, all.length, 'a command belongs to one request');
  // Ids of orders grow with the commands that placed them.
  const byCommand = orders.toSorted((one, next) => one.commands[0]! - next.commands[0]!);
  const byOrder = orders.toSorted((one, next) => (BigInt(one.orderId) < BigInt(next.orderId) ? -1 : 1));
  assert.deepEqual(byCommand, byOrder);
});

test('nobody sees the requests of a stranger, not even by their number', async () => {
  const bob = clientOf(server.account('bob'));
  await bob.post(PLACE, { ...ORDER, clientOid: 'of-bob' });
  const own = await inspect(server.account('bob'));
  const { id } = await own.summary(({ about }) => about.includes('of-bob') || about.includes('->'));
  const stranger = await inspect(server.account('alice'));
  assert.equal(await stranger.entry(id), null);
  assert.equal(await stranger.entry(1e9), null);
  const uid = String(server.account('alice').uid);
  assert.ok(stranger.shown().length > 0);
  assert.ok(stranger.shown().every((each) => each.uid === uid));
});

test('before a login nothing is told', async () => {
  const view = closed(await InspectClient.open(server.url));
  for (const frame of [
    { op: 'subscribe', args: [{ instType: 'UTA', topic: 'requests' }] },
    { op: 'entry', id: 1 },
  ]) {
    const from = view.frames.length;
    view.send(frame);
    assert.equal((await view.next(({ event }) => event === 'error', from)).code, 30004);
  }
  assert.deepEqual(view.shown(), []);
});

test('a main account sees its sub-accounts, a sub-account only itself, a key without rights only its own', async () => {
  const main = server.account('bot');
  const client = clientOf(main);
  const sub = await client.post('/api/v3/user/create-sub', { username: 'botsub' });
  assert.equal(sub.code, '00000', sub.msg);
  const subUid = String(sub.data.subUid);
  const passphrase = 'CanaryPass1';
  const keyOf = async (permissions: readonly string[]): Promise<DemoKeys> => {
    const { data, msg } = await client.post('/api/v3/user/create-sub-api', {
      subUid,
      passphrase,
      note: `k${permissions.join('').replace('_', '')}`,
      type: 'read_only',
      permissions,
      ips: ['127.0.0.1'],
    });
    assert.ok(data?.apiKey, msg);
    return { name: '', uid: Number(subUid), apiKey: data.apiKey, secretKey: data.secret, passphrase };
  };
  const managing = await keyOf(['uta_mgt']);
  const trading = await keyOf(['uta_trade']);
  assert.equal((await clientOf(managing).get('/api/v3/account/info')).code, '00000');
  assert.equal((await clientOf(trading).get('/api/v3/trade/unfilled-orders')).code, '00000');
  const seen = async (keys: DemoKeys, path: string) => {
    const view = await inspect(keys);
    await view.summary((each) => each.path.endsWith(path));
    return new Set(view.shown().map(({ uid, apiKey }) => `${uid} ${apiKey}`));
  };
  const own = `${subUid} ${managing.apiKey}`;
  const other = `${subUid} ${trading.apiKey}`;
  const mains = `${main.uid} ${main.apiKey}`;
  assert.deepEqual(await seen(main, 'account/info'), new Set([mains, own, other]));
  assert.deepEqual(await seen(managing, 'account/info'), new Set([own, other]));
  assert.deepEqual(await seen(trading, 'unfilled-orders'), new Set([other]));

  const view = await inspect(main);
  const created = await view.summary(({ path }) => path.endsWith('create-sub-api'));
  const entry = JSON.stringify(await view.entry(created.id));
  assert.doesNotMatch(entry, /CanaryPass1/, 'the passphrase is not kept');
  for (const { secretKey } of [managing, trading]) assert.ok(!entry.includes(secretKey), 'nor is the secret');
});

test('a failed attempt is shown to the owner of the key that it named, without its secrets', async () => {
  const alice = server.account('alice');
  const wrong = clientOf({ ...alice, secretKey: 'CanarySecret', passphrase: 'CanaryPass' });
  assert.equal((await wrong.get('/api/v3/account/info')).code, '40009');
  const view = await inspect(alice);
  const { id, refused } = await view.summary(({ code }) => code === '40009');
  assert.ok(refused);
  const entry = (await view.entry(id))!;
  assert.deepEqual(
    entry.why.steps.filter(({ verdict }) => verdict === 'no').map(({ name }) => name),
    ['signature'],
  );
  assert.doesNotMatch(JSON.stringify(entry), /Canary/);
});

test('frames of a private socket are kept without secrets; pings and public pushes are not', async () => {
  const alice = server.account('alice');
  const stream = closed(await StreamClient.open(server.url, { path: '/v3/ws' }));
  stream.send(loginFrame(alice));
  await stream.next(({ event }) => event === 'login');
  await stream.subscribe(
    { instType: 'UTA', topic: 'order' },
    { instType: 'spot', topic: 'ticker', symbol: 'BTCUSDT' },
  );
  await stream.next((frame) => frame.arg?.topic === 'ticker' && frame.data !== undefined);
  await stream.answers();
  const { data } = await clientOf(alice).post(PLACE, { ...ORDER, price: '50002' });
  const view = await inspect(alice);
  const pushed = await view.summary(({ kind, about }) => kind === 'ws' && about.includes(data.orderId));
  assert.match(pushed.about, /^order \d+ new 0 of 0\.01$/);
  const frames = view.shown().filter(({ kind }) => kind === 'ws');
  const login = (await view.entry(frames.find(({ about }) => about === 'login')!.id))!;
  assert.match(login.body, /"sign":"\(a secret, left out\)"/);
  assert.match(login.body, /"passphrase":"\(a secret, left out\)"/);
  for (const { id } of frames) assert.doesNotMatch((await view.entry(id))!.answer, /lastPrice|pong/);
});

test('every step names value, bound and what would be right', async () => {
  const bob = server.account('bob');
  const client = clientOf(bob);
  const view = await inspect(bob);
  const why = async (code: string) =>
    (await view.entry((await view.summary((each) => each.code === code)).id))!.why;
  await client.post(PLACE, { ...ORDER, side: 'bye' });
  const parameter = await why('40020');
  assert.equal(parameter.value, 'side = bye');
  assert.match(parameter.bound, /must be (?:one of )?.*buy.*sell/);
  await client.post(PLACE, { ...ORDER, qty: '1000' });
  const core = await why('25202');
  assert.deepEqual([core.core, core.steps.at(-1)!.verdict], [true, 'no']);
  assert.match(core.value, /balance/i);
  await closed(new SignedClient(server.url, bob, () => Date.now() - 90_000)).get('/api/v3/account/info');
  const late = await why('40008');
  assert.match(late.value, /90\.\d+ s behind/);
  assert.equal(late.bound, 'at most 30 s off, either way');
  await client.get('/api/v3/no-such-call');
  assert.equal((await why('40404')).value, 'GET /api/v3/no-such-call');
  await Promise.all(
    Array.from({ length: 30 }, () => client.get('/api/v3/trade/fills', { category: 'SPOT' })),
  );
  const often = await why('429');
  assert.match(often.bound, /^20 a second per account/);
  assert.match(often.right, /^wait and try again in \d+ ms$/);
});

test('a wrong signature is named by what was signed, of calls and of logins', async () => {
  const bob = server.account('bob');
  const view = await inspect(bob);
  const client = clientOf(bob);
  const sign = (text: string, secret = bob.secretKey) =>
    createHmac('sha256', secret).update(text).digest('base64');
  const target = '/api/v3/account/fee-rate?category=SPOT&symbol=BTCUSDT';
  const path = target.split('?')[0]!;
  const rows: readonly (readonly [(ts: string) => string, RegExp])[] = [
    [(ts) => sign(`${ts}GET${path}`), /^the query was left out$/],
    [(ts) => sign(`${ts}get${target}`), /lower case/],
    [(ts) => sign(`${ts}GET${target.replace('/api/v3', '')}`), /without \/api\/v3/],
    [(ts) => Buffer.from(sign(`${ts}GET${target}`), 'base64').toString('hex'), /hexadecimal/],
    [(ts) => sign(`${ts}GET${target}`, server.account('alice').secretKey), /secret of demo account alice/],
    [() => sign('anything'), /none of the usual mistakes/],
  ];
  for (const [signature, words] of rows) {
    const from = view.shown().length;
    const timestamp = String(Date.now());
    const reply = await client.send('GET', target, '', {
      'ACCESS-TIMESTAMP': timestamp,
      'ACCESS-SIGN': signature(timestamp),
    });
    assert.equal(reply.code, '40009', reply.msg);
    assert.doesNotMatch(reply.msg, words, 'the answer itself tells nobody');
    const { id } = await view.summary((each) => view.shown().indexOf(each) >= from && each.code === '40009');
    const entry = (await view.entry(id))!;
    assert.match(entry.why.value, words);
    assert.ok(!JSON.stringify(entry).includes(signature(timestamp)), 'the signature is not kept');
  }
  const stream = closed(await StreamClient.open(server.url, { path: '/v3/ws' }));
  const timestamp = String(Date.now());
  const { apiKey, passphrase } = bob;
  const login = { apiKey, passphrase, timestamp, sign: sign(`${timestamp}GET/api/v3/user/verify`) };
  stream.send({ op: 'login', args: [login] });
  const refused = await view.summary(({ code }) => code === '30015');
  assert.match((await view.entry(refused.id))!.why.value, /signed with \/api\/v3/);
  const mistake = await view.mistake('signature');
  assert.ok(mistake.count >= 1 && (await view.entry(mistake.first))?.code === '40009');
});

test('hostile messages are refused and the next is served', async () => {
  const view = await inspect(server.account('alice'));
  for (const frame of [
    { op: 'entry' },
    { op: 'entry', id: 'constructor' },
    { op: 'entry', id: -1 },
    { op: 'entry', id: 1.5 },
    { op: 'entry', id: { toString: 1 } },
    { op: 'subscribe', args: [null] },
    { op: 'subscribe', args: [{ topic: 'toString' }] },
    { op: 'subscribe', args: 'requests' },
    { op: 'unsubscribe', args: [{ topic: 'requests' }, { topic: 'requests' }] },
    { op: 'trade', id: 1, topic: 'place-order', args: [ORDER] },
    { op: '__proto__' },
  ])
    view.send(frame);
  const last = view.shown().at(-1)!.id;
  assert.equal((await view.entry(last))?.id, last);
});

test('without --inspect on there is nothing at the address', async () => {
  const other = await startHostedInMemory(['--inspect', 'off']);
  await assert.rejects(InspectClient.open(other.url), /404/);
  await other.stop();
});
