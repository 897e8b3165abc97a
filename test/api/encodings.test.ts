/** The same request in the different shapes that clients give it (wire rules 1, 10-12, 16-21). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { type CcxtClient, ccxtClient, type SdkClient, sdkClient } from './clients.ts';

let server: TestServer;
let alice: CcxtClient;
let sdk: SdkClient;

before(async () => {
  server = await startHostedInMemory();
  alice = ccxtClient(server.url, server.account('alice'));
  sdk = sdkClient(server.url, server.account('alice'));
  await alice.loadMarkets();
});

after(() => server.stop());

test('a client id with : and / is signed encoded by one client and decoded by the other, and found by both', async () => {
  const odd = 'desk:7/eth.a_b-C';
  const placed = await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 58000, { clientOrderId: odd });
  const unencoded = sdkClient(server.url, server.account('alice'), { encodeQueryStringValues: false });
  for (const client of [sdk, unencoded]) {
    const { data } = await client.getOrderInfo({ clientOid: odd });
    assert.deepEqual([data.orderId, data.clientOid], [placed.id, odd]);
  }
  const found = await alice.fetchOrder('', 'BTC/USDT', { clientOrderId: odd });
  assert.deepEqual([found.id, found.clientOrderId], [placed.id, odd]);
  assert.equal((await sdk.cancelOrder({ clientOid: odd })).data.orderId, placed.id);
});

test('JSON numbers stand for the same decimals as text', async () => {
  const { data } = await alice.privateUtaPostV3TradePlaceOrder({
    category: 'SPOT',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    qty: 0.012345,
    price: 58000.25,
  });
  const order = (await sdk.getOrderInfo({ orderId: data.orderId })).data;
  assert.deepEqual([order.qty, order.price], ['0.012345', '58000.25']);
  await alice.privateUtaPostV3TradeModifyOrder({ orderId: data.orderId, price: 58001, qty: 0.02 });
  const changed = (await sdk.getOrderInfo({ orderId: data.orderId })).data;
  assert.deepEqual([changed.qty, changed.price], ['0.02', '58001']);
  await sdk.cancelOrder({ orderId: data.orderId });
});

test('words are understood in any letter case and answered in the documented one', async () => {
  const { data } = await alice.privateUtaPostV3TradePlaceOrder({
    category: 'spot',
    symbol: 'btcusdt',
    side: 'BUY',
    orderType: 'Limit',
    timeInForce: 'POST_ONLY',
    reduceOnly: 'NO',
    qty: '0.01',
    price: '58000',
  });
  const [order] = (await sdk.getUnfilledOrders({ category: 'spot' as 'SPOT', symbol: 'btcusdt' })).data.list;
  assert.deepEqual(
    [order!.orderId, order!.category, order!.symbol, order!.side, order!.orderType, order!.timeInForce],
    [data.orderId, 'SPOT', 'BTCUSDT', 'buy', 'limit', 'post_only'],
  );
  const [ticker] = (await sdk.getTickers({ category: 'usdt-futures' as 'SPOT', symbol: 'BTCUSDT' })).data;
  assert.equal(ticker!.category, 'USDT-FUTURES');
  await sdk.cancelAllOrders({ category: 'Spot' as 'SPOT' });
});

test('keys that the venue does not know are ignored', async () => {
  const { data } = await alice.privateUtaPostV3TradePlaceOrder({
    category: 'SPOT',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    qty: '0.01',
    price: '58000',
    createMarketBuyOrderRequiresPrice: false,
    posSide: 'long',
    somethingElse: { deep: [1, 2, 3] },
    coin: '',
    tag: null,
  });
  const { data: page } = await sdk.getUnfilledOrders({ unheardOf: 'yes' } as object);
  assert.deepEqual(
    page.list.map(({ orderId, posSide }) => [orderId, posSide]),
    [[data.orderId, '']],
  );
  await sdk.cancelOrder({ orderId: data.orderId });
});

test('an order with a trigger price waits instead of trading at once', async () => {
  const order = await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 58000, { triggerPrice: 57000 });
  assert.deepEqual((await sdk.getUnfilledOrders()).data.list, []);
  const { data: waiting } = await sdk.getUnfilledStrategyOrders({ category: 'SPOT' });
  assert.deepEqual(
    waiting.map(({ orderId, triggerPrice, triggerOrderPrice }) => [orderId, triggerPrice, triggerOrderPrice]),
    [[order.id, '57000', '58000']],
  );
  await alice.cancelOrder(order.id!, 'BTC/USDT', { trigger: true });
});

test('both clients trade with the header of demo trading', async () => {
  const keys = server.account('bot');
  const demoSdk = sdkClient(server.url, keys, { demoTrading: true });
  const demoCcxt = ccxtClient(server.url, keys, { options: { uta: true, sandboxMode: true } });
  demoCcxt.setMarketsFromExchange(alice);
  const placed = await demoCcxt.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 58000);
  const { list } = (await demoSdk.getUnfilledOrders()).data;
  assert.deepEqual(
    list.map(({ orderId }) => orderId),
    [placed.id],
  );
  assert.equal((await demoSdk.cancelOrder({ orderId: placed.id! })).data.orderId, placed.id);
});

test('orders and fills without a single parameter are those of all categories', async () => {
  const bot = sdkClient(server.url, server.account('bot'));
  await alice.createOrder('BTC/USDT', 'limit', 'sell', 0.02, 60000);
  await bot.submitNewOrder({
    category: 'SPOT',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    qty: '0.01',
    price: '60000',
  });
  assert.equal((await sdk.getUnfilledOrders()).data.list.length, 1);
  assert.equal((await sdk.getTradeFills()).data.list.length, 1);
  const fills = await alice.fetchMyTrades('BTC/USDT');
  assert.deepEqual(
    fills.map(({ amount, takerOrMaker, fee }) => [amount, takerOrMaker, fee!.currency, fee!.cost]),
    [[0.01, 'maker', 'USDT', -0.6]],
  );
});
