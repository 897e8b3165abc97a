/** The venue is stopped, started, killed and started again under the same client objects: nothing is lost. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { type CcxtClient, ccxtClients, refusalOf, type SdkClient, sdkClient } from './clients.ts';

const data = temporaryDirectory();
let server: TestServer;
let port: string;
let alice: CcxtClient;
let bob: CcxtClient;
let sdk: SdkClient;
let bot: SdkClient;
let tradedUntil: number;
let countdownArmed: number;

// The same port, because the clients keep the address they were made with.
const startAgain = () => startHosted({ data, args: ['--port', port] });

before(async () => {
  server = await startHosted({ data });
  port = new URL(server.url).port;
  const keys = [server.account('alice'), server.account('bob')];
  [alice, bob] = (await ccxtClients(server.url, keys)) as [CcxtClient, CcxtClient];
  sdk = sdkClient(server.url, server.account('alice'));

  await bob.createOrder('BTC/USDT', 'limit', 'sell', 0.5, 60000, { clientOrderId: 'ask' });
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.2, 60100);
  await alice.createMarketBuyOrderWithCost('BTC/USDT', 500);
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.1, 59000.5, { clientOrderId: 'bid' });
  const gone = await alice.createOrder('ETH/USDT', 'limit', 'buy', 1, 2400, { postOnly: true });
  await alice.cancelOrder(gone.id!, 'ETH/USDT');
  tradedUntil = Date.now();

  bot = sdkClient(server.url, server.account('bot'));
  const quote = { category: 'SPOT', symbol: 'LTCUSDT', orderType: 'limit', qty: '1' } as const;
  await bot.submitNewOrder({ ...quote, side: 'buy', price: '84' });
  await bot.submitNewOrder({ ...quote, side: 'sell', price: '86' });
  countdownArmed = Date.now();
  await bot.countdownCancelAll({ countdown: '5' });
});

after(async () => {
  await server.stop();
});

/** All that the two accounts and the public can see, without the time of asking. */
async function picture() {
  const { assets } = (await sdk.getBalances()).data;
  const tickers = (await sdk.getTickers({ category: 'SPOT', symbol: 'BTCUSDT' })).data;
  const { bids, asks } = await alice.fetchOrderBook('BTC/USDT');
  const candles = [];
  for (const interval of ['1m', '1H', '1D'] as const) {
    const query = { category: 'SPOT', symbol: 'BTCUSDT', interval, endTime: String(tradedUntil) } as const;
    candles.push((await sdk.getCandles(query)).data);
  }
  return {
    assets,
    ticker: { ...tickers[0]!, ts: '' },
    book: { bids, asks },
    candles,
    open: [await alice.fetchOpenOrders(), await bob.fetchOpenOrders()],
    history: (await sdk.getHistoryOrders({ category: 'SPOT' })).data,
    fills: [await alice.fetchMyTrades('BTC/USDT'), await bob.fetchMyTrades('BTC/USDT')],
    trades: await alice.fetchTrades('BTC/USDT'),
    bobsBalance: await bob.fetchBalance(),
  };
}

test('after Ctrl-C and a new start the accounts, orders, fills, balances and candles are the same', async () => {
  const seen = await picture();
  assert.equal(seen.history.list.length, 3);
  assert.equal(seen.fills[0]!.length, 2);
  assert.deepEqual(
    seen.open.flat().map(({ clientOrderId, filled, remaining }) => [clientOrderId, filled, remaining]),
    [
      ['bid', 0, 0.1],
      ['ask', 0.208333, 0.291667],
    ],
  );
  assert.ok(seen.candles.every((width) => width.length > 0));

  assert.equal(await server.stop(), 0);
  server = await startAgain();
  assert.deepEqual(await picture(), seen);
});

test('after kill -9 everything that was acknowledged is there, even an order of a moment ago', async () => {
  const { history, ...seen } = await picture();
  const order = { category: 'SPOT', symbol: 'SOLUSDT', side: 'sell', orderType: 'limit' } as const;
  const { orderId } = (await sdk.submitNewOrder({ ...order, qty: '7', price: '155' })).data;
  await server.kill();
  server = await startAgain();

  const last = (await sdk.getOrderInfo({ orderId })).data;
  assert.deepEqual([last.orderStatus, last.qty, last.price], ['new', '7', '155']);
  await sdk.cancelOrder({ orderId });
  const { history: later, ...now } = await picture();
  assert.deepEqual(now, seen);
  assert.deepEqual(later.list.slice(1), history.list);
});

test('trading goes on where it stopped: old orders fill, change and cancel, new ids are larger', async () => {
  const [ask] = await bob.fetchOpenOrders('BTC/USDT');
  const fill = await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.1, 60000);
  assert.ok(BigInt(fill.id!) > BigInt(ask!.id!));
  const filled = await bob.fetchOrder(ask!.id!, 'BTC/USDT');
  assert.deepEqual([filled.filled, filled.remaining], [0.308333, 0.191667]);

  const taken = await refusalOf(
    sdk.submitNewOrder({
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      qty: '0.1',
      price: '59000',
      clientOid: 'bid',
    }),
  );
  assert.equal(taken.body.code, '25212', 'client ids are remembered');
  await sdk.modifyOrder({ clientOid: 'bid', price: '59100' });
  assert.equal((await sdk.getOrderInfo({ clientOid: 'bid' })).data.price, '59100');

  await sdk.cancelAllOrders({ category: 'SPOT' });
  await bob.cancelAllOrders('BTC/USDT');
  const { used } = await alice.fetchBalance();
  assert.ok(
    Object.values(used as object).every((amount) => amount === 0),
    'every lock is returned',
  );
});

test('a countdown that was armed before the restarts has cancelled every order of its account, not before its time', async () => {
  const open = async () => (await bot.getUnfilledOrders()).data.list;
  while ((await open()).length > 0) await sleep(200);
  const { list } = (await bot.getHistoryOrders({ category: 'SPOT' })).data;
  assert.equal(list.length, 2);
  for (const { orderStatus, updatedTime } of list) {
    assert.equal(orderStatus, 'cancelled');
    assert.ok(Number(updatedTime) >= countdownArmed + 5_000);
  }
});
