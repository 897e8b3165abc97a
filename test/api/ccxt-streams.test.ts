/** ccxt pro, unmodified, over both sockets: every watch method that the unified account has (wire 6.2). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NetworkError, type Order } from 'ccxt';
import { startHosted, startHostedInMemory } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { type CcxtProClient, ccxtProClient } from './clients.ts';

let server: TestServer;
let operator: Operator;
let alice: CcxtProClient;
let bob: SignedClient;
const clients: CcxtProClient[] = [];

async function proClient(keys: DemoKeys, markets?: CcxtProClient): Promise<CcxtProClient> {
  const client = await ccxtProClient(server.url, keys, markets);
  clients.push(client);
  return client;
}

const sell = (price: string, qty: string, category = 'SPOT') =>
  bob.post('/api/v3/trade/place-order', {
    category,
    symbol: 'BTCUSDT',
    side: 'sell',
    orderType: 'limit',
    price,
    qty,
  });

before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
  operator = new Operator(server);
  alice = await proClient(server.account('alice'));
  bob = new SignedClient(server.url, server.account('bob'));
  await operator.setStatus('USDT-FUTURES', 'BTCUSDT', 'online');
  await operator.setPrice('BTCUSDT', '60000');
  await sell('60000', '0.5');
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.2, 60000);
});

after(async () => {
  for (const client of clients) await client.close();
  bob.close();
  await server.stop();
});

test('watchTicker shows the last price and best offer, and follows them', async () => {
  const ticker = await alice.watchTicker('BTC/USDT');
  assert.deepEqual([ticker.last, ticker.ask, ticker.askVolume], [60000, 60000, 0.3]);
  let next = alice.watchTicker('BTC/USDT');
  await sell('59990', '0.01');
  while ((await next).ask !== 59990) next = alice.watchTicker('BTC/USDT');
});

test('watchTickers and watchBidsAsks take several symbols, also of contracts', async () => {
  const tickers = await alice.watchTickers(['BTC/USDT:USDT', 'ETH/USDT:USDT']);
  assert.equal(Object.keys(tickers).length, 1);
  const best = await alice.watchBidsAsks(['BTC/USDT']);
  assert.equal(best['BTC/USDT']!.ask, 59990);
});

test('watchOrderBook starts with the book of HTTP and follows it', async () => {
  const rest = await alice.fetchOrderBook('BTC/USDT', 50);
  const book = await alice.watchOrderBook('BTC/USDT');
  const levels = (side: readonly (readonly unknown[])[]) =>
    Array.from(side, ([price, size]) => [price, size]);
  assert.deepEqual([levels(book.bids), levels(book.asks)], [levels(rest.bids), levels(rest.asks)]);
  const next = alice.watchOrderBook('BTC/USDT');
  await sell('60010', '0.02');
  assert.deepEqual(levels((await next).asks).at(-1), [60010, 0.02]);
});

for (const limit of [1, 5, 15, 50]) {
  test(`watchOrderBook with ${limit} levels`, async () => {
    const client = await proClient(server.account('alice'), alice);
    const book = await client.watchOrderBook('BTC/USDT', limit);
    assert.deepEqual([book.asks[0]![0], book.asks.length], [59990, Math.min(limit, 3)]);
  });
}

test('watchTrades shows the past, then each trade with its price', async () => {
  const past = await alice.watchTrades('BTC/USDT');
  assert.deepEqual([past.at(-1)!.price, past.at(-1)!.amount], [60000, 0.2]);
  const next = alice.watchTrades('BTC/USDT');
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 59990);
  const [trade] = await next;
  assert.deepEqual([trade!.price, trade!.amount, trade!.side], [59990, 0.01, 'buy']);
});

test('watchOHLCV shows the running candle and follows it', async () => {
  const [candle] = (await alice.watchOHLCV('BTC/USDT', '1h')).slice(-1);
  const volume = Number(candle![5]);
  const next = alice.watchOHLCV('BTC/USDT', '1h');
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 60000);
  const [grown] = (await next).slice(-1);
  assert.equal(Number(grown![5]).toFixed(2), (volume + 0.01).toFixed(2));
});

test('watchOrders and watchMyTrades show what became of an order, once', async () => {
  const placed = alice.watchOrders('BTC/USDT');
  const filled = alice.watchMyTrades('BTC/USDT');
  // Both must be subscribed before the order is placed; the subscriptions are acknowledged without a push.
  await alice.watchBalance();
  const { id } = await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.03, 60005);
  const order = (await placed).find((each) => each.id === id)!;
  assert.equal(order.status, 'closed');
  const trades = await filled;
  assert.deepEqual(
    trades.filter((trade) => trade.order === id).map((trade) => [trade.price, trade.amount]),
    [[60000, 0.03]],
  );
});

test('watchBalance shows what fetchBalance shows, after each change', async () => {
  const next = alice.watchBalance();
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 59000);
  const pushed = await next;
  const asked = await alice.fetchBalance();
  assert.deepEqual(
    [pushed.USDT!.free, pushed.USDT!.used, pushed.USDT!.total],
    [asked.USDT!.free, asked.USDT!.used, asked.USDT!.total],
  );
});

test('watchPositions: a complete list at the start, then what opens and ends', async () => {
  assert.deepEqual(await alice.watchPositions(), []);
  await sell('60000', '0.1', 'USDT-FUTURES');
  const opened = alice.watchPositions();
  await alice.createOrder('BTC/USDT:USDT', 'limit', 'buy', 0.1, 60000);
  const isOpen = (list: Awaited<typeof opened>) => list.find((each) => each.symbol === 'BTC/USDT:USDT');
  let position = isOpen(await opened);
  while (position === undefined) position = isOpen(await alice.watchPositions());
  assert.deepEqual([position.contracts, position.side, position.entryPrice], [0.1, 'long', 60000]);
  await bob.post('/api/v3/trade/place-order', {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    price: '60000',
    qty: '0.1',
  });
  const ended = alice.watchPositions();
  await alice.createOrder('BTC/USDT:USDT', 'limit', 'sell', 0.1, 60000, { reduceOnly: true });
  let last = isOpen(await ended);
  while (last === undefined || last.contracts !== 0) last = isOpen(await alice.watchPositions());
  assert.equal(last.contracts, 0);
});

test('unWatch methods resolve and end the stream', async () => {
  assert.equal(await alice.unWatchTicker('BTC/USDT'), true);
  assert.equal(await alice.unWatchOrderBook('BTC/USDT'), true);
  assert.equal(await alice.unWatchTrades('BTC/USDT'), true);
});

test('the size of a market order is that of HTTP, in every category and on both sides (wire 5.4)', async () => {
  const keys = server.account('bot');
  const client = await proClient(keys, alice);
  const trader = new SignedClient(server.url, keys);
  for (const category of ['SPOT', 'USDT-FUTURES']) {
    await sell('60010', '1', category);
    const bid = { side: 'buy', orderType: 'limit', price: '59950', qty: '1' };
    await bob.post('/api/v3/trade/place-order', { category, symbol: 'BTCUSDT', ...bid });
  }
  const told = new Map<string | undefined, Order>();
  const follow = async () => {
    for (;;) for (const order of await client.watchOrders()) told.set(order.id, order);
  };
  // It ends with the client.
  follow().catch(() => {});
  await client.watchBalance();
  for (const [category, side, qty] of [
    ['SPOT', 'buy', '600'],
    ['SPOT', 'sell', '0.01'],
    ['MARGIN', 'buy', '600'],
    ['MARGIN', 'sell', '0.01'],
    ['USDT-FUTURES', 'buy', '0.02'],
    ['USDT-FUTURES', 'sell', '0.02'],
  ]) {
    const words = { category, symbol: 'BTCUSDT', side, orderType: 'market', qty };
    const { orderId } = (await trader.post('/api/v3/trade/place-order', words)).data;
    while (told.get(orderId)?.status !== 'closed') await sleep(5);
    const { amount, filled, remaining, average } = told.get(orderId)!;
    const kept = await client.fetchOrder(orderId, 'BTC/USDT');
    const ofHttp = [kept.filled, kept.filled, 0, kept.average];
    assert.deepEqual([amount, filled, remaining, average], ofHttp, `${category} ${side}`);
  }
  trader.close();
});

test('a book that ccxt kept over a restart has to be dropped, then it is the book of HTTP again (wire rule 8)', async () => {
  const args = ['--rate-limits', 'off'];
  const first = await startHosted({ data: temporaryDirectory(), args });
  const client = await ccxtProClient(first.url, first.account('alice'), alice);
  const gone = await client.createOrder('BTC/USDT', 'limit', 'sell', 0.1, 60000);
  await client.createOrder('BTC/USDT', 'limit', 'sell', 0.2, 60100);
  const asks = async () => Array.from((await client.watchOrderBook('BTC/USDT')).asks, ([price]) => price);
  const [quote] = await asks();
  assert.equal(quote, 60000);
  const { port } = new URL(first.url);
  const lost = assert.rejects(client.watchOrderBook('BTC/USDT'));
  await first.kill();
  await lost;
  const again = await startHosted({ data: first.data, args: [...args, '--port', port] });
  try {
    await client.cancelOrder(gone.id!, 'BTC/USDT');
    assert.deepEqual(await asks(), [60000, 60100], 'ccxt merges the new snapshot into what it has');
    await client.close();
    // What docs/streams.md tells to do.
    delete client.orderbooks['BTC/USDT'];
    assert.deepEqual(await asks(), [60100]);
  } finally {
    await client.close();
    await again.stop();
  }
});

test('a stop of the exchange is a NetworkError, after which programs try again (wire 2.5)', async () => {
  const mine = await startHostedInMemory();
  const client = await ccxtProClient(mine.url, mine.account('alice'), alice);
  await client.watchBalance();
  const told = assert.rejects(client.watchBalance(), NetworkError);
  await mine.stop();
  try {
    await told;
  } finally {
    await client.close();
  }
});
