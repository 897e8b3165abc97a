/** Strategy orders over the socket are those of HTTP: each change once, in order, and the end is what history keeps. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPerpetuals, PERPETUALS } from '../harness/contracts.ts';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { type Frame, StreamClient } from '../harness/stream-client.ts';

const CONTRACT = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' };
const SPOT = { category: 'SPOT', symbol: 'BTCUSDT' };
const ARG = { instType: 'UTA', topic: 'strategy-order' };

let server: TestServer;
let alice: StreamClient;
let stranger: StreamClient;
const people = new Map<string, SignedClient>();

before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
  await openPerpetuals(server, '60000', PERPETUALS.slice(0, 1));
  for (const name of ['alice', 'bob', 'maker']) {
    people.set(name, new SignedClient(server.url, server.account(name)));
  }
  alice = await StreamClient.login(server.url, server.account('alice'));
  stranger = await StreamClient.login(server.url, server.account('bob'));
  for (const client of [alice, stranger]) await client.subscribe(ARG);
  await print(CONTRACT, '60000');
  await print(SPOT, '60000');
});

after(async () => {
  for (const client of [alice, stranger]) client.close();
  for (const person of people.values()) person.close();
  await server.stop();
});

async function post(name: string, path: string, body: object): Promise<Frame> {
  const answer: Frame = await people.get(name)!.post(`/api/v3/trade/${path}`, body);
  assert.equal(answer.code, '00000', `${path} ${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
  return answer.data;
}

const placed = async (body: object): Promise<string> =>
  (await post('alice', 'place-strategy-order', body)).orderId;

const limit = (market: object, side: string, qty: string, price: string) => ({
  ...market,
  side,
  orderType: 'limit',
  qty,
  price,
});

/** Two strangers trade at a price, so that it is the last one. */
async function print(market: object, price: string): Promise<void> {
  await post('maker', 'place-order', limit(market, 'sell', '0.001', price));
  await post('bob', 'place-order', limit(market, 'buy', '0.001', price));
}

/** What was pushed of one strategy order, when its last push has come. */
async function lifeOf(orderId: string, end: string): Promise<Frame[]> {
  const mine = (item: Frame) => item.orderId === orderId;
  await alice.next(
    (frame) =>
      frame.arg?.topic === ARG.topic &&
      frame.data?.some((item: Frame) => mine(item) && item.status === end) === true,
  );
  return alice
    .pushes(ARG.topic)
    .flatMap((push) => push.data)
    .filter(mine);
}

/** A record of HTTP as the socket words it, and nothing that the socket does not tell. */
function asPushed(view: Frame, push: Frame): Frame {
  const worded = {
    ...view,
    category: view.category.toLowerCase(),
    reduceOnly: view.reduceOnly.toLowerCase(),
  };
  return Object.fromEntries(Object.keys(push).map((name) => [name, worded[name]]));
}

async function waiting(category: string, orderId: string): Promise<Frame> {
  const { data }: Frame = await people
    .get('alice')!
    .get('/api/v3/trade/unfilled-strategy-orders', { category });
  return data.find((order: Frame) => order.orderId === orderId);
}

async function ended(category: string, orderId: string): Promise<Frame> {
  const { data }: Frame = await people
    .get('alice')!
    .get('/api/v3/trade/history-strategy-orders', { category });
  return data.list.find((order: Frame) => order.orderId === orderId);
}

for (const market of [CONTRACT, SPOT, { ...SPOT, category: 'MARGIN' }]) {
  const plan = {
    ...market,
    qty: '0.01',
    type: 'trigger',
    side: 'sell',
    triggerOrderType: 'limit',
    triggerOrderPrice: '62000',
  };

  test(`${market.category}: placed, changed and fired are pushed once each, as HTTP shows them`, async () => {
    const orderId = await placed({ ...plan, triggerPrice: '61000' });
    const first = await waiting(market.category, orderId);
    await post('alice', 'modify-strategy-order', { orderId, qty: '0.02', triggerPrice: '60500' });
    const second = await waiting(market.category, orderId);
    await print(market, '60500');
    const life = await lifeOf(orderId, 'success');
    assert.deepEqual(
      life.map(({ status, qty, triggerPrice }) => [status, qty, triggerPrice]),
      [
        ['pending', '0.01', '61000'],
        ['pending', '0.02', '60500'],
        ['submitting', '0.02', '60500'],
        ['success', '0.02', '60500'],
      ],
    );
    const shown = [first, second, undefined, await ended(market.category, orderId)];
    for (const [n, view] of shown.entries()) {
      if (view !== undefined) assert.deepEqual(life[n], asPushed(view, life[n]), `push ${n}`);
    }
    await print(market, '60000');
  });

  test(`${market.category}: a cancelled one and one whose order is refused end once`, async () => {
    const cancelledId = await placed({ ...plan, triggerPrice: '61000', clientOid: `c-${market.category}` });
    await post('alice', 'cancel-strategy-order', { clientOid: `c-${market.category}` });
    const cancelled = await lifeOf(cancelledId, 'cancelled');
    assert.deepEqual(
      cancelled.map(({ status }) => status),
      ['pending', 'cancelled'],
    );
    assert.deepEqual(cancelled[1], asPushed(await ended(market.category, cancelledId), cancelled[1]));

    const failedId = await placed({
      ...plan,
      side: 'buy',
      triggerOrderPrice: '90000',
      triggerPrice: '60500',
    });
    await print(market, '60500');
    const failed = await lifeOf(failedId, 'failed');
    assert.deepEqual(
      failed.map(({ status }) => status),
      ['pending', 'submitting', 'failed'],
    );
    assert.deepEqual(failed[2], asPushed(await ended(market.category, failedId), failed[2]));
    await print(market, '60000');
  });
}

test('a stop that came with an order is pushed as it grows with fills and as it closes the position', async () => {
  const opening = { ...limit(CONTRACT, 'buy', '0.03', '59900'), takeProfit: '66000', stopLoss: '58000' };
  await post('alice', 'place-order', opening);
  await post('maker', 'place-order', limit(CONTRACT, 'sell', '0.01', '59900'));
  await post('maker', 'place-order', limit(CONTRACT, 'sell', '0.02', '59900'));
  const [record] = (
    (await people.get('alice')!.get('/api/v3/trade/unfilled-strategy-orders', CONTRACT)) as Frame
  ).data;
  await post('maker', 'place-order', limit(CONTRACT, 'buy', '0.03', '57990'));
  await print(CONTRACT, '58000');
  const life = await lifeOf(record.orderId, 'success');
  assert.deepEqual(
    life.map(({ status, qty, triggerType, reduceOnly }) => [status, qty, triggerType, reduceOnly]),
    [
      ['pending', '0.01', '', 'yes'],
      ['pending', '0.03', '', 'yes'],
      ['submitting', '0.03', 'stopLoss', 'yes'],
      ['success', '0.03', 'stopLoss', 'yes'],
    ],
  );
});

test('all of it reached its owner only, once, in the order of time, and the arg may name a symbol', async () => {
  const other = await StreamClient.login(server.url, server.account('alice'));
  await other.subscribe({ ...ARG, symbol: 'default' });
  const orderId = await placed({
    ...SPOT,
    type: 'trigger',
    side: 'sell',
    qty: '0.01',
    triggerPrice: '59000',
    triggerOrderType: 'market',
  });
  await post('alice', 'cancel-strategy-order', { orderId });
  await other.next((frame) => frame.data?.[0].status === 'cancelled');
  await lifeOf(orderId, 'cancelled');
  const all: Frame[] = alice.pushes(ARG.topic).flatMap((push) => push.data);
  assert.equal(new Set(all.map((item) => JSON.stringify(item))).size, all.length, 'none twice');
  const times = all.map((item) => Number(item.updatedTime));
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  assert.deepEqual(stranger.pushes(ARG.topic), []);
  const [push] = other.pushes(ARG.topic);
  assert.deepEqual([push.action, push.arg.symbol, push.data[0].status], ['snapshot', 'default', 'pending']);
  other.close();
});
