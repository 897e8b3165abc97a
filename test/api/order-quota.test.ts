/** Quotas of order requests (wire 4.4): the main account shares them out, HTTP and sockets obey, a crash keeps them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HeldWall } from '../harness/held-wall.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { StreamClient } from '../harness/stream-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { refusalOf, type SdkClient, sdkClient } from './clients.ts';

const data = temporaryDirectory();
const wall = new HeldWall();
let server: TestServer;
let operator: Operator;
let alice: SdkClient;
let kidKeys: DemoKeys;
let kid: SignedClient;

async function open(): Promise<void> {
  server = await startHosted({ data, wall });
  operator = new Operator(server);
  alice = sdkClient(server.url, server.account('alice'));
}

before(async () => {
  await open();
  kidKeys = await operator.openSub('kid', 'alice', ['uta_trade', 'uta_mgt']);
  await operator.deposit({ account: uidOf('kid'), coin: 'USDT', amount: '5000', reference: 'kid' });
  kid = new SignedClient(server.url, kidKeys);
});

after(async () => {
  kid.close();
  await server.stop();
});

const uidOf = (name: string) => String(name === 'kid' ? kidKeys.uid : server.account(name).uid);

async function quotas(category: 'spot' | 'futures'): Promise<string> {
  const { quotaList, masterSubQuota, masterSubCap } = (await alice.getRateLimitQuota({ category })).data;
  return `${quotaList.map(({ quota }) => quota).join(' + ')} = ${masterSubQuota} of ${masterSubCap}`;
}

const give = (category: 'spot' | 'futures', quota: string, ...names: string[]) =>
  alice.setRateLimitQuota({ category, uids: names.map(uidOf), quota });

/** A second's worth of calls has begun anew: what is left of it after this one call. */
async function remaining(path: string, body: object): Promise<string> {
  wall.advance(1100);
  return String((await kid.post(path, body)).headers['x-mbx-used-remain-limit']);
}

const order = (category: string) => ({
  category,
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  qty: '0.1',
  price: '100',
});
const { category: _, ...OVER_SOCKET } = order('SPOT');
const PLACE = '/api/v3/trade/place-order';

test('the main account shares out what its family has, and no more', async () => {
  assert.equal(await quotas('spot'), '10 + 10 = 20 of 20');
  const above = (await refusalOf(give('spot', '11', 'kid'))).body;
  assert.equal(above.code, '40017');
  assert.match(above.msg, /would have 21 spot orders a second together and may have 20/);
  // Numbers are taken in lists too (wire rule 19).
  await alice.setRateLimitQuota({
    category: 'spot',
    uids: [server.account('alice').uid] as never,
    quota: '3',
  });
  await give('spot', '17', 'kid');
  assert.equal(await quotas('spot'), '3 + 17 = 20 of 20');
  assert.equal(await quotas('futures'), '10 + 10 = 20 of 20');
  await operator.addQuota('alice', 'futures', 30);
  await give('futures', '25', 'alice', 'kid');
  assert.equal(await quotas('futures'), '25 + 25 = 50 of 50');
  const [row] = (await alice.getRateLimitQuota({ category: 'spot', uid: uidOf('kid') })).data.quotaList;
  assert.deepEqual(row, { uid: uidOf('kid'), quota: '17' });
});

test('each call about orders has its share of the quota of its category', async () => {
  assert.equal(await remaining(PLACE, order('SPOT')), '16');
  assert.equal(await remaining(PLACE, order('USDT-FUTURES')), '24');
  assert.equal(await remaining('/api/v3/trade/cancel-batch', [{ ...order('SPOT'), orderId: '1' }]), '7');
  const ofFutures = [{ orderId: '1' }, { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderId: '1' }];
  assert.equal(await remaining('/api/v3/trade/cancel-batch', ofFutures), '11', 'one item tells it for all');
  assert.equal(await remaining('/api/v3/trade/cancel-order', { orderId: '1' }), '16');
  assert.equal(await remaining(PLACE, 'no order at all' as never), '16', 'nonsense counts as spot');
  const looking = await kid.get('/api/v3/trade/unfilled-orders');
  assert.equal(looking.headers['x-mbx-used-remain-limit'], '19', 'reading has the limit of everybody');
});

test('a request over the quota does nothing, and the socket counts with HTTP', async () => {
  const socket = await StreamClient.login(server.url, kidKeys);
  await give('spot', '1', 'kid');
  wall.advance(1100);
  wall.hold();
  const [first, second] = await Promise.all([
    kid.post(PLACE, order('SPOT')),
    socket.trade('first', 'place-order', 'spot', OVER_SOCKET),
  ]);
  const refused = [first.code, second.code].filter((code) => code === '429');
  assert.equal(refused.length, 1, 'one of them is within the quota');
  wall.advance(1100);
  assert.deepEqual((await socket.trade('later', 'place-order', 'spot', OVER_SOCKET)).rateLimit, [
    { limit: '1', remaining: '0' },
  ]);
  wall.release();
  socket.close();
});

test('quotas outlive a crash', async () => {
  await server.kill();
  await open();
  kid = new SignedClient(server.url, kidKeys);
  assert.equal(await quotas('spot'), '3 + 1 = 4 of 20');
  assert.equal(await quotas('futures'), '25 + 25 = 50 of 50');
  assert.equal(await remaining(PLACE, order('USDT-FUTURES')), '24');
});

test('strangers, sub-accounts and numbers that are none are refused', async () => {
  const code = async (call: Promise<unknown>) => (await refusalOf(call)).body.code;
  const bob = sdkClient(server.url, server.account('bob'));
  assert.equal(await code(bob.getRateLimitQuota({ category: 'spot', uid: uidOf('kid') })), '25005');
  assert.equal(await code(give('spot', '1', 'bob')), '25005');
  assert.equal(await code(give('spot', '0', 'kid')), '40017');
  assert.equal(await code(give('spot', '1')), '40017');
  assert.equal(await code(give('margin' as never, '1', 'kid')), '40020');
  const ofKid = sdkClient(server.url, kidKeys);
  assert.equal(await code(ofKid.getRateLimitQuota({ category: 'spot' })), '40014');
});
