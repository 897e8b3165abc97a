/** The SDK's two socket clients: every topic that is served, and every method that trades. */
import assert from 'node:assert/strict';
import { WebsocketAPIClient, WebsocketClientV3, WS_KEY_MAP } from 'bitget-api';
import { positive } from '../checks.ts';
import { type Row, SPOT, SWAP, type World } from '../world.ts';

// biome-ignore lint/suspicious/noExplicitAny: pushes of every shape
type Push = any;
const SILENT = { trace: () => {}, info: () => {}, error: () => {} };

const settings = (world: World, path: string, name?: string) => {
  const keys = name === undefined ? undefined : world.keys(name);
  return {
    wsUrl: `${world.server.url.replace('http', 'ws')}${path}`,
    ...(keys !== undefined && { apiKey: keys.apiKey, apiSecret: keys.secretKey, apiPass: keys.passphrase }),
  };
};

/** The first push of a topic after something was done about it. */
async function pushed(
  world: World,
  topic: string,
  payload: object,
  act: () => Promise<unknown> = async () => undefined,
): Promise<Push> {
  const isPrivate = !('symbol' in payload);
  const path = isPrivate ? '/v3/ws/private' : '/v3/ws/public';
  const client = new WebsocketClientV3(settings(world, path, isPrivate ? 'alice' : undefined), SILENT);
  try {
    const push = new Promise<Push>((resolve, reject) => {
      client.on('update', (frame: Push) => frame.arg?.topic === topic && resolve(frame));
      client.on('response', (frame: Push) => {
        if (frame.event === 'subscribe') void act().catch(reject);
      });
    });
    const key = isPrivate ? WS_KEY_MAP.v3Private : WS_KEY_MAP.v3Public;
    void client.subscribe({ topic, payload } as Parameters<typeof client.subscribe>[0], key);
    return await push;
  } finally {
    client.closeAll(true);
  }
}

const market = { instType: 'spot', symbol: SPOT.symbol } as const;
const own = { instType: 'UTA' } as const;
const sells = ({ alice }: World) =>
  alice.submitNewOrder({ ...SPOT, side: 'sell', orderType: 'market', qty: '0.001' });
const topic = (name: string, checks: string, call: Row<World>['call']): [string, Row<World>] => [
  `topic ${name}`,
  { checks, call },
];
const books = (name: string, width: number) =>
  topic(name, 'both sides', async (w) => {
    const { data } = await pushed(w, name, market);
    assert.ok(data[0].a.length > 0 && data[0].b[0].length === width);
  });

export const TOPIC_CALLS: Readonly<Record<string, Row<World>>> = Object.fromEntries([
  topic('ticker', 'a price', async (w) => {
    positive((await pushed(w, 'ticker', market)).data[0].lastPrice, 'lastPrice');
  }),
  topic('kline', 'candles', async (w) => {
    positive((await pushed(w, 'kline', { ...market, interval: '1m' })).data[0].open, 'open');
  }),
  ...['books', 'books1', 'books5', 'books15', 'books50'].map((name) => books(name, 2)),
  ...['rpi-books', 'rpi-books1', 'rpi-books5', 'rpi-books50'].map((name) => books(name, 3)),
  topic('publicTrade', 'trades', async (w) => {
    positive((await pushed(w, 'publicTrade', market)).data[0].p, 'price');
  }),
  topic('liquidation', 'a position that the operator liquidated', async (w) => {
    const contract = { instType: 'usdt-futures', symbol: 'SOLUSDT' };
    const { data } = await pushed(w, 'liquidation', contract, async () => {
      const order = { category: SWAP.category, symbol: 'SOLUSDT', side: 'buy', qty: '1' } as const;
      await w.bob.submitNewOrder({ ...order, orderType: 'market' });
      await w.operator.force('bob');
    });
    assert.equal(data[0].symbol, 'SOLUSDT');
  }),
  topic('account', 'the balances', async (w) => {
    positive((await pushed(w, 'account', own)).data[0].totalEquity, 'equity');
  }),
  topic('position', 'the position that an order opened', async (w) => {
    await w.alice.submitNewOrder({ ...SWAP, side: 'sell', orderType: 'market', qty: '0.02' });
    const [position] = (await pushed(w, 'position', own)).data;
    assert.deepEqual([position.symbol, position.posSide, position.size], [SWAP.symbol, 'short', '0.02']);
    positive(position.avgPrice, 'price');
    await w.alice.closeAllPositions({ category: SWAP.category });
  }),
  topic('order', 'an order as it fills', async (w) => {
    assert.equal((await pushed(w, 'order', own, () => sells(w))).data[0].symbol, SPOT.symbol);
  }),
  topic('fill', 'a fill', async (w) => {
    positive((await pushed(w, 'fill', own, () => sells(w))).data[0].execPrice, 'price');
  }),
  topic('fast-fill', 'a fill', async (w) => {
    positive((await pushed(w, 'fast-fill', own, () => sells(w))).data[0].execPrice, 'price');
  }),
  topic('strategy-order', 'a trigger order as it is placed and cancelled', async (w) => {
    const { data } = await pushed(w, 'strategy-order', own, async () => {
      const plan = { ...SWAP, type: 'trigger', side: 'buy', qty: '0.01', triggerOrderType: 'market' };
      const triggerPrice = await w.lowPrice(SWAP);
      const { orderId } = (await w.alice.submitStrategyOrder({ ...plan, triggerPrice } as never)).data;
      await w.alice.cancelStrategyOrder({ orderId });
    });
    assert.equal(data[0].status, 'pending');
  }),
]);

let client: WebsocketAPIClient | undefined;
/** One connection for all that trades. */
function trading(world: World): WebsocketAPIClient {
  const given = { ...settings(world, '/v3/ws/private', 'alice'), attachEventListeners: false };
  client ??= new WebsocketAPIClient(given, SILENT);
  return client;
}

export function hangUp(): void {
  client?.getWSClient().closeAll(true);
}

const placed: string[] = [];
const rest = async (w: World) =>
  ({
    symbol: SPOT.symbol,
    side: 'buy',
    orderType: 'limit',
    timeInForce: 'gtc',
    qty: '0.001',
    price: await w.lowPrice(SPOT),
  }) as const;

export const SOCKET_CALLS: Readonly<Record<string, Row<World>>> = {
  submitNewOrder: {
    checks: 'an order rests',
    call: async (w) => {
      const reply: Push = await trading(w).submitNewOrder('spot', await rest(w));
      placed.push(reply.args[0].orderId);
      const { orderStatus } = (await w.alice.getOrderInfo({ orderId: placed[0]! })).data;
      assert.equal(orderStatus, 'new');
    },
  },
  placeBatchOrders: {
    checks: 'an id for each',
    call: async (w) => {
      const order = await rest(w);
      const reply: Push = await trading(w).placeBatchOrders('spot', [order, order]);
      for (const { orderId } of reply.args) placed.push(orderId);
      assert.equal(new Set(placed).size, 3);
    },
  },
  cancelOrder: {
    checks: 'the order is gone',
    call: async (w) => {
      await trading(w).cancelOrder('spot', { orderId: placed[0]! });
      const { orderStatus } = (await w.alice.getOrderInfo({ orderId: placed[0]! })).data;
      assert.equal(orderStatus, 'cancelled');
    },
  },
  cancelBatchOrders: {
    checks: 'all are gone',
    call: async (w) => {
      await trading(w).cancelBatchOrders(
        'spot',
        placed.slice(1).map((orderId) => ({ orderId })),
      );
      assert.deepEqual((await w.alice.getUnfilledOrders()).data.list, []);
    },
  },
};

/** Methods of the client that place nothing. */
export const SOCKET_LOCAL = ['constructor', 'getWSClient', 'setTimeOffsetMs', 'setupDefaultEventListeners'];
