/** Orders and fills over the socket are those of HTTP: none missing, none twice, nothing that was not durable. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RunningServer, startServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { type Frame, StreamClient } from '../harness/stream-client.ts';
import { Dice } from '../hostile/dice.ts';

const TOPICS = ['order', 'fill', 'fast-fill'].map((topic) => ({ instType: 'UTA', topic }));
const ROUNDS = 12;

let server: RunningServer;
let dice: Dice;

before(async () => {
  server = await startServer({ args: ['--rate-limits', 'off'] });
  dice = new Dice(8);
});

after(() => server.stop());

async function reader(name: string): Promise<StreamClient> {
  const client = await StreamClient.login(server.url, server.account(name));
  await client.subscribe(...TOPICS);
  return client;
}

/** Two accounts trade with each other: fills, part fills, cancels, modifications. */
async function tradeRounds(rounds: number, label: string): Promise<void> {
  const traders = await Promise.all(
    ['alice', 'bob'].map((name) => StreamClient.login(server.url, server.account(name))),
  );
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      traders.map(async (trader, n) => {
        const orders = Array.from({ length: 10 }, () => ({
          symbol: 'BTCUSDT',
          side: n === 0 ? 'buy' : 'sell',
          orderType: 'limit',
          timeInForce: dice.pick(['gtc', 'gtc', 'ioc', 'post_only']),
          price: ((6_000_000 + (n === 0 ? -1 : 1) * (dice.below(20) - 10)) / 100).toFixed(2),
          qty: ((2 + dice.below(18)) / 10_000).toFixed(4),
        }));
        const placed = await trader.trade(`${label}p${round}`, 'batch-place', 'spot', ...orders);
        const ids = placed.args.map((item: Frame) => ({ orderId: item.orderId as string }));
        const changed = ids
          .slice(0, 3)
          .map((id: object) => ({ ...id, qty: ((2 + dice.below(30)) / 10_000).toFixed(4) }));
        await trader.trade(`${label}m${round}`, 'batch-modify', 'spot', ...changed);
        await trader.trade(`${label}c${round}`, 'batch-cancel', 'spot', ...ids.slice(3, 8));
      }),
    );
  }
  for (const trader of traders) trader.close();
}

async function pages(path: string, name: string): Promise<Frame[]> {
  const client = new SignedClient(server.url, server.account(name));
  const list: Frame[] = [];
  for (let cursor = ''; ; ) {
    const { data } = await client.get(path, {
      category: 'SPOT',
      limit: '100',
      ...(cursor !== '' && { cursor }),
    });
    list.push(...(data.list ?? []));
    if ((data.list ?? []).length < 100) break;
    cursor = data.cursor;
  }
  client.close();
  return list;
}

/** Everything the sockets of one account were told. */
const told = (clients: readonly StreamClient[], topic: string): Frame[] =>
  clients.flatMap((client) => client.pushes(topic).flatMap((push) => push.data));

const byId = (list: readonly Frame[], name: string) => [...list].sort((a, b) => (a[name] < b[name] ? -1 : 1));

async function compare(name: string, clients: readonly StreamClient[]): Promise<void> {
  const fills = byId(await pages('/api/v3/trade/fills', name), 'execId');
  const pushed = byId(told(clients, 'fill'), 'execId');
  const shape = (fill: Frame) => ({
    execId: fill.execId,
    execLinkId: fill.execLinkId,
    orderId: fill.orderId,
    clientOid: fill.clientOid,
    category: fill.category.toUpperCase(),
    symbol: fill.symbol,
    side: fill.side,
    execPrice: fill.execPrice,
    execQty: fill.execQty,
    execValue: fill.execValue,
    tradeScope: fill.tradeScope,
    feeDetail: fill.feeDetail,
    time: fill.execTime ?? fill.createdTime,
  });
  assert.deepEqual(pushed.map(shape), fills.map(shape), `fills of ${name}, each once`);
  assert.deepEqual(
    byId(told(clients, 'fast-fill'), 'execId').map((fill) => fill.execId),
    fills.map((fill) => fill.execId),
  );

  const orders = [
    ...(await pages('/api/v3/trade/history-orders', name)),
    ...(await pages('/api/v3/trade/unfilled-orders', name)),
  ];
  const standing = (order: Frame) => ({
    orderId: order.orderId,
    orderStatus: order.orderStatus,
    qty: order.qty,
    price: order.price,
    cumExecQty: order.cumExecQty,
    cumExecValue: order.cumExecValue,
    avgPrice: order.avgPrice,
    feeDetail: order.feeDetail,
    updatedTime: order.updatedTime,
  });
  const changes = told(clients, 'order');
  const last = new Map(changes.map((order) => [order.orderId, order]));
  assert.deepEqual(
    byId([...last.values()], 'orderId').map(standing),
    byId(orders, 'orderId').map(standing),
    `orders of ${name}`,
  );
  const executed = new Map<string, number>();
  const ended = new Set<string>();
  for (const { orderId, cumExecQty, orderStatus } of changes) {
    assert.ok(!ended.has(orderId), 'nothing is told of an order after its end');
    assert.ok(Number(cumExecQty) >= (executed.get(orderId) ?? 0), 'what is executed only grows');
    executed.set(orderId, Number(cumExecQty));
    if (orderStatus === 'filled' || orderStatus === 'cancelled') ended.add(orderId);
  }
  assert.equal(new Set(changes.map((order) => JSON.stringify(order))).size, changes.length, 'none twice');
}

test('pushes equal the history, also across a restart with reconnect', async () => {
  const names = ['alice', 'bob'];
  const first = await Promise.all(names.map(reader));
  await tradeRounds(ROUNDS, 'a');
  for (const [n, name] of names.entries()) await compare(name, [first[n]!]);

  const { data, url } = server;
  server.process.kill('SIGINT');
  const reasons = await Promise.all(first.map(({ closed }) => closed));
  assert.deepEqual(
    reasons.map(({ code }) => code),
    [1012, 1012],
  );
  await new Promise((resolve) => server.process.once('exit', resolve));
  server = await startServer({ data, args: ['--rate-limits', 'off', '--port', new URL(url).port] });
  const second = await Promise.all(names.map(reader));
  await tradeRounds(ROUNDS, 'b');
  for (const [n, name] of names.entries()) await compare(name, [first[n]!, second[n]!]);
  for (const client of second) client.close();
});

test('what was pushed before a kill is there after it', async () => {
  const alice = await reader('alice');
  const trading = tradeRounds(1_000, 'k').catch(() => {});
  await alice.next((frame) => frame.arg?.topic === 'fill' && alice.pushes('fill').length > 50);
  const { data, url } = server;
  await server.kill();
  await alice.closed;
  server = await startServer({ data, args: ['--rate-limits', 'off', '--port', new URL(url).port] });
  const known = new Set((await pages('/api/v3/trade/fills', 'alice')).map((fill) => fill.execId));
  const pushed = told([alice], 'fill');
  assert.ok(pushed.length > 50);
  for (const { execId } of pushed) assert.ok(known.has(execId), `fill ${execId} was told and is gone`);
  void trading;
});
