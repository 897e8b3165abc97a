/** Orders as a user of the SDK places, changes and cancels them. Every test has a book of its own. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { refusalOf, type SdkClient, sdkClient } from './clients.ts';

let server: TestServer;
let alice: SdkClient;
let bob: SdkClient;

// The SDK does not slow itself down as ccxt does, so the limits would only make this slow.
before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
  alice = sdkClient(server.url, server.account('alice'));
  bob = sdkClient(server.url, server.account('bob'));
});

after(() => server.stop());

const spot = { category: 'SPOT', orderType: 'limit' } as const;

async function place(client: SdkClient, order: Parameters<SdkClient['submitNewOrder']>[0]) {
  return (await client.submitNewOrder(order)).data;
}

async function info(client: SdkClient, orderId: string) {
  return (await client.getOrderInfo({ orderId })).data;
}

async function openIds(client: SdkClient): Promise<string[]> {
  return (await client.getUnfilledOrders()).data.list.map(({ orderId }) => orderId);
}

test('an order has every documented field, as text, with the fees empty until it trades', async () => {
  const { orderId, clientOid } = await place(alice, {
    ...spot,
    symbol: 'BTCUSDT',
    side: 'buy',
    qty: '0.01',
    price: '58000.5',
    clientOid: 'sdk-1',
    stpMode: 'cancel_maker',
  });
  assert.equal(clientOid, 'sdk-1');
  const [open] = (await alice.getUnfilledOrders({ category: 'SPOT', symbol: 'BTCUSDT' })).data.list;
  const { createdTime, updatedTime, ...rest } = open!;
  assert.equal(createdTime, updatedTime);
  assert.deepEqual(rest, {
    orderId,
    clientOid: 'sdk-1',
    category: 'SPOT',
    symbol: 'BTCUSDT',
    price: '58000.5',
    qty: '0.01',
    amount: '0',
    orderType: 'limit',
    cumExecQty: '0',
    cumExecValue: '0',
    avgPrice: '0',
    orderStatus: 'new',
    side: 'buy',
    timeInForce: 'gtc',
    posSide: '',
    holdMode: '',
    delegateType: 'normal',
    marginMode: '',
    stpMode: 'cancel_maker',
    takeProfit: '',
    stopLoss: '',
    tpTriggerBy: '',
    slTriggerBy: '',
    tpOrderType: '',
    slOrderType: '',
    tpLimitPrice: '',
    slLimitPrice: '',
    reduceOnly: 'NO',
    feeDetail: [],
    priceAvg: '0',
    quoteVolume: '0',
    baseVolume: '0',
  });
  const detail = await info(alice, orderId);
  assert.deepEqual([detail.cancelReason, detail.execType], ['', 'normal']);
  await alice.cancelOrder({ orderId });
  assert.equal((await info(alice, orderId)).cancelReason, 'normal_cancel');
});

test('a fill has every documented field, on both sides of the trade', async () => {
  const ask = await place(bob, { ...spot, symbol: 'ETHUSDT', side: 'sell', qty: '0.5', price: '2500' });
  const bid = await place(alice, {
    ...spot,
    symbol: 'ETHUSDT',
    side: 'buy',
    qty: '0.2',
    price: '2510',
    clientOid: 'take',
  });
  const [taken] = (await alice.getTradeFills()).data.list;
  const [made] = (await bob.getTradeFills({ orderId: ask.orderId })).data.list;
  const shared = {
    category: 'SPOT',
    symbol: 'ETHUSDT',
    orderType: 'limit',
    execPrice: '2500',
    execQty: '0.2',
    execValue: '500',
    tradeSide: 'open',
    posSide: '',
    execPnl: '0',
    isRPI: 'no',
  };
  const common = (fill: object) => {
    const { createdTime, updatedTime, execId, execLinkId, ...rest } = fill as Record<string, string>;
    assert.equal(createdTime, updatedTime);
    assert.match(execId!, /^[0-9]{19}$/);
    return { rest, execLinkId };
  };
  assert.deepEqual(common(taken!).rest, {
    ...shared,
    orderId: bid.orderId,
    clientOid: 'take',
    side: 'buy',
    tradeScope: 'taker',
    feeDetail: [{ feeCoin: 'ETH', fee: '0.0002' }],
  });
  assert.deepEqual(common(made!).rest, {
    ...shared,
    orderId: ask.orderId,
    clientOid: ask.orderId,
    side: 'sell',
    tradeScope: 'maker',
    feeDetail: [{ feeCoin: 'USDT', fee: '0.5' }],
  });
  assert.equal(common(taken!).execLinkId, common(made!).execLinkId, 'both sides name one trade');

  const rest = await info(bob, ask.orderId);
  assert.deepEqual(
    [rest.orderStatus, rest.cumExecQty, rest.cumExecValue, rest.avgPrice],
    ['partially_filled', '0.2', '500', '2500'],
  );
  await bob.cancelOrder({ orderId: ask.orderId, category: 'SPOT' });
});

test('market orders take quote money on a buy and base coin on a sell', async () => {
  await place(bob, { ...spot, symbol: 'SOLUSDT', side: 'sell', qty: '1', price: '150' });
  await place(bob, { ...spot, symbol: 'SOLUSDT', side: 'sell', qty: '1', price: '151' });
  const buy = await place(alice, {
    category: 'SPOT',
    symbol: 'SOLUSDT',
    side: 'buy',
    orderType: 'market',
    qty: '200',
  });
  const bought = await info(alice, buy.orderId);
  // 150 buy the first, the other 50 / 151 = 0.3311 (lots of 0.0001) of the second.
  assert.deepEqual(
    [bought.amount, bought.qty, bought.cumExecQty, bought.cumExecValue, bought.orderStatus],
    ['200', '0', '1.3311', '199.9961', 'filled'],
  );
  await bob.cancelAllOrders({ category: 'SPOT', symbol: 'SOLUSDT' });

  await place(bob, { ...spot, symbol: 'SOLUSDT', side: 'buy', qty: '1', price: '149' });
  const sell = await place(alice, {
    category: 'SPOT',
    symbol: 'SOLUSDT',
    side: 'sell',
    orderType: 'market',
    qty: '0.6',
  });
  const sold = await info(alice, sell.orderId);
  assert.deepEqual(
    [sold.qty, sold.amount, sold.cumExecQty, sold.cumExecValue, sold.orderStatus],
    ['0.6', '0', '0.6', '89.4', 'filled'],
  );
  await bob.cancelAllOrders({ category: 'SPOT', symbol: 'SOLUSDT' });
});

test('post-only, ioc and fok end as they should, with the reason', async () => {
  await place(bob, { ...spot, symbol: 'XRPUSDT', side: 'sell', qty: '100', price: '2.2' });
  const buy = { ...spot, symbol: 'XRPUSDT', side: 'buy', qty: '150', price: '2.2' } as const;
  const ends: unknown[] = [];
  for (const timeInForce of ['post_only', 'fok', 'ioc'] as const) {
    const { orderId } = await place(alice, { ...buy, timeInForce });
    const order = await info(alice, orderId);
    ends.push([order.timeInForce, order.orderStatus, order.cumExecQty, order.cancelReason]);
  }
  assert.deepEqual(ends, [
    ['post_only', 'cancelled', '0', 'post_only_fill_cancel'],
    ['fok', 'cancelled', '0', 'fok_not_full_cancel'],
    ['ioc', 'cancelled', '100', 'ioc_not_full_cancel'],
  ]);
});

test('an order is modified by order id or client id, and by price, size or both', async () => {
  const { orderId } = await place(alice, {
    ...spot,
    symbol: 'BNBUSDT',
    side: 'buy',
    qty: '1',
    price: '690',
    clientOid: 'm1',
  });
  const changes = [
    { orderId, price: '691' },
    { clientOid: 'm1', qty: '2' },
    { orderId, price: '692.5', qty: '1.5', category: 'SPOT', symbol: 'BNBUSDT' },
  ] as const;
  const seen: string[][] = [];
  for (const change of changes) {
    assert.deepEqual((await alice.modifyOrder(change)).data, { orderId, clientOid: 'm1' });
    const order = await info(alice, orderId);
    seen.push([order.price, order.qty, order.orderStatus]);
  }
  assert.deepEqual(seen, [
    ['691', '1', 'new'],
    ['691', '2', 'new'],
    ['692.5', '1.5', 'new'],
  ]);
  await alice.cancelOrder({ clientOid: 'm1' });
});

test('a batch of orders answers in the order of the request, each with its own result', async () => {
  const order = { ...spot, symbol: 'DOGEUSDT', side: 'buy', price: '0.17' } as const;
  const { data } = await alice.placeBatchOrders([
    { ...order, qty: '100', clientOid: 'p1' },
    { ...order, qty: '1', clientOid: 'p2' },
    { ...order, qty: '300', clientOid: 'p3' },
  ]);
  assert.deepEqual(
    data.map(({ clientOid, code = '' }) => [clientOid, code]),
    [
      ['p1', ''],
      ['p2', '25611'],
      ['p3', ''],
    ],
  );
  assert.equal(data[1]!.orderId, '');
  assert.match(data[1]!.msg!, /minimum of 1 USDT/);
  assert.deepEqual(await openIds(alice), [data[2]!.orderId, data[0]!.orderId]);
});

test('a batch of changes keeps the good ones and tells what is wrong with the others', async () => {
  const { data } = await alice.batchModifyOrders([
    { clientOid: 'p1', price: '0.175' },
    { orderId: '1000000000999999999', price: '0.175' },
    { clientOid: 'p3', price: '9' },
    { clientOid: 'p4' },
  ]);
  const results = data as readonly { clientOid: string; code?: string; msg?: string }[];
  assert.deepEqual(
    results.map(({ code = '' }) => code),
    ['', '25204', '25206', '25200'],
  );
  assert.match(results[2]!.msg!, /highest buy price is 0\.1[0-9]+ /);
  const [p3, p1] = (await alice.getUnfilledOrders({ symbol: 'DOGEUSDT' })).data.list;
  assert.deepEqual([p1!.price, p3!.price], ['0.175', '0.17']);
});

test('case 65: an order that stands twice in a batch of changes refuses the whole batch', async () => {
  const rejectReason = await refusalOf(
    alice.batchModifyOrders([
      { clientOid: 'p1', price: '0.174' },
      { clientOid: 'p1', price: '0.173' },
    ]),
  );
  assert.equal(rejectReason.body.code, '40017');
  const [, p1] = (await alice.getUnfilledOrders({ symbol: 'DOGEUSDT' })).data.list;
  assert.equal(p1!.price, '0.175');
});

test('case 71: a batch of cancellations goes on after a bad item', async () => {
  const { data } = await alice.cancelBatchOrders([
    { clientOid: 'p1', category: 'SPOT', symbol: 'DOGEUSDT' },
    { clientOid: 'never', category: 'SPOT', symbol: 'DOGEUSDT' },
    { clientOid: 'p3', category: 'SPOT', symbol: 'DOGEUSDT' },
  ]);
  assert.deepEqual(
    data.map(({ clientOid, code = '' }) => [clientOid, code]),
    [
      ['p1', ''],
      ['never', '25204'],
      ['p3', ''],
    ],
  );
  assert.deepEqual(await openIds(alice), []);
});

test('cancel-all takes a symbol or the whole category', async () => {
  const sell = { ...spot, side: 'sell' } as const;
  const { data } = await bob.placeBatchOrders([
    { ...sell, symbol: 'BTCUSDC', qty: '0.01', price: '61000' },
    { ...sell, symbol: 'ETHUSDC', qty: '0.1', price: '2550' },
    { ...sell, symbol: 'SOLUSDC', qty: '1', price: '155' },
  ]);
  const ids = data.map(({ orderId }) => orderId);
  const one = (await bob.cancelAllOrders({ category: 'SPOT', symbol: 'ETHUSDC' })).data.list;
  assert.deepEqual(one, [{ orderId: ids[1], clientOid: ids[1], code: '00000', msg: 'success' }]);
  const rest = (await bob.cancelAllOrders({ category: 'SPOT' })).data.list;
  assert.deepEqual(rest.map(({ orderId }) => orderId).sort(), [ids[0]!, ids[2]!].sort());
  assert.deepEqual((await bob.cancelAllOrders({ category: 'SPOT' })).data.list, []);
});

test('a client id may be used again once its order is closed, and names the newest', async () => {
  const order = {
    ...spot,
    symbol: 'ADAUSDT',
    side: 'buy',
    qty: '10',
    price: '0.59',
    clientOid: 'again',
  } as const;
  const first = await place(alice, order);
  await alice.cancelOrder({ clientOid: 'again' });
  const second = await place(alice, order);
  assert.notEqual(first.orderId, second.orderId);
  assert.equal((await alice.getOrderInfo({ clientOid: 'again' })).data.orderId, second.orderId);
  await alice.cancelOrder({ clientOid: 'again' });
  assert.equal((await alice.getOrderInfo({ clientOid: 'again' })).data.orderId, second.orderId);
});

test('a countdown takes 5 to 60 seconds, and 0 switches it off', async () => {
  assert.equal((await alice.countdownCancelAll({ countdown: '60' })).data, 'success');
  assert.equal((await alice.countdownCancelAll({ countdown: '0' })).data, 'success');
  for (const countdown of ['4', '61']) {
    const { body } = await refusalOf(alice.countdownCancelAll({ countdown }));
    assert.equal(body.code, '40020');
  }
});
