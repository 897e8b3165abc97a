/** ccxt's methods about orders that wait for a price. */
import assert from 'node:assert/strict';
import { type Calls, type CcxtWorld, cleared, low, row, SWAP } from './world.ts';

const stops = new Map<string, string>();

type Plan = Readonly<Record<string, string>>;

/** What waits for a price is the one order of that id, and says so; then it is taken away. */
async function waits({ world }: CcxtWorld, id: string | undefined, shown: Plan): Promise<void> {
  const waiting = (await world.alice.getUnfilledStrategyOrders({ category: 'USDT-FUTURES' } as never))
    .data as unknown as Plan[];
  assert.deepEqual(
    waiting.map((plan) => ({ orderId: plan.orderId, ...pick(plan, Object.keys(shown)) })),
    [{ orderId: id, ...shown }],
  );
  await world.alice.cancelStrategyOrder({ orderId: id! });
}

const pick = (plan: Plan, fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, plan[field]]));

/** A price as the contract tells it: one decimal, none when it is a zero. */
const told = (price: number) => String(Number(price.toFixed(1)));

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

const PLANNED = { type: 'trigger', side: 'buy', qty: '0.01' };

export const STRATEGY_CALLS: Calls = {
  createTriggerOrder: row('waits below the market', async (c) => {
    const price = await low(c);
    const { id } = await c.me.createTriggerOrder(SWAP, 'market', 'buy', 0.01, undefined, price);
    await waits(c, id, { ...PLANNED, triggerOrderType: 'market', triggerPrice: told(price) });
  }),
  createStopOrder: row('the same by another name', async (c) => {
    const price = await low(c);
    const { id } = await c.me.createStopOrder(SWAP, 'market', 'buy', 0.01, undefined, price);
    await waits(c, id, { ...PLANNED, triggerOrderType: 'market', triggerPrice: told(price) });
  }),
  createStopMarketOrder: row('a market order waits', async (c) => {
    const price = await low(c);
    const { id } = await c.me.createStopMarketOrder(SWAP, 'buy', 0.01, price);
    await waits(c, id, { ...PLANNED, triggerOrderType: 'market', triggerPrice: told(price) });
  }),
  createStopLimitOrder: row('a limit order waits', async (c) => {
    const price = await low(c);
    const { id } = await c.me.createStopLimitOrder(SWAP, 'buy', 0.01, price, price);
    const prices = { triggerPrice: told(price), triggerOrderPrice: told(price) };
    await waits(c, id, { ...PLANNED, triggerOrderType: 'limit', ...prices });
  }),
  createStopLossOrder: row('guards a position', async (c) => {
    await opened(c);
    const stop = Number((await low(c)).toFixed(1));
    const { id } = await c.me.createStopLossOrder(SWAP, 'market', 'sell', 0.01, undefined, stop, {
      reduceOnly: true,
    });
    await waits(c, id, { type: 'tpsl', side: 'sell', qty: '0.01', stopLoss: told(stop) });
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
    await waits(c, id, { type: 'tpsl', side: 'sell', qty: '0.01', takeProfit: told(profit) });
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
    await waits(c, id, { side: 'sell', qty: '0.01', callbackRatio: '2', triggerPrice: told(activation) });
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
