/** Short programs that trade on a running exchange, one for each client library (wire 7). */

export interface Access {
  /** URL of the exchange. */
  readonly url: string;
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
}

export const CLIENT_KINDS = ['ccxt-js', 'ccxt-py', 'sdk', 'curl'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

const SNIPPETS: Readonly<Record<ClientKind, (access: Access) => string>> = {
  'ccxt-js': ({ url, apiKey, secretKey, passphrase }) => `\
import ccxt from 'ccxt';

const api = '${url}';
const exchange = new ccxt.bitget({
  apiKey: '${apiKey}',
  secret: '${secretKey}',
  password: '${passphrase}',
  options: { uta: true },
  urls: { api: { uta: api, spot: api, common: api, mix: api } },
});

const order = await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 30000);
console.log(await exchange.fetchOpenOrders('BTC/USDT'));
await exchange.cancelOrder(order.id, 'BTC/USDT');

await exchange.createOrder('BTC/USDT', 'market', 'sell', 0.001);
console.log(await exchange.fetchMyTrades('BTC/USDT'));
`,
  'ccxt-py': ({ url, apiKey, secretKey, passphrase }) => `\
import ccxt

exchange = ccxt.bitget({
    "apiKey": "${apiKey}",
    "secret": "${secretKey}",
    "password": "${passphrase}",
    "options": {"uta": True},
})
for name in ("uta", "spot", "common", "mix"):
    exchange.urls["api"][name] = "${url}"

order = exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 30000)
print(exchange.fetch_open_orders("BTC/USDT"))
exchange.cancel_order(order["id"], "BTC/USDT")

exchange.create_order("BTC/USDT", "market", "sell", 0.001)
print(exchange.fetch_my_trades("BTC/USDT"))
`,
  sdk: ({ url, apiKey, secretKey, passphrase }) => `\
import { RestClientV3 } from 'bitget-api';

const client = new RestClientV3({
  baseUrl: '${url}',
  apiKey: '${apiKey}',
  apiSecret: '${secretKey}',
  apiPass: '${passphrase}',
});

const order = await client.submitNewOrder({
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '30000',
  qty: '0.001',
});
console.log((await client.getUnfilledOrders()).data.list);
await client.cancelOrder({ orderId: order.data.orderId });

await client.submitNewOrder({
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'sell',
  orderType: 'market',
  qty: '0.001',
});
console.log((await client.getTradeFills({ category: 'SPOT' })).data.list);
`,
  curl: ({ url, apiKey, secretKey, passphrase }) => `\
API='${url}'
BODY='{"category":"SPOT","symbol":"BTCUSDT","side":"buy","orderType":"limit","price":"30000","qty":"0.001"}'
TIME="$(date +%s)000"
SIGN=$(printf '%s' "\${TIME}POST/api/v3/trade/place-order\${BODY}" |
  openssl dgst -sha256 -hmac '${secretKey}' -binary | base64)
curl -s -w '\\n' "$API/api/v3/trade/place-order" -d "$BODY" -H 'Content-Type: application/json' \\
  -H 'ACCESS-KEY: ${apiKey}' -H "ACCESS-SIGN: $SIGN" \\
  -H "ACCESS-TIMESTAMP: $TIME" -H 'ACCESS-PASSPHRASE: ${passphrase}'
`,
};

export function clientSnippet(kind: ClientKind, access: Access): string {
  return SNIPPETS[kind](access);
}
