/**
 * The vendor's SDK: place orders, change one, follow them on the stream, cancel them. The program goes on when the
 * exchange is restarted underneath it, and no order is placed twice.
 *
 *   node examples/sdk.mjs          ORDERS=40 node examples/sdk.mjs
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RestClientV3, WebsocketClientV3, WS_KEY_MAP } from 'bitget-api';

const api = process.env.BOURSE_URL ?? 'http://127.0.0.1:8787';
const count = Number(process.env.ORDERS ?? 3);
const run = Date.now().toString(36);
const keys = {
  apiKey: process.env.BOURSE_API_KEY ?? 'demo-bob',
  apiSecret: process.env.BOURSE_SECRET_KEY ?? 'demo-bob-secret',
  apiPass: process.env.BOURSE_PASSPHRASE ?? 'demo',
};

const client = new RestClientV3({ baseUrl: api, ...keys });
const silent = { trace() {}, info() {}, error() {} };
const socket = new WebsocketClientV3(
  { wsUrl: `${api.replace('http', 'ws')}/v3/ws/private`, ...keys },
  silent,
);

/** The exchange's refusals carry an envelope; what carries none never reached it, or its answer was lost. */
const isRefusal = (error) => error?.body?.code !== undefined && error.body.code !== '429';

async function patiently(call) {
  for (;;) {
    try {
      return (await call()).data;
    } catch (error) {
      if (isRefusal(error)) throw error;
      console.log('waiting');
      await sleep(300);
    }
  }
}

/** A lost answer leaves the outcome open: the client id tells whether the order is there. */
async function placeOnce(clientOid, price) {
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.001' };
  for (;;) {
    try {
      return (await client.submitNewOrder({ ...order, price, clientOid })).data;
    } catch (error) {
      if (isRefusal(error) && error.body.code !== '25212') throw error;
      await sleep(300);
      const found = await patiently(() => client.getOrderInfo({ clientOid })).catch(() => undefined);
      if (found !== undefined) return found;
    }
  }
}

const seen = new Set();
socket.on('update', ({ data }) => {
  for (const { orderId } of data) seen.add(orderId);
});
socket.on('exception', () => {});
const subscribed = new Promise((resolve) => {
  socket.on('response', ({ event }) => event === 'subscribe' && resolve());
});
// The client logs in and subscribes by itself, and again whenever the connection is lost.
socket.subscribe({ topic: 'order', payload: { instType: 'UTA' } }, WS_KEY_MAP.v3Private);

const { assets } = await patiently(() => client.getBalances());
console.log(`balance ${assets.find(({ coin }) => coin === 'USDT').available} USDT`);
// Orders placed before the subscription are not pushed.
await subscribed;

const placed = [];
for (let n = 0; n < count; n++) placed.push(await placeOnce(`${run}-${n}`, '30000'));
const [{ orderId: first }] = placed;
await patiently(() => client.modifyOrder({ orderId: first, price: '30100' }));

const { list } = await patiently(() => client.getUnfilledOrders({ category: 'SPOT', symbol: 'BTCUSDT' }));
const mine = list.filter(({ clientOid }) => clientOid.startsWith(run));
console.log(
  `${mine.length} of ${count} orders open, ${new Set(mine.map((each) => each.orderId)).size} different`,
);
for (const { orderId } of mine) await patiently(() => client.cancelOrder({ orderId }));
const last = await patiently(() => client.getOrderInfo({ orderId: first }));
console.log(`the first was changed to ${last.price} and is ${last.orderStatus}`);

// The last push may be a moment behind the last answer.
for (let n = 0; n < 100 && seen.size === 0; n++) await sleep(100);
console.log(`${seen.size > 0 ? 'seen' : 'nothing seen'} on the stream`);
socket.closeAll(true);
