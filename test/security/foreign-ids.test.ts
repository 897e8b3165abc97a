/**
 * Ids of other people's things, on every route that takes one (read from the route table): a foreign id and one that
 * does not exist give the same bytes, and a thousand tries change nothing.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROUTES } from '../../src/api/http/routes.ts';
import type { Route } from '../../src/api/route.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { type Reply, SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { withIdentity } from './hostile/identities.ts';

const ID_FIELDS = [
  'orderId',
  'clientOid',
  'subUid',
  'apiKey',
  'apikey',
  'fromUserId',
  'toUserId',
  'fromUid',
  'toUid',
] as const;
type IdField = (typeof ID_FIELDS)[number];

/** Here `clientOid` names something new. */
const NAMES_SOMETHING_NEW =
  /\/(?:place-order|place-strategy-order|place-batch|transfer|sub-transfer|sub-master-transfer|withdrawal|sub-withdrawal|withdraw|move-positions)$/;

interface Attack {
  readonly route: Route;
  readonly field: IdField;
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

const data = temporaryDirectory();
let server: TestServer;
let alice: SignedClient;
let thief: SignedClient;
let filler: Record<string, unknown>;
let orderIds: Record<string, string>;
let withdrawalIds: Record<string, string>;
let loanIds: Record<string, string>;
let strategyIds: Record<string, string>;

const MISSING: Readonly<Record<IdField, string>> = {
  orderId: '1000000000000999999',
  clientOid: 'nobodys-oid',
  subUid: '1999999999',
  apiKey: 'bk_00000000000000000000000000000000',
  apikey: 'bk_00000000000000000000000000000000',
  fromUserId: '1999999999',
  toUserId: '1999999999',
  fromUid: '1999999999',
  toUid: '1999999999',
};

before(async () => {
  await withIdentity(data, async (identity) => {
    assert.ok(identity.createUser({ name: 'bob', broker: true, nowMs: Date.now() }).ok);
  });
  server = await startHosted({ data, args: ['--rate-limits', 'off'] });
  alice = new SignedClient(server.url, server.account('alice'));
  thief = new SignedClient(server.url, server.account('bob'));
  const own = await openSub(thief);
  const foreign = await openSub(alice);
  const uid = String(server.account('bob').uid);
  filler = {
    category: 'SPOT',
    symbol: 'BTCUSDT',
    qty: '0.02',
    operation: 'freeze',
    status: 'freeze',
    note: 'x',
    label: 'x',
    type: 'read_only',
    permType: 'read_only',
    passphrase: 'Passphrase1',
    permissions: ['uta_mgt'],
    permList: ['uta_mgt'],
    ips: [],
    fromType: 'uta',
    toType: 'uta',
    amount: '1',
    coin: 'USDT',
    clientOid: 'a-new-transfer',
    fromUserId: uid,
    toUserId: uid,
    fromUid: uid,
    toUid: uid,
    positionList: [{ symbol: 'BTCUSDT', side: 'sell', qty: '0.01' }],
    subUid: own.subUid,
    apiKey: own.apiKey,
    startTime: String(Date.now() - 3_600_000),
    endTime: String(Date.now() + 3_600_000),
    pledgeCoin: 'BTC',
    method: 'borrowed_coin',
    repayAll: 'yes',
    dest: 'internal_transfer',
    address: uid,
  };
  const order = { side: 'buy', orderType: 'limit', price: '58000', clientOid: 'alices-oid' };
  const placed = await must(
    alice.post('/api/v3/trade/place-order', {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      qty: '0.01',
      ...order,
    }),
  );
  const withdrawn = await must(
    alice.post('/api/v3/account/withdrawal', {
      coin: 'USDT',
      transferType: 'on_chain',
      chain: 'TRC20',
      address: 'TFcWfiw5p5DDZ6vi6Bktf7yK1asRYLpN33',
      size: '25',
      clientOid: 'alices-withdrawal',
    }),
  );
  const people = {
    subUid: foreign.subUid,
    apiKey: foreign.apiKey,
    apikey: foreign.apiKey,
    fromUserId: String(server.account('alice').uid),
    toUserId: foreign.subUid,
    fromUid: String(server.account('alice').uid),
    toUid: foreign.subUid,
  };
  orderIds = { ...people, orderId: placed.orderId, clientOid: 'alices-oid' };
  loanIds = { orderId: await borrow() };
  const waiting = await must(
    alice.post('/api/v3/trade/place-strategy-order', {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      type: 'trigger',
      side: 'sell',
      qty: '0.01',
      triggerPrice: '70000',
      clientOid: 'alices-strategy',
    }),
  );
  strategyIds = { orderId: waiting.orderId, clientOid: 'alices-strategy' };
  withdrawalIds = { orderId: withdrawn.orderId, clientOid: 'alices-withdrawal' };
});
after(async () => {
  alice.close();
  thief.close();
  await server.stop();
});

async function must(reply: Promise<Reply>) {
  const { code, text, data: answer } = await reply;
  assert.equal(code, '00000', text);
  return answer;
}

/** The desk lends once the first second has shown it a price that somebody told. */
async function borrow(): Promise<string> {
  await new Operator(server).setPrice('BTCUSDT', '60000');
  const wish = { loanCoin: 'USDT', pledgeCoin: 'BTC', daily: 'FLEXIBLE', pledgeAmount: '0.1' };
  for (let tries = 0; tries < 1_200; tries++) {
    const reply = await alice.post('/api/v3/loan/borrow', wish);
    if (reply.code !== '25108') return (await must(Promise.resolve(reply))).orderId;
    await sleep(100);
  }
  throw new Error('the loans know no prices');
}

async function openSub(client: SignedClient): Promise<{ subUid: string; apiKey: string }> {
  const { subUid } = await must(client.post('/api/v3/user/create-sub', { username: 'desk' }));
  const { apiKey } = await must(
    client.post('/api/v3/user/create-sub-api', {
      subUid,
      note: 'bot',
      type: 'read_write',
      passphrase: 'Passphrase1',
      permissions: ['uta_trade'],
      ips: [],
    }),
  );
  return { subUid, apiKey };
}

function schemaOf({ query, body }: Route): ObjectSchema | undefined {
  const schema = query ?? body;
  return (schema !== undefined && 'items' in schema ? schema.items : schema) as ObjectSchema | undefined;
}

const ATTACKS: readonly Attack[] = ROUTES.filter(({ access }) => access !== 'public').flatMap((route) =>
  ID_FIELDS.filter((field) => schemaOf(route)?.properties[field] !== undefined)
    .filter((field) => field !== 'clientOid' || !NAMES_SOMETHING_NEW.test(route.path))
    .map((field) => ({ route, field })),
);

function foreignId({ route, field }: Attack): string {
  const ids = /withdrawal/.test(route.path)
    ? withdrawalIds
    : /strategy/.test(route.path)
      ? strategyIds
      : /\/loan\//.test(route.path)
        ? loanIds
        : orderIds;
  return ids[field] ?? orderIds[field]!;
}

function strike({ route, field }: Attack, id: string): Promise<Reply> {
  const { properties, required = [] } = schemaOf(route)!;
  const input: Record<string, unknown> = {};
  for (const name of required) input[name] = filler[name];
  // A status of loans is a filter, one of sub-accounts is what they shall be.
  const wanted = /\/loan\//.test(route.path) ? [] : ['qty', 'status'];
  for (const name of wanted) if (properties[name] !== undefined) input[name] = filler[name];
  if (/\/move-positions$/.test(route.path)) input.category = 'USDT-FUTURES';
  input[field] = id;
  const { method, path } = route;
  if (method === 'GET') return thief.get(path, input as Record<string, string>);
  return thief.post(path, (route.body as { type?: string }).type === 'array' ? [input] : input);
}

/** Everything of the victim that a foreign hand could have changed. */
async function belongings(): Promise<unknown> {
  const { subUid } = orderIds as { subUid: string };
  const period = { startTime: String(filler.startTime), endTime: String(filler.endTime) };
  const replies = await Promise.all([
    alice.get('/api/v3/account/assets'),
    alice.get('/api/v3/account/funding-assets'),
    alice.get('/api/v3/trade/unfilled-orders'),
    alice.get('/api/v3/trade/unfilled-strategy-orders', { category: 'SPOT' }),
    alice.get('/api/v3/loan/borrow-ongoing'),
    alice.get('/api/v3/loan/debts'),
    alice.get('/api/v3/account/withdrawal-records', period),
    alice.get('/api/v3/user/sub-list'),
    alice.get('/api/v3/user/sub-api-list', { subUid }),
  ]);
  return replies.map(({ code, data: answer }) => [code, answer]);
}

/** The answer without the time and the id that was sent. */
function bare({ status, text }: Reply, id: string): string {
  return `${status} ${text.replace(/"requestTime":[0-9]+/, '').replaceAll(id, 'ID')}`;
}

test('a foreign id and a missing one give the same bytes, on every route that takes an id', async (context) => {
  const before = await belongings();
  for (const attack of ATTACKS) {
    const [foreign, missing] = [foreignId(attack), MISSING[attack.field]];
    const answers = [
      bare(await strike(attack, foreign), foreign),
      bare(await strike(attack, missing), missing),
    ];
    const what = `${attack.route.method} ${attack.route.path} ${attack.field}`;
    assert.equal(answers[0], answers[1], what);
    assert.ok(!/40017|40019|40020/.test(answers[0]!), `${what} was refused for its form: ${answers[0]}`);
  }
  assert.ok(ATTACKS.length >= 30, 'the routes were found');
  context.diagnostic(`${ATTACKS.length} ids on ${new Set(ATTACKS.map(({ route }) => route)).size} routes`);
  assert.deepEqual(await belongings(), before);
});

test('a thousand tries with ids near to the real ones change nothing', async () => {
  const before = await belongings();
  for (let n = 0; n < 1000; n += 1) {
    const attack = ATTACKS[n % ATTACKS.length]!;
    const real = foreignId(attack);
    const near = /^[0-9]+$/.test(real) && n % 2 === 1 ? String(BigInt(real) + BigInt((n % 7) - 3)) : real;
    if (near === filler.subUid || near === filler.fromUserId) continue;
    const { status, text } = await strike(attack, near);
    assert.ok(status < 500, text);
    assert.ok(!text.includes('alices-') || near.startsWith('alices-'), `${attack.route.path} shows ${text}`);
  }
  assert.deepEqual(await belongings(), before);
});
