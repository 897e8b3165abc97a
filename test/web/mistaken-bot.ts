/** A program that does what programs do wrong, so that the inspector has something to show. */
import { createHmac } from 'node:crypto';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';

const ORDER = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '50000' };
/** More than the demo account has. */
export const TOO_LARGE = { ...ORDER, qty: '1000' };

export async function makeMistakes(server: TestServer): Promise<void> {
  const keys = server.account('alice');
  const client = new SignedClient(server.url, keys);
  const place = '/api/v3/trade/place-order';
  const { data } = await client.post(place, { ...ORDER, qty: '0.02' });
  await client.get('/api/v3/trade/unfilled-orders', { category: 'SPOT' });
  await client.get('/api/v3/trade/order-info', { orderId: data.orderId });
  await client.post('/api/v3/trade/cancel-order', { orderId: data.orderId });
  await client.post('/api/v3/trade/cancel-order', { orderId: data.orderId });
  await client.post(place, { ...ORDER, qty: '0.02', size: '0.02' });
  await client.post(place, { ...ORDER, qty: '0.02', side: 'long' });
  await client.get('/api/v2/spot/trade/fills', { symbol: 'BTCUSDT' });
  await new SignedClient(server.url, keys, () => Date.now() - 95_000).get('/api/v3/account/info');
  for (let n = 0; n < 2; n++) {
    const timestamp = String(Date.now());
    const sign = createHmac('sha256', keys.secretKey)
      .update(`${timestamp}GET/api/v3/trade/fills`)
      .digest('base64');
    const target = '/api/v3/trade/fills?category=SPOT';
    await client.send('GET', target, '', { 'ACCESS-TIMESTAMP': timestamp, 'ACCESS-SIGN': sign });
  }
  await client.post(place, TOO_LARGE);
  client.close();
}
