/** Contracts over the socket, on a clock that is moved by hand: profits of orders, positions, liquidations, deleveraging. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { type Frame, StreamClient } from '../harness/stream-client.ts';
import { assertToldIsKept, RECORD_TOPICS } from './pushes-and-records.ts';

const START = Date.UTC(2026, 5, 25, 6, 30);
const CATEGORY = 'usdt-futures';
const SYMBOL = 'BTCUSDT';

let server: TestServer;
let operator: Operator;
let alice: StreamClient;
let maker: StreamClient;
let nobody: StreamClient;
let requests = 0;

before(async () => {
  const args = ['--clock', 'manual', '--clock-start', String(START), '--rate-limits', 'off'];
  server = await startHostedInMemory(args);
  operator = new Operator(server);
  await operator.setStatus('USDT-FUTURES', SYMBOL, 'online');
  await priceMoves('50000');
  const http = new SignedClient(server.url, server.account('alice'));
  const on = { category: 'USDT-FUTURES', symbol: SYMBOL, marginMode: 'isolated' };
  const mode = { ...on, longLeverage: '10', shortLeverage: '20' };
  assert.equal((await http.post('/api/v3/account/set-leverage', mode)).code, '00000');
  http.close();
  [alice, maker] = await Promise.all([
    StreamClient.login(server.url, server.account('alice')),
    StreamClient.login(server.url, server.account('maker')),
  ]);
  for (const client of [alice, maker]) {
    await client.subscribe(
      ...RECORD_TOPICS,
      ...['position', 'adl-notification'].map((topic) => ({ instType: 'UTA', topic })),
    );
  }
  nobody = await StreamClient.open(server.url);
  await nobody.subscribe({ instType: CATEGORY, topic: 'liquidation' });
});

after(async () => {
  for (const client of [alice, maker, nobody]) client.close();
  await server.stop();
});

async function priceMoves(price: string): Promise<void> {
  await operator.setPrice('BTCUSDT', price);
  await operator.advanceClock('1s');
}

async function place(client: StreamClient, order: object): Promise<string> {
  const reply = await client.trade(`r${++requests}`, 'place-order', CATEGORY, { symbol: SYMBOL, ...order });
  assert.equal(reply.code, '0', reply.msg);
  return reply.args[0].orderId;
}

const limit = (side: string, qty: string, price: string) => ({ side, orderType: 'limit', qty, price });

async function deal(qty: string, price: string): Promise<void> {
  await place(maker, limit('sell', qty, price));
  await place(alice, limit('buy', qty, price));
}

/** The next push of a topic, from a mark on, that holds a record that fits. */
async function record(
  client: StreamClient,
  topic: string,
  fits: (record: Frame) => boolean,
  from = 0,
): Promise<Frame> {
  const frame = await client.next((each) => each.arg?.topic === topic && each.data?.some(fits), from);
  return frame.data.find(fits);
}

test('a closing order tells the profit of all its fills', async () => {
  await deal('1', '50000');
  const opened = await record(alice, 'position', ({ size }) => size === '1');
  assert.deepEqual(
    [
      opened.symbol,
      opened.posSide,
      opened.avgPrice,
      opened.marginMode,
      opened.leverage,
      opened.positionStatus,
    ],
    [SYMBOL, 'long', '50000', 'isolated', '10', 'opening'],
  );
  await place(maker, limit('buy', '0.3', '50100'));
  await place(maker, limit('buy', '0.3', '50050'));
  const orderId = await place(alice, { side: 'sell', orderType: 'market', qty: '0.6', reduceOnly: 'YES' });
  const closed = await record(
    alice,
    'order',
    (each) => each.orderId === orderId && each.orderStatus === 'filled',
  );
  // 0.3 at 100 and 0.3 at 50.
  assert.deepEqual(
    [
      closed.totalProfit,
      closed.cumExecQty,
      closed.reduceOnly,
      closed.holdSide,
      closed.marginCoin,
      closed.tradeSide,
      closed.leverage,
    ],
    ['45', '0.6', 'yes', 'net', 'USDT', 'close', '10'],
  );
  const fills = alice
    .pushes('fill')
    .flatMap(({ data }) => data)
    .filter((fill: Frame) => fill.orderId === orderId);
  assert.deepEqual(
    fills.map((fill: Frame) => [fill.execPrice, fill.execPnl]),
    [
      ['50100', '30'],
      ['50050', '15'],
    ],
  );
  const left = await record(alice, 'position', ({ size }) => size === '0.4');
  assert.equal(left.curRealisedPnl, '45');
});

test('an order that only waits changes no position and is not pushed as one (wire 5.4)', async () => {
  const updates = () => alice.pushes('position').filter(({ action }) => action === 'update').length;
  const before = updates();
  const orderId = await place(alice, limit('buy', '0.1', '48000'));
  await alice.trade(`r${++requests}`, 'cancel-order', CATEGORY, { orderId });
  await record(alice, 'order', (each) => each.orderId === orderId && each.orderStatus === 'cancelled');
  await alice.answers();
  assert.equal(updates(), before);
});

/** What a socket that subscribes now is told first, and a client of the same account. */
async function fresh(name: string, topic: string): Promise<[data: Frame[], http: SignedClient]> {
  const reader = await StreamClient.login(server.url, server.account(name));
  await reader.subscribe({ instType: 'UTA', topic });
  const { data } = await reader.next((frame) => frame.data !== undefined);
  reader.close();
  return [data, new SignedClient(server.url, server.account(name))];
}

test('wire 5.4: positions are those of HTTP under names of their own', async () => {
  await priceMoves('50200');
  const [[position], http] = await fresh('alice', 'position');
  const { list } = (await http.get('/api/v3/position/current-position', { category: 'USDT-FUTURES' })).data;
  http.close();
  const { category: _none, total, positionBalance, liquidationPrice, totalFunding, ...same } = list[0];
  assert.deepEqual(
    position,
    {
      ...same,
      size: total,
      marginSize: positionBalance,
      liqPrice: liquidationPrice,
      totalFundingFee: totalFunding,
      positionStatus: 'opening',
    },
    'wire 5.4: position',
  );
  assert.deepEqual([position.unrealisedPnl, position.curRealisedPnl], ['80', '45'], '0.4 * 200');
});

test('wire 5.4: the account is that of HTTP under names of its own', async () => {
  const [[account], http] = await fresh('maker', 'account');
  const { data } = await http.get('/api/v3/account/assets');
  http.close();
  const { accountEquity, effEquity, mmr, imr, mgnRatio, positionMgnRatio, unrealisedPnl, assets } = data;
  assert.deepEqual(
    account,
    {
      ...{ totalEquity: accountEquity, unrealisedPnL: unrealisedPnl },
      ...{ effEquity, mmr, imr, mgnRatio, positionMgnRatio },
      coin: assets.map(({ debt, ...coin }: Frame) => ({ ...coin, borrow: '0', debts: debt })),
    },
    'wire 5.4: account',
  );
  const told = [accountEquity, effEquity, mmr, imr, unrealisedPnl];
  assert.equal(new Set(told).size, told.length, `each tells something else: ${told.join(' ')}`);
});

test('a liquidation is public, and its position ends once', async () => {
  await place(maker, limit('buy', '0.4', '45100'));
  const from = alice.frames.length;
  await priceMoves('45000');
  const forced = await record(nobody, 'liquidation', () => true);
  assert.deepEqual(
    [forced.symbol, forced.side, forced.price, forced.amount],
    [SYMBOL, 'buy', '45100', '0.4'],
  );
  const ended = await record(alice, 'position', ({ positionStatus }) => positionStatus === 'ended', from);
  assert.deepEqual([ended.size, ended.posSide, ended.available], ['0', 'long', '0']);
  const http = new SignedClient(server.url, server.account('alice'));
  const { list } = (await http.get('/api/v3/position/history-position', { category: 'USDT-FUTURES' })).data;
  http.close();
  const {
    openPriceAvg,
    cumRealisedPnl,
    totalFunding,
    openFeeTotal,
    closeFeeTotal,
    createdTime,
    updatedTime,
  } = list[0];
  assert.deepEqual(
    [ended.avgPrice, ended.curRealisedPnl, ended.totalFundingFee, ended.openFeeTotal, ended.closeFeeTotal],
    [openPriceAvg, cumRealisedPnl, totalFunding, openFeeTotal, closeFeeTotal],
    'wire 5.4: what it came to',
  );
  assert.deepEqual([ended.createdTime, ended.updatedTime], [createdTime, updatedTime], 'wire 5.4');
  const order = await record(alice, 'order', ({ delegateType }) => delegateType === 'liquidation', from);
  assert.deepEqual([order.orderStatus, order.totalProfit], ['filled', '-1960']);
  const endings = alice
    .pushes('position')
    .flatMap(({ data }) => data)
    .filter(({ positionStatus }: Frame) => positionStatus === 'ended');
  assert.equal(endings.length, 1);
});

test('whose position is reduced for others is told', async () => {
  await priceMoves('50000');
  await operator.advanceClock('6m');
  await deal('1', '50000');
  await priceMoves('40000');
  const notice = await record(maker, 'adl-notification', () => true);
  assert.deepEqual([notice.symbol, notice.status, notice.amount], [SYMBOL, 'triggered', '1']);
  const actions = (topic: string) => new Set(maker.pushes(topic).map(({ action }) => action));
  assert.deepEqual(actions('adl-notification'), new Set(['update']), 'wire 5.4');
  for (const topic of ['order', 'fill']) assert.deepEqual(actions(topic), new Set(['snapshot']), 'wire 5.4');
});

test('orders and fills of liquidations and deleveraging are those of the history too, each once', async () => {
  const delegates = new Set<string>();
  for (const [name, client] of [
    ['alice', alice],
    ['maker', maker],
  ] as const) {
    const http = new SignedClient(server.url, server.account(name));
    const { orders, fills } = await assertToldIsKept(http, [client], ['USDT-FUTURES']);
    http.close();
    assert.ok(orders > 0 && fills > 0);
    for (const { data } of client.pushes('order')) for (const each of data) delegates.add(each.delegateType);
  }
  assert.deepEqual([...delegates].sort(), ['liquidation', 'market', 'market_risk', 'normal']);
});
