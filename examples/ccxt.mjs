/**
 * ccxt: place orders, change one, follow them on the stream, cancel them. The program goes on when the exchange is
 * restarted underneath it, and no order is placed twice.
 *
 *   node examples/ccxt.mjs          ORDERS=40 node examples/ccxt.mjs
 */
import { setTimeout as sleep } from 'node:timers/promises';
import ccxt from 'ccxt';

const api = process.env.BOURSE_URL ?? 'http://127.0.0.1:8787';
const stream = api.replace('http', 'ws');
const count = Number(process.env.ORDERS ?? 3);
const run = Date.now().toString(36);

const exchange = new ccxt.pro.bitget({
  apiKey: process.env.BOURSE_API_KEY ?? 'demo-alice',
  secret: process.env.BOURSE_SECRET_KEY ?? 'demo-alice-secret',
  password: process.env.BOURSE_PASSPHRASE ?? 'demo',
  options: { uta: true },
  urls: {
    api: {
      uta: api,
      spot: api,
      common: api,
      mix: api,
      ws: { utaPublic: `${stream}/v3/ws/public`, utaPrivate: `${stream}/v3/ws/private` },
    },
  },
});
// ccxt needs this once for streams over plain ws://.
await exchange.loadHttpProxyAgent();

/** Until the exchange answers again. */
async function patiently(call) {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ccxt.NetworkError)) throw error;
      console.log(`waiting: ${error.constructor.name}`);
      await sleep(300);
    }
  }
}

/** A lost answer leaves the outcome open: the client id tells whether the order is there. */
async function placeOnce(clientOrderId, price) {
  for (;;) {
    try {
      return await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, price, { clientOrderId });
    } catch (error) {
      const taken = /"code":"25212"/.test(error.message);
      if (!taken && !(error instanceof ccxt.NetworkError)) throw error;
      const open = await patiently(() => exchange.fetchOpenOrders('BTC/USDT'));
      const found = open.find((order) => order.clientOrderId === clientOrderId);
      if (found !== undefined) return found;
    }
  }
}

const seen = new Set();
let following = true;
async function follow() {
  while (following) {
    const orders = await exchange.watchOrders('BTC/USDT').catch(() => sleep(300, []));
    for (const order of orders) seen.add(order.id);
  }
}

await patiently(() => exchange.loadMarkets());
const balance = await patiently(() => exchange.fetchBalance());
console.log(`balance ${balance.USDT.free} USDT`);
const followed = follow();
// Orders placed before the subscription are not pushed; when the balance is, what was subscribed before it is too.
await patiently(() => exchange.watchBalance());

const placed = [];
for (let n = 0; n < count; n++) placed.push(await placeOnce(`${run}-${n}`, 30_000));
await patiently(() => exchange.editOrder(placed[0].id, 'BTC/USDT', 'limit', 'buy', 0.001, 30_100));

const open = await patiently(() => exchange.fetchOpenOrders('BTC/USDT'));
const mine = open.filter((order) => order.clientOrderId.startsWith(run));
console.log(`${mine.length} of ${count} orders open, ${new Set(mine.map(({ id }) => id)).size} different`);
for (const { id } of mine) await patiently(() => exchange.cancelOrder(id, 'BTC/USDT'));
const last = await patiently(() => exchange.fetchOrder(placed[0].id, 'BTC/USDT'));
console.log(`the first was changed to ${last.price} and is ${last.status}`);

// The last push may be a moment behind the last answer.
for (let n = 0; n < 100 && seen.size === 0; n++) await sleep(100);
console.log(`${seen.size > 0 ? 'seen' : 'nothing seen'} on the stream`);
following = false;
await exchange.close();
await followed;
