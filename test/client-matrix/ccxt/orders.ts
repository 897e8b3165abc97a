/** ccxt's methods about orders and their fills. */
import assert from 'node:assert/strict';
import { near, positive, some } from '../checks.ts';
import { type Calls, cleared, low, row, SPOT } from './world.ts';

const ids = new Map<string, string>();

export const ORDER_CALLS: Calls = {
  createOrder: row('a limit order rests', async (c) => {
    const order = await c.me.createOrder(SPOT, 'limit', 'buy', 0.001, await low(c));
    ids.set('first', order.id!);
    assert.match(order.id!, /^1[0-9]{18}$/);
  }),
  fetchOrder: row('open, with price and amount', async ({ me }) => {
    const order = await me.fetchOrder(ids.get('first')!, SPOT);
    assert.deepEqual([order.status, order.amount, order.side], ['open', 0.001, 'buy']);
  }),
  fetchOpenOrders: row('the order', async ({ me }) => {
    assert.deepEqual(
      (await me.fetchOpenOrders(SPOT)).map(({ id }) => id),
      [ids.get('first')],
    );
  }),
  editOrder: row('a new amount, the same id', async (c) => {
    const id = ids.get('first')!;
    const price = await low(c);
    assert.equal((await c.me.editOrder(id, SPOT, 'limit', 'buy', 0.002, price)).id, id);
    assert.equal((await c.world.alice.getOrderInfo({ orderId: id })).data.qty, '0.002');
  }),
  cancelOrder: row('the order is gone', async ({ me, world }) => {
    const orderId = ids.get('first')!;
    await me.cancelOrder(orderId, SPOT);
    assert.equal((await world.alice.getOrderInfo({ orderId })).data.orderStatus, 'cancelled');
  }),
  createLimitOrder: row('a limit order', async (c) => {
    const price = await low(c);
    const { id } = await c.me.createLimitOrder(SPOT, 'buy', 0.001, price);
    const order = (await c.world.alice.getOrderInfo({ orderId: id! })).data;
    assert.deepEqual(
      [order.orderStatus, order.orderType, order.qty, Number(order.price)],
      ['new', 'limit', '0.001', price],
    );
    await cleared(c);
  }),
  createPostOnlyOrder: row('rests as a maker', async (c) => {
    const { id } = await c.me.createPostOnlyOrder(SPOT, 'limit', 'buy', 0.001, await low(c));
    assert.equal((await c.world.alice.getOrderInfo({ orderId: id! })).data.timeInForce, 'post_only');
    await cleared(c);
  }),
  createMarketOrder: row('filled', async (c) => {
    const { id } = await c.me.createMarketOrder(SPOT, 'sell', 0.001);
    assert.equal((await c.world.alice.getOrderInfo({ orderId: id! })).data.orderStatus, 'filled');
  }),
  createMarketBuyOrderWithCost: row('spends that much', async ({ me, world }) => {
    const { id } = await me.createMarketBuyOrderWithCost(SPOT, 100);
    const order = (await world.alice.getOrderInfo({ orderId: id! })).data;
    assert.equal(order.amount, '100');
    assert.ok(Number(order.cumExecValue) > 95 && Number(order.cumExecValue) <= 100);
  }),
  createOrders: row('an id for each', async (c) => {
    const order = { symbol: SPOT, type: 'limit', side: 'buy', amount: 0.001, price: await low(c) } as const;
    const orders = await c.me.createOrders([order, order, order]);
    assert.equal(new Set(orders.map(({ id }) => id)).size, 3);
    ids.set('a', orders[0]!.id!).set('b', orders[1]!.id!);
  }),
  cancelOrders: row('two are gone', async ({ me, world }) => {
    const both = [ids.get('a')!, ids.get('b')!];
    const cancelled = await me.cancelOrders(both, SPOT);
    assert.deepEqual(
      cancelled.map(({ id }) => id),
      both,
    );
    for (const orderId of both) {
      assert.equal((await world.alice.getOrderInfo({ orderId })).data.orderStatus, 'cancelled');
    }
  }),
  cancelAllOrders: row('the rest is gone', async ({ me, world }) => {
    await me.cancelAllOrders(SPOT);
    assert.deepEqual((await world.alice.getUnfilledOrders()).data.list, []);
  }),
  fetchClosedOrders: row('filled orders', async ({ me }) => {
    const closed = await me.fetchClosedOrders(SPOT);
    some(closed, 'filled orders');
    assert.ok(closed.every(({ status, filled, amount }) => status === 'closed' && filled && amount));
  }),
  fetchCanceledOrders: row('cancelled orders', async ({ me }) => {
    const cancelled = await me.fetchCanceledOrders(SPOT);
    assert.ok(cancelled.some(({ id }) => id === ids.get('first')));
    assert.ok(cancelled.every(({ status }) => status === 'canceled'));
  }),
  fetchCanceledAndClosedOrders: row('both', async ({ me }) => {
    const statuses = new Set((await me.fetchCanceledAndClosedOrders(SPOT)).map(({ status }) => status));
    assert.deepEqual(statuses, new Set(['closed', 'canceled']));
  }),
  fetchMyTrades: row('the fills', async ({ me }) => {
    const trades = await me.fetchMyTrades(SPOT);
    for (const { amount, price, cost, fee } of trades) {
      near(cost, Number(amount) * Number(price), 'cost');
      // ccxt itself turns the sign of a fee that was charged (wire 6.4).
      positive(-fee!.cost!, 'fee');
    }
    some(trades, 'fills');
  }),
};
