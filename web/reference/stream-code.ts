/** A subscription as a program that runs as pasted. */
import type { Keys } from '../wire/code.ts';
import { WATCHED } from './ccxt-methods.ts';

export interface Subscription {
  readonly topic: string;
  readonly instType: string;
  readonly symbol?: string;
  readonly interval?: string;
}

export const STREAM_PROGRAMS = ['JavaScript', 'SDK', 'ccxt JS'] as const;
export type StreamProgram = (typeof STREAM_PROGRAMS)[number];

const isPrivate = ({ instType }: Subscription): boolean => instType === 'UTA';
const addressOf = (origin: string, subscription: Subscription): string =>
  `${origin.replace(/^http/, 'ws')}/v3/ws/${isPrivate(subscription) ? 'private' : 'public'}`;

export function streamProgram(
  program: StreamProgram,
  subscription: Subscription,
  origin: string,
  keys: Keys,
): string {
  switch (program) {
    case 'JavaScript':
      return isPrivate(subscription)
        ? signedSocket(subscription, origin, keys)
        : socket(subscription, origin);
    case 'SDK':
      return sdk(subscription, origin, keys);
    case 'ccxt JS':
      return ccxt(subscription, origin, keys);
  }
}

const subscribe = (subscription: Subscription): string =>
  `socket.send(JSON.stringify({ op: 'subscribe', args: [${JSON.stringify(subscription)}] }))`;

function socket(subscription: Subscription, origin: string): string {
  return `const socket = new WebSocket('${addressOf(origin, subscription)}');
socket.onopen = () => ${subscribe(subscription)};
socket.onmessage = ({ data }) => console.log(data);
setInterval(() => socket.send('ping'), 20_000);
`;
}

function signedSocket(
  subscription: Subscription,
  origin: string,
  { apiKey, secretKey, passphrase }: Keys,
): string {
  return `import { createHmac } from 'node:crypto';

const socket = new WebSocket('${addressOf(origin, subscription)}');
socket.onopen = () => {
  const timestamp = String(Date.now());
  const sign = createHmac('sha256', '${secretKey}').update(\`\${timestamp}GET/user/verify\`).digest('base64');
  const login = { apiKey: '${apiKey}', passphrase: '${passphrase}', timestamp, sign };
  socket.send(JSON.stringify({ op: 'login', args: [login] }));
};
socket.onmessage = ({ data }) => {
  console.log(data);
  if (data.includes('"event":"login"')) ${subscribe(subscription)};
};
setInterval(() => socket.send('ping'), 20_000);
`;
}

function sdk(subscription: Subscription, origin: string, { apiKey, secretKey, passphrase }: Keys): string {
  const { topic, ...payload } = subscription;
  const key = isPrivate(subscription) ? 'v3Private' : 'v3Public';
  return `import { WebsocketClientV3, WS_KEY_MAP } from 'bitget-api';

const client = new WebsocketClientV3({
  wsUrl: '${addressOf(origin, subscription)}',
  apiKey: '${apiKey}',
  apiSecret: '${secretKey}',
  apiPass: '${passphrase}',
});
client.on('update', (push) => console.log(JSON.stringify(push)));
client.subscribe({ topic: '${topic}', payload: ${JSON.stringify(payload)} }, WS_KEY_MAP.${key});
`;
}

/** Arguments behind the symbol. */
function watchedWith({ topic, interval = '15m' }: Subscription): string {
  const [, levels] = /^books(\d+)$/.exec(topic) ?? [];
  if (levels !== undefined) return `, ${levels}`;
  return topic === 'kline' ? `, '${interval.toLowerCase()}'` : '';
}

function ccxt(subscription: Subscription, origin: string, { apiKey, secretKey, passphrase }: Keys): string {
  const { topic, symbol, instType } = subscription;
  const method = WATCHED[topic];
  if (method === undefined) return `// ccxt has no method for the topic ${topic}.\n`;
  const streams = origin.replace(/^http/, 'ws');
  const type = instType === 'spot' ? 'spot' : 'swap';
  const market = `exchange.safeMarket('${symbol}', undefined, undefined, '${type}').symbol`;
  const args = symbol === undefined ? '' : `${market}${watchedWith(subscription)}`;
  return `import ccxt from 'ccxt';

const api = '${origin}';
const exchange = new ccxt.pro.bitget({
  apiKey: '${apiKey}',
  secret: '${secretKey}',
  password: '${passphrase}',
  options: { uta: true },
  urls: {
    api: {
      uta: api, spot: api, common: api, mix: api,
      ws: { utaPublic: '${streams}/v3/ws/public', utaPrivate: '${streams}/v3/ws/private' },
    },
  },
});
await exchange.loadMarkets();
for (;;) console.log(await exchange.${method}(${args}));
`;
}
