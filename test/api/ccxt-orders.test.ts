/** Orders as a ccxt user places, changes and cancels them. Every test has a book of its own. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import ccxt from 'ccxt';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { type CcxtClient, ccxtClients, refusesWith } from './clients.ts';

let server: TestServer;
let alice: CcxtClient;
let bob: CcxtClient;

before(async () => {
  server = await startHostedInMemory();
  const keys = [server.account('alice'), server.account('bob')];
  [alice, bob] = (await ccxtClients(server.url, keys)) as [CcxtClient, CcxtClient];
});

after(() => server.stop());

test('a limit order rests under its own client id until it is cancelled', async () => {
  const before = Date.now();
  const placed = await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 58000, {
    clientOrderId: 'alice-1',
  });
  assert.equal(placed.clientOrderId, 'alice-1');
  const open = await alice.fetchOrder(placed.id!, 'BTC/USDT');
  assert.deepEqual(
    [open.id, open.clientOrderId, open.symbol, open.type, open.side, open.price, open.amount],
    [placed.id, 'alice-1', 'BTC/USDT', 'limit', 'buy', 58000, 0.01],
  );
  assert.deepEqual(
    [open.status, open.filled, open.remaining, open.cost, open.timeInForce, open.postOnly, open.reduceOnly],
    ['open', 0, 0.01, 0, 'GTC', false, false],
  );
  assert.ok(open.timestamp! > before - 1_000 && open.timestamp! < Date.now() + 1_000);

  const cancelled = await alice.cancelOrder(placed.id!, 'BTC/USDT');
  assert.equal(cancelled.id, placed.id);
  const closed = await alice.fetchOrder(placed.id!, 'BTC/USDT');
  assert.deepEqual([closed.status, closed.filled, closed.remaining], ['canceled', 0, 0.01]);
});

test('an order without a client id is named by its order id', async () => {
  const placed = await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 58000);
  assert.equal(placed.clientOrderId, placed.id);
  assert.equal((await alice.fetchOrder(placed.id!, 'BTC/USDT')).clientOrderId, placed.id);
  await alice.cancelOrder(placed.id!, 'BTC/USDT');
});

test('an order is found and cancelled by its client id', async () => {
  const placed = await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 58000, { clientOrderId: 'mine' });
  const found = await alice.fetchOrder('', 'BTC/USDT', { clientOrderId: 'mine' });
  assert.equal(found.id, placed.id);
  const cancelled = await alice.cancelOrder('', 'BTC/USDT', { clientOrderId: 'mine' });
  assert.equal(cancelled.id, placed.id);
  assert.equal((await alice.fetchOrder(placed.id!, 'BTC/USDT')).status, 'canceled');
});

test('an order is not cancelled under the name of another pair', async () => {
  const placed = await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 58000);
  await refusesWith(alice.cancelOrder(placed.id!, 'ETH/USDT'), ccxt.ExchangeError, '25204');
  assert.equal((await alice.fetchOrder(placed.id!, 'BTC/USDT')).status, 'open');
  await alice.cancelOrder(placed.id!, 'BTC/USDT');
});

test('a market buy spends quote money and no more than it was given', async () => {
  await bob.createOrder('ETH/USDT', 'limit', 'sell', 1, 2500);
  const bought = await alice.createMarketBuyOrderWithCost('ETH/USDT', 1000.1);
  const order = await alice.fetchOrder(bought.id!, 'ETH/USDT');
  // 1000.1 / 2500 = 0.40004, of which 0.4 are whole lots of 0.0001.
  assert.deepEqual(
    [order.type, order.status, order.filled, order.cost, order.average],
    ['market', 'closed', 0.4, 1000, 2500],
  );
  const [fill] = await alice.fetchMyTrades('ETH/USDT');
  assert.deepEqual([fill!.amount, fill!.takerOrMaker, fill!.fee!.currency], [0.4, 'taker', 'ETH']);
  // What docs/clients.md says of ccxt: base coin bought, what it might spend, and a fee with the other sign.
  assert.deepEqual([order.amount, order.info.amount], [0.4, '1000.1']);
  assert.deepEqual([fill!.fee!.cost, Number(fill!.info.feeDetail[0].fee)], [-0.0004, 0.0004]);
  // An amount of base coin would be that much quote money, with a price or without.
  for (const price of [undefined, 2500]) {
    const wanted = alice.createOrder('ETH/USDT', 'market', 'buy', 0.4, price);
    await refusesWith(wanted, ccxt.ExchangeError, '25611');
  }
  const exact = await alice.createOrder('ETH/USDT', 'limit', 'buy', 0.4, 2510, { timeInForce: 'IOC' });
  const { filled, cost } = await alice.fetchOrder(exact.id!, 'ETH/USDT');
  assert.deepEqual([filled, cost], [0.4, 1000]);
  await bob.cancelAllOrders('ETH/USDT');
});

test('a market sell gives base coin to the best bids in turn', async () => {
  await bob.createOrder('SOL/USDT', 'limit', 'buy', 2, 150);
  await bob.createOrder('SOL/USDT', 'limit', 'buy', 2, 149);
  const sold = await alice.createOrder('SOL/USDT', 'market', 'sell', 3);
  const order = await alice.fetchOrder(sold.id!, 'SOL/USDT');
  assert.deepEqual(
    [order.status, order.amount, order.filled, order.remaining, order.cost, order.average],
    ['closed', 3, 3, 0, 449, 149.67],
  );
  const fills = await alice.fetchMyTrades('SOL/USDT', undefined, undefined, { orderId: sold.id });
  assert.deepEqual(
    fills.map(({ price, amount, order: id }) => [price, amount, id]),
    [
      [150, 2, sold.id],
      [149, 1, sold.id],
    ],
  );
  await bob.cancelAllOrders('SOL/USDT');
});

test('a post-only order rests, or is cancelled when it would take', async () => {
  const ask = await bob.createOrder('XRP/USDT', 'limit', 'sell', 100, 2.2, { postOnly: true });
  const rests = await bob.fetchOrder(ask.id!, 'XRP/USDT');
  assert.deepEqual([rests.status, rests.postOnly, rests.timeInForce], ['open', true, 'PO']);

  const crossing = await alice.createOrder('XRP/USDT', 'limit', 'buy', 100, 2.2, { postOnly: true });
  const order = await alice.fetchOrder(crossing.id!, 'XRP/USDT');
  assert.deepEqual([order.status, order.filled], ['canceled', 0]);
  assert.equal(order.info.cancelReason, 'post_only_fill_cancel');
  await bob.cancelOrder(ask.id!, 'XRP/USDT');
});

test('an ioc order takes what is there and gives up the rest', async () => {
  await bob.createOrder('DOGE/USDT', 'limit', 'sell', 300, 0.18);
  const placed = await alice.createOrder('DOGE/USDT', 'limit', 'buy', 1000, 0.18, { timeInForce: 'IOC' });
  const order = await alice.fetchOrder(placed.id!, 'DOGE/USDT');
  assert.deepEqual(
    [order.status, order.filled, order.remaining, order.cost, order.timeInForce],
    ['canceled', 300, 700, 54, 'IOC'],
  );
  assert.equal(order.info.cancelReason, 'ioc_not_full_cancel');
});

test('a fok order fills whole or not at all', async () => {
  const ask = await bob.createOrder('LTC/USDT', 'limit', 'sell', 5, 85);
  const tooMuch = await alice.createOrder('LTC/USDT', 'limit', 'buy', 6, 85, { timeInForce: 'FOK' });
  const killed = await alice.fetchOrder(tooMuch.id!, 'LTC/USDT');
  assert.deepEqual([killed.status, killed.filled, killed.timeInForce], ['canceled', 0, 'FOK']);
  assert.equal((await bob.fetchOrder(ask.id!, 'LTC/USDT')).filled, 0);

  const whole = await alice.createOrder('LTC/USDT', 'limit', 'buy', 5, 85, { timeInForce: 'FOK' });
  assert.equal((await alice.fetchOrder(whole.id!, 'LTC/USDT')).status, 'closed');
});

test('an amended order keeps its id and shows its new price and size', async () => {
  const placed = await alice.createOrder('BNB/USDT', 'limit', 'buy', 1, 690);
  const amended = await alice.editOrder(placed.id!, 'BNB/USDT', 'limit', 'buy', 1.5, 695.5);
  assert.equal(amended.id, placed.id);
  const order = await alice.fetchOrder(placed.id!, 'BNB/USDT');
  assert.deepEqual([order.price, order.amount, order.remaining, order.status], [695.5, 1.5, 1.5, 'open']);

  await alice.editOrder(placed.id!, 'BNB/USDT', 'limit', 'buy', undefined, 694);
  const book = await alice.fetchOrderBook('BNB/USDT');
  assert.deepEqual(book.bids, [[694, 1.5]]);
  await alice.cancelOrder(placed.id!, 'BNB/USDT');
});

test('an order that trades in two parts is open, then closed, and its price is the average', async () => {
  const ask = await bob.createOrder('ADA/USDT', 'limit', 'sell', 1000, 0.6);
  await alice.createOrder('ADA/USDT', 'limit', 'buy', 250, 0.61);
  const part = await bob.fetchOrder(ask.id!, 'ADA/USDT');
  assert.deepEqual(
    [part.status, part.filled, part.remaining, part.average, part.cost, part.fee!.cost],
    ['open', 250, 750, 0.6, 150, -0.15],
  );
  assert.deepEqual(
    (await bob.fetchOpenOrders('ADA/USDT')).map(({ id, filled }) => [id, filled]),
    [[ask.id, 250]],
  );

  await alice.createOrder('ADA/USDT', 'limit', 'buy', 750, 0.6);
  const whole = await bob.fetchOrder(ask.id!, 'ADA/USDT');
  assert.deepEqual(
    [whole.status, whole.filled, whole.remaining, whole.cost, whole.fee!.cost],
    ['closed', 1000, 0, 600, -0.6],
  );
  assert.deepEqual(whole.info.feeDetail, [{ feeCoin: 'USDT', fee: '0.6' }]);
  assert.deepEqual(await bob.fetchOpenOrders('ADA/USDT'), []);
  assert.deepEqual(
    (await bob.fetchClosedOrders('ADA/USDT')).map(({ id, status }) => [id, status]),
    [[ask.id, 'closed']],
  );
});

test('a batch places its orders one by one, and a bad one does not stop the others', async () => {
  const order = { symbol: 'BTC/USDC', type: 'limit', side: 'buy', price: 58000 } as const;
  const [first, refused, third] = await alice.createOrders([
    { ...order, amount: 0.01 },
    { ...order, amount: 1000 },
    { ...order, amount: 0.02, params: { clientOid: 'b3' } },
  ]);
  assert.equal(refused!.id, undefined, 'ccxt shows a refused order as one without an id');
  assert.equal(refused!.info.code, '25202');
  assert.equal(third!.clientOrderId, 'b3');
  const idsOf = async () => (await alice.fetchOpenOrders()).map(({ id }) => id!).sort();
  assert.deepEqual(await idsOf(), [first!.id, third!.id]);

  const cancelled = await alice.cancelOrders([first!.id!], 'BTC/USDC');
  assert.deepEqual(
    cancelled.map(({ id }) => id),
    [first!.id],
  );
  assert.deepEqual(await idsOf(), [third!.id]);
  await alice.cancelAllOrders('BTC/USDC');
});

test('cancelling all orders of a symbol leaves the other symbols alone', async () => {
  const order = { symbol: 'BTC/USDC', type: 'limit', side: 'sell', amount: 0.01 } as const;
  const [one, two] = await bob.createOrders([
    { ...order, price: 61000 },
    { ...order, price: 61001 },
  ]);
  const sol = await bob.createOrder('SOL/USDC', 'limit', 'sell', 1, 155);
  const gone = await bob.cancelAllOrders('BTC/USDC');
  assert.deepEqual(
    gone.map(({ id }) => id),
    [one!.id, two!.id],
  );
  assert.deepEqual(
    (await bob.fetchOpenOrders()).map(({ id }) => id),
    [sol.id],
  );
  assert.deepEqual(await bob.cancelAllOrders('BTC/USDC'), []);
  await bob.cancelAllOrders('SOL/USDC');
});

test('the history tells filled orders from cancelled ones', async () => {
  const statuses = async (symbol: string) => ({
    closed: (await alice.fetchClosedOrders(symbol)).map(({ filled, remaining }) => [filled, remaining]),
    canceled: (await alice.fetchCanceledOrders(symbol)).map(({ filled, remaining }) => [filled, remaining]),
  });
  assert.deepEqual(await statuses('LTC/USDT'), { closed: [[5, 0]], canceled: [[0, 6]] });
  assert.deepEqual(await statuses('DOGE/USDT'), { closed: [], canceled: [[300, 700]] });
  assert.deepEqual(await statuses('SOL/USDT'), { closed: [[3, 0]], canceled: [] });
});
