/** ccxt's methods about orders that wait for a price. */
import assert from 'node:assert/strict';
import { type Calls, type CcxtWorld, cleared, low, row, SWAP } from './world.ts';

const stops = new Map<string, string>();

/** Takes away what waits for a price. */
async function unplanned({ world }: CcxtWorld): Promise<void> {
  const waiting = (await world.alice.getUnfilledStrategyOrders({ category: 'USDT-FUTURES' } as never)).data;
  for (const { orderId } of waiting as unknown as { orderId: string }[]) {
    await world.alice.cancelStrategyOrder({ orderId });
  }
}

async function opened({ world }: CcxtWorld): Promise<void> {
  const order = {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'market',
    qty: '0.01',
  } as const;
  await world.alice.submitNewOrder(order);
}

export const STRATEGY_CALLS: Calls = {
  createTriggerOrder: row('waits below the market', async (c) => {
    const price = await low(c);
    assert.ok((await c.me.createTriggerOrder(SWAP, 'market', 'buy', 0.01, undefined, price)).id);
    await unplanned(c);
  }),
  createStopOrder: row('the same by another name', async (c) => {
    assert.ok((await c.me.createStopOrder(SWAP, 'market', 'buy', 0.01, undefined, await low(c))).id);
    await unplanned(c);
  }),
  createStopMarketOrder: row('a market order waits', async (c) => {
    assert.ok((await c.me.createStopMarketOrder(SWAP, 'buy', 0.01, await low(c))).id);
    await unplanned(c);
  }),
  createStopLimitOrder: row('a limit order waits', async (c) => {
    const price = await low(c);
    assert.ok((await c.me.createStopLimitOrder(SWAP, 'buy', 0.01, price, price)).id);
    await unplanned(c);
  }),
  createStopLossOrder: row('guards a position', async (c) => {
    await opened(c);
    const stop = Number((await low(c)).toFixed(1));
    const { id } = await c.me.createStopLossOrder(SWAP, 'market', 'sell', 0.01, undefined, stop, {
      reduceOnly: true,
    });
    assert.ok(id);
    await unplanned(c);
  }),
  'createOrder, stopLossPrice': row('a stop of a part of the position', async (c) => {
    const stop = { stopLossPrice: await low(c), reduceOnly: true };
    const { id } = await c.me.createOrder(SWAP, 'market', 'sell', 0.005, undefined, stop);
    stops.set('id', id!);
  }),
  'fetchOpenOrders, trigger': row('the stop', async ({ me }) => {
    const [stop] = await me.fetchOpenOrders(SWAP, undefined, undefined, { trigger: true });
    assert.deepEqual([stop!.id, stop!.amount, stop!.side], [stops.get('id'), 0.005, 'sell']);
  }),
  'editOrder, stopLossPrice': row('a new amount, the same id', async (c) => {
    const id = stops.get('id')!;
    const change = { stopLossPrice: Math.floor((await low(c)) - 100) };
    const edited = await c.me.editOrder(id, SWAP, 'market', 'sell', 0.006, undefined, change);
    assert.equal(edited.id, id);
    const [stop] = await c.me.fetchOpenOrders(SWAP, undefined, undefined, { trigger: true });
    assert.deepEqual([stop!.amount, stop!.stopLossPrice], [0.006, change.stopLossPrice]);
  }),
  'cancelOrder, trigger': row('gone', async ({ me }) => {
    await me.cancelOrder(stops.get('id')!, SWAP, { trigger: true });
    assert.deepEqual(await me.fetchOpenOrders(SWAP, undefined, undefined, { trigger: true }), []);
  }),
  'fetchCanceledAndClosedOrders, trigger': row('the stop that was', async ({ me }) => {
    const past = await me.fetchCanceledAndClosedOrders(SWAP, undefined, undefined, { trigger: true });
    const stop = past.find(({ id }) => id === stops.get('id'));
    assert.deepEqual([stop!.info.status, stop!.amount], ['cancelled', 0.006]);
  }),
  createTakeProfitOrder: row('guards a position', async (c) => {
    const profit = Number(((await low(c)) * 1.08).toFixed(1));
    const { id } = await c.me.createTakeProfitOrder(SWAP, 'market', 'sell', 0.01, undefined, profit, {
      reduceOnly: true,
    });
    assert.ok(id);
    await unplanned(c);
    await c.world.alice.closeAllPositions({ category: 'USDT-FUTURES' });
  }),
  createTrailingPercentOrder: row('follows the price', async (c) => {
    await opened(c);
    const activation = Number(((await low(c)) * 1.08).toFixed(1));
    const { id } = await c.me.createTrailingPercentOrder(
      SWAP,
      'market',
      'sell',
      0.01,
      undefined,
      2,
      activation,
      {
        reduceOnly: true,
      },
    );
    assert.ok(id);
    await unplanned(c);
    await c.world.alice.closeAllPositions({ category: 'USDT-FUTURES' });
  }),
  createOrderWithTakeProfitAndStopLoss: row('both are preset on the order', async (c) => {
    const price = await low(c);
    const [profit, loss] = [price * 1.05, price * 0.95].map((each) => Number(each.toFixed(1)));
    const { id } = await c.me.createOrderWithTakeProfitAndStopLoss(
      SWAP,
      'limit',
      'buy',
      0.01,
      price,
      profit,
      loss,
    );
    const order = (await c.world.alice.getOrderInfo({ orderId: id! })).data as unknown as Record<
      string,
      string
    >;
    assert.deepEqual([Number(order.takeProfit), Number(order.stopLoss)], [profit, loss]);
    await cleared(c);
  }),
};
