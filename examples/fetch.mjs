/**
 * No library at all: signing, requests and the stream with what Node has. Place orders, change one, follow them, cancel
 * them. The program goes on when the exchange is restarted underneath it, and no order is placed twice.
 *
 *   node examples/fetch.mjs          ORDERS=40 node examples/fetch.mjs
 */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const api = process.env.BOURSE_URL ?? 'http://127.0.0.1:8787';
const count = Number(process.env.ORDERS ?? 3);
const run = Date.now().toString(36);
const key = process.env.BOURSE_API_KEY ?? 'demo-bot';
const secret = process.env.BOURSE_SECRET_KEY ?? 'demo-bot-secret';
const passphrase = process.env.BOURSE_PASSPHRASE ?? 'demo';

const sign = (text) => createHmac('sha256', secret).update(text).digest('base64');

/** Signed are the time, the method, the path with its query, and the body as sent. */
async function call(method, path, body) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const timestamp = String(Date.now());
  const answer = await fetch(api + path, {
    method,
    headers: {
      'ACCESS-KEY': key,
      'ACCESS-SIGN': sign(timestamp + method + path + text),
      'ACCESS-TIMESTAMP': timestamp,
      'ACCESS-PASSPHRASE': passphrase,
      'Content-Type': 'application/json',
    },
    ...(text !== '' && { body: text }),
  });
  return answer.json();
}

/** Until the exchange answers; a limit that was reached is waited out. */
async function patiently(...request) {
  for (;;) {
    const answer = await call(...request).catch(() => undefined);
    if (answer !== undefined && answer.code !== '429') return answer;
    console.log('waiting');
    await sleep(300);
  }
}

/** A lost answer leaves the outcome open: the client id tells whether the order is there. */
async function placeOnce(clientOid, price) {
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.001' };
  for (;;) {
    const answer = await call('POST', '/api/v3/trade/place-order', { ...order, price, clientOid }).catch(
      () => undefined,
    );
    if (answer?.code === '00000') return answer.data;
    if (answer !== undefined && !['429', '25212'].includes(answer.code)) throw new Error(answer.msg);
    await sleep(300);
    const found = await patiently('GET', `/api/v3/trade/order-info?clientOid=${clientOid}`);
    if (found.code === '00000') return found.data;
  }
}

// Node has a WebSocket of its own since version 22.
const Socket = globalThis.WebSocket ?? (await import('ws')).WebSocket;
const seen = new Set();
let isSubscribed;
const subscribed = new Promise((resolve) => {
  isSubscribed = resolve;
});
let following = true;
let socket;
/** A connection that is lost is opened again. */
function follow() {
  socket = new Socket(`${api.replace('http', 'ws')}/v3/ws/private`);
  socket.onopen = () => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const login = { apiKey: key, passphrase, timestamp, sign: sign(`${timestamp}GET/user/verify`) };
    socket.send(JSON.stringify({ op: 'login', args: [login] }));
  };
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(data);
    if (frame.event === 'login') {
      socket.send(JSON.stringify({ op: 'subscribe', args: [{ instType: 'UTA', topic: 'order' }] }));
    }
    if (frame.event === 'subscribe') isSubscribed();
    for (const order of frame.data ?? []) seen.add(order.orderId);
  };
  socket.onerror = () => {};
  socket.onclose = () => following && setTimeout(follow, 300);
}

follow();
const { data: account } = await patiently('GET', '/api/v3/account/assets');
console.log(`balance ${account.assets.find(({ coin }) => coin === 'USDT').available} USDT`);
// Orders placed before the subscription are not pushed.
await subscribed;

const placed = [];
for (let n = 0; n < count; n++) placed.push(await placeOnce(`${run}-${n}`, '30000'));
const [{ orderId: first }] = placed;
await patiently('POST', '/api/v3/trade/modify-order', { orderId: first, price: '30100' });

const { data: open } = await patiently('GET', '/api/v3/trade/unfilled-orders?category=SPOT&symbol=BTCUSDT');
const mine = open.list.filter(({ clientOid }) => clientOid.startsWith(run));
console.log(
  `${mine.length} of ${count} orders open, ${new Set(mine.map((each) => each.orderId)).size} different`,
);
for (const { orderId } of mine) await patiently('POST', '/api/v3/trade/cancel-order', { orderId });
const { data: last } = await patiently('GET', `/api/v3/trade/order-info?orderId=${first}`);
console.log(`the first was changed to ${last.price} and is ${last.orderStatus}`);

// The last push may be a moment behind the last answer.
for (let n = 0; n < 100 && seen.size === 0; n++) await sleep(100);
console.log(`${seen.size > 0 ? 'seen' : 'nothing seen'} on the stream`);
following = false;
socket.close();
