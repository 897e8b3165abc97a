/** The SDK's socket clients, unmodified: both roles on their own paths and on the shared one, and orders (wire 5, 7). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type WebsocketAPIClient, WebsocketClientV3, WS_KEY_MAP } from 'bitget-api';
import { startHosted, startHostedInMemory } from '../harness/hosted-server.ts';
import { startServer, type TestServer } from '../harness/server.ts';
import type { Frame } from '../harness/stream-client.ts';
import { type SdkClient, sdkClient } from './clients.ts';
import { isPush, Listener, ordersOverSocket, SILENT, socketSettings } from './sdk-listener.ts';

const { v3Public, v3Private } = WS_KEY_MAP;

let server: TestServer;
let rest: SdkClient;
let orders: WebsocketAPIClient;

before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
  rest = sdkClient(server.url, server.account('alice'));
  orders = ordersOverSocket(server.url, server.account('alice'));
});

after(async () => {
  Listener.closeAll();
  await server.stop();
});

const buy = (price: string, qty = '0.01', clientOid?: string) => ({
  symbol: 'BTCUSDT',
  side: 'buy' as const,
  orderType: 'limit' as const,
  timeInForce: 'gtc' as const,
  price,
  qty,
  ...(clientOid !== undefined && { clientOid }),
});

test('public topics: ticker, book, trades and candles arrive after subscribe, none after unsubscribe', async () => {
  const listener = new Listener(new WebsocketClientV3(socketSettings(server.url, '/v3/ws/public'), SILENT));
  const topics = ['ticker', 'books', 'books5', 'publicTrade'].map((topic) => ({
    topic: topic as 'ticker',
    payload: { instType: 'spot' as const, symbol: 'BTCUSDT' },
  }));
  void listener.client.subscribe(topics, v3Public);
  const [book] = (await listener.until(isPush('books'))).data;
  assert.deepEqual([book.pseq, 'checksum' in book], [0, false]);
  await listener.until(isPush('ticker'));
  await listener.until(isPush('books5'));
  void listener.client.subscribe(
    { topic: 'kline', payload: { instType: 'spot', symbol: 'BTCUSDT', interval: '1m' } },
    v3Public,
  );
  await listener.until((frame) => frame.event === 'subscribe' && frame.arg.topic === 'kline');
  void listener.client.unsubscribe(topics.slice(0, 1), v3Public);
  await listener.until((frame) => frame.event === 'unsubscribe' && frame.arg.topic === 'ticker');
});

for (const path of ['/v3/ws/private', '/v3/ws']) {
  test(`private topics on ${path}: login, then the account at once and orders as they change`, async () => {
    const listener = new Listener(
      new WebsocketClientV3(socketSettings(server.url, path, server.account('alice')), SILENT),
    );
    const topics = ['account', 'position', 'order', 'fill'] as const;
    for (const topic of topics) {
      void listener.client.subscribe({ topic, payload: { instType: 'UTA' } }, v3Private);
    }
    await listener.until((frame) => frame.heardAs === 'authenticated' && frame.code === 0);
    const [account] = (await listener.until(isPush('account'))).data;
    assert.equal(account.coin.find((coin: Frame) => coin.coin === 'USDT').coin, 'USDT');
    assert.deepEqual((await listener.until(isPush('position'))).data, []);
    await listener.until((frame) => frame.event === 'subscribe' && frame.arg.topic === 'order');
    const placed = await rest.submitNewOrder({ category: 'SPOT', ...buy('50000') });
    const { orderId } = placed.data;
    const [order] = (await listener.until(isPush('order'))).data;
    assert.deepEqual(
      [order.orderId, order.orderStatus, order.category, order.reduceOnly],
      [orderId, 'new', 'spot', 'no'],
    );
    await rest.cancelOrder({ orderId });
    const cancelled = await listener.until(
      (frame) => isPush('order')(frame) && frame.data[0].orderStatus === 'cancelled',
    );
    assert.equal(cancelled.data[0].cancelReason, 'normal_cancel');
  });
}

test('strategy orders as they are placed, changed, fired, refused and cancelled, each once and as HTTP has them', async () => {
  const listener = new Listener(
    new WebsocketClientV3(socketSettings(server.url, '/v3/ws/private', server.account('alice')), SILENT),
  );
  const topic = 'strategy-order' as const;
  void listener.client.subscribe({ topic, payload: { instType: 'UTA' } }, v3Private);
  await listener.until((frame) => frame.event === 'subscribe' && frame.arg.topic === topic);
  const maker = sdkClient(server.url, server.account('maker'));
  const bob = sdkClient(server.url, server.account('bob'));
  const trades = async (price: string) => {
    await maker.submitNewOrder({ category: 'SPOT', ...buy(price, '0.001'), side: 'sell' });
    await bob.submitNewOrder({ category: 'SPOT', ...buy(price, '0.001') });
  };
  await trades('60000');
  const plan = {
    category: 'SPOT',
    symbol: 'BTCUSDT',
    type: 'trigger',
    side: 'sell',
    qty: '0.01',
    triggerPrice: '61000',
    triggerOrderType: 'limit',
    triggerOrderPrice: '62000',
  } as const;
  await rest.submitStrategyOrder({ ...plan, clientOid: 'fires' });
  await rest.modifyStrategyOrder({ clientOid: 'fires', qty: '0.01', triggerPrice: '60500' });
  await rest.submitStrategyOrder({ ...plan, clientOid: 'fails', side: 'buy', triggerOrderPrice: '99000' });
  await rest.submitStrategyOrder({ ...plan, clientOid: 'goes' });
  await trades('60500');
  await trades('61000');
  const goes = await rest.getHistoryStrategyOrders({ category: 'SPOT' });
  assert.equal(goes.data.list.length, 3);
  await rest.submitStrategyOrder({ ...plan, clientOid: 'last', triggerPrice: '61500' });
  await rest.cancelStrategyOrder({ clientOid: 'last' });
  await listener.until((frame) => isPush(topic)(frame) && frame.data.at(-1).status === 'cancelled');
  const told: Frame[] = listener.heard.filter(isPush(topic)).flatMap(({ data }) => data);
  const { list } = (await rest.getHistoryStrategyOrders({ category: 'SPOT' })).data;
  for (const [clientOid, life] of Object.entries({
    fires: ['pending 61000', 'pending 60500', 'submitting 60500', 'success 60500'],
    fails: ['pending 61000', 'submitting 61000', 'failed 61000'],
    goes: ['pending 61000', 'submitting 61000', 'success 61000'],
    last: ['pending 61500', 'cancelled 61500'],
  })) {
    const own = told.filter((each) => each.clientOid === clientOid);
    assert.deepEqual(
      own.map(({ status, triggerPrice }) => `${status} ${triggerPrice}`),
      life,
      clientOid,
    );
    const kept: Frame = list.find((each) => each.clientOid === clientOid);
    for (const name of ['orderId', 'symbol', 'qty', 'status', 'triggerOrderPrice', 'updatedTime'])
      assert.equal(own.at(-1)[name], kept[name], `${clientOid} ${name}`);
  }
  assert.equal(told.length, 12);
});

test('one address serves public topics too', async () => {
  const listener = new Listener(new WebsocketClientV3(socketSettings(server.url, '/v3/ws'), SILENT));
  void listener.client.subscribe(
    { topic: 'ticker', payload: { instType: 'spot', symbol: 'BTCUSDT' } },
    v3Public,
  );
  await listener.until(isPush('ticker'));
});

test('an order over the socket is the order that HTTP shows', async () => {
  const reply: Frame = await orders.submitNewOrder('spot', buy('50000', '0.02', 'over-the-socket'));
  assert.deepEqual(
    [reply.code, reply.msg, reply.event, reply.topic],
    ['0', 'success', 'trade', 'place-order'],
  );
  const [{ orderId, clientOid, symbol }] = reply.args;
  assert.deepEqual([clientOid, symbol], ['over-the-socket', 'BTCUSDT']);
  const shown = await rest.getOrderInfo({ orderId });
  assert.deepEqual([shown.data.qty, shown.data.price, shown.data.orderStatus], ['0.02', '50000', 'new']);
  const cancelled: Frame = await orders.cancelOrder('spot', { clientOid: 'over-the-socket' });
  assert.deepEqual(
    [cancelled.code, cancelled.args[0].orderId, cancelled.args[0].symbol],
    ['0', orderId, 'BTCUSDT'],
  );
});

test('a refusal over the socket has the code of HTTP as text, and the request still names itself', async () => {
  const refused = await orders.submitNewOrder('spot', buy('50000', '9999')).then(
    () => assert.fail('the venue accepted what it should refuse'),
    (error: Frame) => error,
  );
  assert.deepEqual([refused.event, refused.code, typeof refused.id], ['error', '25202', 'string']);
  const http = await rest
    .submitNewOrder({ category: 'SPOT', ...buy('50000', '9999') })
    .catch((error) => error);
  assert.equal(refused.msg, http.body.msg);
});

test('batches over the socket: each order succeeds or fails on its own', async () => {
  const placed: Frame = await orders.placeBatchOrders('spot', [
    buy('50000', '0.01', 'b1'),
    buy('50000', '9999', 'b2'),
    buy('49000', '0.01', 'b3'),
  ]);
  assert.equal(placed.code, '0');
  assert.deepEqual(
    placed.args.map((item: Frame) => [item.clientOid, item.code]),
    [
      ['b1', '0'],
      ['b2', '25202'],
      ['b3', '0'],
    ],
  );
  const cancelled: Frame = await orders.cancelBatchOrders('spot', [
    { orderId: placed.args[0].orderId },
    { clientOid: 'b2' },
    { clientOid: 'b3' },
  ]);
  assert.deepEqual(
    cancelled.args.map((item: Frame) => item.code),
    ['0', '25204', '0'],
  );
});

test('the client that lost its server reconnects, logs in and is subscribed again', async () => {
  const mine = await startServer({ args: ['--rate-limits', 'off'] });
  const keys = mine.account('alice');
  const wsUrl = `${mine.url.replace('http', 'ws')}/v3/ws/private`;
  const listener = new Listener(
    new WebsocketClientV3(
      {
        wsUrl,
        apiKey: keys.apiKey,
        apiSecret: keys.secretKey,
        apiPass: keys.passphrase,
        reconnectTimeout: 50,
      },
      SILENT,
    ),
  );
  void listener.client.subscribe({ topic: 'account', payload: { instType: 'UTA' } }, v3Private);
  await listener.until(isPush('account'));
  const port = new URL(mine.url).port;
  await mine.kill();
  const from = listener.heard.length;
  const again = await startHosted({ data: mine.data, args: ['--rate-limits', 'off', '--port', port] });
  try {
    await listener.until(isPush('account'), from);
  } finally {
    listener.client.closeAll(true);
    await again.stop();
  }
});
