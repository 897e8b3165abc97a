/** ccxt's methods that watch a stream. */
import assert from 'node:assert/strict';
import { positive, some, until } from '../checks.ts';
import type { World } from '../world.ts';
import { type Calls, cleared, low, row, SPOT, SWAP } from './world.ts';

/** The channels of an account push nothing that was before a subscription, and the client does not say when it has one. */
async function subscribed<T>(
  world: World,
  watch: () => Promise<T>,
): Promise<{ readonly watched: Promise<T> }> {
  const count = async () => {
    const text = await (await fetch(`${world.server.url}/metrics`)).text();
    return Number(/^bourse_stream_subscriptions (\S+)$/m.exec(text)![1]);
  };
  const known = await count();
  const watched = watch();
  await until('a subscription', async () => ((await count()) > known ? true : undefined));
  return { watched };
}

export const STREAM_CALLS: Calls = {
  // A book that has not traded yet has no last price; the push after its first trade has.
  watchTicker: row('pushed', async ({ me }) =>
    until('a last price', async () => (await me.watchTicker(SPOT)).last || undefined),
  ),
  watchTickers: row('pushed', async ({ me }) =>
    until('a last price', async () => (await me.watchTickers(['ETH/USDT']))['ETH/USDT']!.last || undefined),
  ),
  watchBidsAsks: row('pushed', async ({ me }) =>
    positive((await me.watchBidsAsks([SPOT]))[SPOT]!.bid, 'bid'),
  ),
  watchOrderBook: row('a book that grows with updates', async ({ me }) => {
    await me.watchOrderBook(SPOT);
    const { asks, bids } = await me.watchOrderBook(SPOT);
    assert.ok(Number(asks[0]![0]) > Number(bids[0]![0]));
  }),
  'watchOrderBook, limit': row('1, 5, 15 and 50 levels', async ({ me }) => {
    for (const [symbol, limit] of [
      ['SOL/USDT', 1],
      ['XRP/USDT', 5],
      ['DOGE/USDT', 15],
      ['LTC/USDT', 50],
    ] as const) {
      const { asks } = await me.watchOrderBook(symbol, limit);
      assert.ok(asks.length > 0 && asks.length <= limit, `${symbol} ${asks.length}`);
    }
  }),
  watchOrderBookForSymbols: row('pushed', async ({ me }) =>
    some((await me.watchOrderBookForSymbols(['ETH/USDT'])).asks, 'asks'),
  ),
  watchTrades: row('pushed', async ({ me }) => positive((await me.watchTrades(SPOT))[0]!.price, 'price')),
  watchTradesForSymbols: row('pushed', async ({ me }) => {
    const [trade] = await me.watchTradesForSymbols(['ETH/USDT']);
    assert.equal(trade!.symbol, 'ETH/USDT');
    positive(trade!.price, 'price');
  }),
  watchOHLCV: row('pushed', async ({ me }) => positive((await me.watchOHLCV(SPOT, '1m'))[0]![1], 'open')),
  watchBalance: row('pushed', async ({ me }) => positive((await me.watchBalance()).USDT!.total, 'USDT')),
  watchOrders: row('an order as it is placed', async (c) => {
    const { watched } = await subscribed(c.world, () => c.me.watchOrders(SPOT));
    const order = {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      qty: '0.001',
    } as const;
    const { orderId } = (await c.world.alice.submitNewOrder({ ...order, price: String(await low(c)) })).data;
    const [watchedOrder] = await watched;
    assert.deepEqual(
      [watchedOrder!.id, watchedOrder!.amount, watchedOrder!.status],
      [orderId, 0.001, 'open'],
    );
    await cleared(c);
  }),
  watchMyTrades: row('a fill as it happens', async ({ me, world }) => {
    const { watched } = await subscribed(world, () => me.watchMyTrades(SPOT));
    const order = {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'sell',
      orderType: 'market',
      qty: '0.001',
    } as const;
    const { orderId } = (await world.alice.submitNewOrder(order)).data;
    const [trade] = await watched;
    assert.deepEqual([trade!.order, trade!.side, trade!.amount], [orderId, 'sell', 0.001]);
  }),
  unWatchTicker: row('the stream ends', async ({ me }) => assert.equal(await me.unWatchTicker(SPOT), true)),
  unWatchOrderBook: row('the stream ends', async ({ me }) =>
    assert.equal(await me.unWatchOrderBook(SPOT), true),
  ),
  unWatchTrades: row('the stream ends', async ({ me }) => assert.equal(await me.unWatchTrades(SPOT), true)),
  unWatchOHLCV: row('asked for; ccxt itself never says that it has ended (wire 6.4)', async ({ me }) => {
    void me.unWatchOHLCV(SPOT, '1m').catch(() => undefined);
    positive((await me.watchTicker('ETH/USDT')).last, 'last');
  }),
  watchPositions: row('the positions there are', async ({ me, world }) => {
    const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'market', qty: '0.01' } as const;
    await world.alice.submitNewOrder({ ...order, side: 'buy' });
    const [position] = await me.watchPositions([SWAP]);
    assert.deepEqual([position!.symbol, position!.side, position!.contracts], [SWAP, 'long', 0.01]);
    await world.alice.closeAllPositions({ category: 'USDT-FUTURES' });
  }),
};
