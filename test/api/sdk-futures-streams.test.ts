/** The SDK's socket clients, unmodified, on contracts of every category: both roles, and orders over the socket. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type WebsocketAPIClient, WebsocketClientV3, WS_KEY_MAP } from 'bitget-api';
import { openPerpetuals, PERPETUALS } from '../harness/contracts.ts';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import type { Frame } from '../harness/stream-client.ts';
import { type SdkClient, sdkClient } from './clients.ts';
import { isPush, Listener, ordersOverSocket, SILENT, socketSettings } from './sdk-listener.ts';

const { v3Public, v3Private } = WS_KEY_MAP;

let server: TestServer;
let rest: SdkClient;
let bob: SdkClient;
let orders: WebsocketAPIClient;

before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
  await openPerpetuals(server, '60000');
  rest = sdkClient(server.url, server.account('alice'));
  bob = sdkClient(server.url, server.account('bob'));
  orders = ordersOverSocket(server.url, server.account('alice'));
});

after(async () => {
  Listener.closeAll();
  await server.stop();
});

for (const { category, symbol } of PERPETUALS) {
  const instType = category.toLowerCase() as 'usdt-futures' | 'coin-futures' | 'usdc-futures';
  const order = (side: 'buy' | 'sell', price: string, clientOid?: string) => ({
    symbol,
    side,
    orderType: 'limit' as const,
    timeInForce: 'gtc' as const,
    price,
    qty: '0.01',
    ...(clientOid !== undefined && { clientOid }),
  });

  describe(category, () => {
    test('public topics: ticker with mark and funding, book, trades and candles of a trade, liquidation subscribed', async () => {
      const listener = new Listener(
        new WebsocketClientV3(socketSettings(server.url, '/v3/ws/public'), SILENT),
      );
      const payload = { instType, symbol };
      const topics = ['ticker', 'books', 'books1', 'books5', 'books50', 'publicTrade', 'liquidation'];
      void listener.client.subscribe(
        topics.map((topic) => ({ topic: topic as 'ticker', payload })),
        v3Public,
      );
      void listener.client.subscribe({ topic: 'kline', payload: { ...payload, interval: '1m' } }, v3Public);
      for (const topic of [...topics, 'kline']) {
        await listener.until((frame) => frame.event === 'subscribe' && frame.arg.topic === topic);
      }
      const [ticker] = (await listener.until(isPush('ticker'))).data;
      assert.deepEqual([ticker.symbol, ticker.markPrice, ticker.indexPrice], [symbol, '60000', '60000']);
      const from = listener.heard.length;
      await bob.submitNewOrder({ category, ...order('sell', '60000') });
      await rest.submitNewOrder({ category, ...order('buy', '60000') });
      const [trade] = (await listener.until(isPush('publicTrade'), from)).data;
      assert.deepEqual([trade.p, trade.P, trade.S], ['60000', '60000', 'buy']);
      const isOfTrade = (frame: Frame) => isPush('kline')(frame) && frame.data.at(-1).close === '60000';
      const candle = await listener.until(isOfTrade);
      assert.equal(candle.arg.interval, '1m');
      const [book] = (await listener.until(isPush('books'))).data;
      assert.deepEqual([book.pseq, 'checksum' in book], [0, false]);
      listener.client.closeAll(true);
    });

    test('private topics: an order over the socket is pushed as order, fill, position and account', async () => {
      const listener = new Listener(
        new WebsocketClientV3(socketSettings(server.url, '/v3/ws/private', server.account('alice')), SILENT),
      );
      for (const topic of ['account', 'position', 'order', 'fill'] as const) {
        void listener.client.subscribe({ topic, payload: { instType: 'UTA' } }, v3Private);
      }
      for (const topic of ['account', 'position', 'order', 'fill']) {
        await listener.until((frame) => frame.event === 'subscribe' && frame.arg.topic === topic);
      }
      await bob.submitNewOrder({ category, ...order('sell', '60010') });
      const clientOid = `fills-${instType}`;
      const from = listener.heard.length;
      const reply: Frame = await orders.submitNewOrder(instType, order('buy', '60010', clientOid));
      assert.deepEqual([reply.code, reply.category, reply.args[0].symbol], ['0', instType, symbol]);
      const { orderId } = reply.args[0];
      const holds = (topic: string, fits: (record: Frame) => boolean) => (frame: Frame) =>
        isPush(topic)(frame) && frame.data.some(fits);
      const mine = (record: Frame) => record.orderId === orderId;
      const pushed = (await listener.until(holds('order', mine))).data.find(mine);
      assert.deepEqual(
        [pushed.category, pushed.clientOid, pushed.holdMode, pushed.holdSide, pushed.tradeSide],
        [instType, clientOid, 'one_way_mode', 'net', 'open'],
      );
      const fill = (await listener.until(holds('fill', mine))).data.find(mine);
      assert.deepEqual([fill.category, fill.execPrice, fill.execQty], [instType, '60010', '0.01']);
      const isOpen = (record: Frame) => record.symbol === symbol && record.positionStatus === 'opening';
      const position = (await listener.until(holds('position', isOpen), from)).data.find(isOpen);
      // With what the trade before has opened.
      assert.deepEqual([position.size, position.posSide, position.avgPrice], ['0.02', 'long', '60005']);
      await listener.until(isPush('account'), from);
      const { data } = await rest.getTradeFills({ category, orderId });
      assert.deepEqual(
        data.list.map(({ execId }) => execId),
        [fill.execId],
      );
      listener.client.closeAll(true);
    });

    test('orders over the socket: refused like over HTTP, batches, cancelled by both ids', async () => {
      const tooMuch = { ...order('buy', '50000'), qty: '9999' };
      const refused = await orders.submitNewOrder(instType, tooMuch).then(
        () => assert.fail('the venue accepted what it should refuse'),
        (error: Frame) => error,
      );
      const http = await rest.submitNewOrder({ category, ...tooMuch }).catch((error) => error);
      assert.deepEqual([refused.code, refused.msg], [http.body.code, http.body.msg]);
      const placed: Frame = await orders.placeBatchOrders(instType, [
        order('buy', '59000', `b1-${instType}`),
        order('buy', '58000', `b2-${instType}`),
      ]);
      assert.deepEqual(
        placed.args.map((item: Frame) => [item.code, item.symbol]),
        [
          ['0', symbol],
          ['0', symbol],
        ],
      );
      const cancelled: Frame = await orders.cancelOrder(instType, { clientOid: `b1-${instType}` });
      assert.equal(cancelled.args[0].orderId, placed.args[0].orderId);
      const others: Frame = await orders.cancelBatchOrders(instType, [{ orderId: placed.args[1].orderId }]);
      assert.deepEqual(
        others.args.map((item: Frame) => item.code),
        ['0'],
      );
      const { data } = await rest.getUnfilledOrders({ category });
      assert.deepEqual(data.list ?? [], []);
    });
  });
}
