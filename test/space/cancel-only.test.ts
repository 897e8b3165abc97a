/** What a venue that is short of memory or space still takes: whatever makes orders and requests go away. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import pino from 'pino';
import { resolveConfig } from '../../src/app/config/resolve-config.ts';
import { type RunningExchange, startExchange } from '../../src/app/start/start-exchange.ts';
import { type Reply, SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const SPOT = { category: 'SPOT', symbol: 'BTCUSDT' };

let exchange: RunningExchange;
let client: SignedClient;

before(async () => {
  const resolved = await resolveConfig({
    flags: {
      port: '0',
      operatorPort: '0',
      market: 'off',
      rateLimits: 'off',
      segmentBytes: '1048576',
      data: join(temporaryDirectory(), 'data'),
    },
    environment: {},
    directory: temporaryDirectory(),
  });
  exchange = await startExchange(resolved, pino({ level: 'silent' }), (error) => {
    throw error;
  });
  const { account, uid } = exchange.demoAccounts[0]!;
  client = new SignedClient(exchange.url, { ...account, uid });
});
beforeEach(() => {
  exchange.sequencer.memoryShort = false;
});
after(async () => {
  client.close();
  exchange.sequencer.memoryShort = false;
  await exchange.stop();
});

const post = (path: string, body: unknown): Promise<Reply> => client.post(`/api/v3/${path}`, body);
const must = async (path: string, body: unknown): Promise<Reply> => {
  const reply = await post(path, body);
  assert.equal(reply.code, '00000', reply.text);
  return reply;
};
const refused = async (path: string, body: unknown): Promise<void> => {
  const reply = await post(path, body);
  assert.equal(reply.status, 429, reply.text);
  assert.match(reply.msg, /only cancellations are taken/);
};

const limitOrder = (clientOid: string) => ({
  ...SPOT,
  side: 'buy',
  orderType: 'limit',
  price: '59000',
  qty: '0.01',
  clientOid,
});
const strategy = (clientOid: string) => ({
  ...SPOT,
  type: 'trigger',
  side: 'sell',
  qty: '0.01',
  triggerPrice: '50000',
  triggerOrderType: 'market',
  clientOid,
});

test('strategy orders can be cancelled, and none placed or changed', async () => {
  await must('trade/place-strategy-order', strategy('plan'));
  exchange.sequencer.memoryShort = true;
  await refused('trade/place-strategy-order', strategy('another'));
  await refused('trade/modify-strategy-order', { clientOid: 'plan', triggerPrice: '51000' });
  await must('trade/cancel-strategy-order', { clientOid: 'plan' });
});

test('an order may be made smaller, and not larger, dearer or protected', async () => {
  await must('trade/place-order', limitOrder('reduced'));
  exchange.sequencer.memoryShort = true;
  const change = (values: object) => ({ ...SPOT, clientOid: 'reduced', ...values });
  await refused('trade/modify-order', change({ qty: '0.02' }));
  await refused('trade/modify-order', change({ qty: '0.009', price: '58000' }));
  await refused('trade/modify-order', change({ price: '59001' }));
  await must('trade/modify-order', change({ qty: '0.009' }));
  await must('trade/modify-order', change({ qty: '0.008', price: '59000' }));
  const { data } = await client.get('/api/v3/trade/order-info', { clientOid: 'reduced' });
  assert.equal(data.qty, '0.008');
  await must('trade/cancel-order', { clientOid: 'reduced' });
});

test('a withdrawal can be taken back, and not asked for', async () => {
  const withdrawal = (clientOid: string) => ({
    coin: 'USDT',
    transferType: 'on_chain',
    chain: 'TRC20',
    address: 'TFcWfiw5p5DDZ6vi6Bktf7yK1asRYLpN33',
    size: '25',
    clientOid,
  });
  const { data } = await must('account/withdrawal', withdrawal('taken-back'));
  exchange.sequencer.memoryShort = true;
  await refused('account/withdrawal', withdrawal('another'));
  await must('account/cancel-withdrawal', { orderId: data.orderId });
});

test('everything can be cancelled at once, and the countdown set', async () => {
  await must('trade/place-order', limitOrder('all'));
  exchange.sequencer.memoryShort = true;
  await must('trade/countdown-cancel-all', { countdown: '0' });
  const { data } = await must('trade/cancel-symbol-order', SPOT);
  assert.equal(data.list.length, 1);
});
