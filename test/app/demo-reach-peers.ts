/** Asks an exchange with `--demo-reach container` from several addresses; prints what each was told. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { startInMemory } from '../memory/in-process.ts';

const PAGE = { 'sec-fetch-site': 'same-origin' };
const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};
const PHRASES = ['private addresses only', 'does not answer under the host name'];

const exchange = await startInMemory({ host: '0.0.0.0', demoReach: 'container', market: 'off' });
const port = Number(new URL(exchange.url).port);

async function ask(localAddress: string, headers: Record<string, string> = {}, path = '/web/session') {
  const sent = request({
    host: localAddress,
    port,
    path,
    localAddress,
    headers: { ...PAGE, ...headers },
  }).end();
  const [answer] = (await Promise.race([once(sent, 'response'), once(sent, 'upgrade')])) as [IncomingMessage];
  const upgraded = answer.statusCode === 101;
  const body = upgraded ? '{}' : await text(answer);
  if (upgraded) answer.socket.destroy();
  const { accounts = [] } = JSON.parse(body) as { accounts?: readonly unknown[] };
  return {
    status: answer.statusCode,
    told: PHRASES.find((phrase) => body.includes(phrase)) ?? '',
    keys: accounts.length,
  };
}

const told = {
  'private peer': await ask('172.17.0.1'),
  'this machine': await ask('127.0.0.1'),
  'public peer': await ask('203.0.113.9'),
  'public peer that claims to be another': await ask('203.0.113.9', {
    'x-forwarded-for': '127.0.0.1',
    host: 'localhost',
  }),
  'public peer, handshake': await ask('203.0.113.9', HANDSHAKE, '/v3/ws/public'),
  'private peer, handshake': await ask('172.17.0.1', HANDSHAKE, '/v3/ws/public'),
  'private peer, rebound name': await ask('172.17.0.1', { host: 'rebound.example.com' }),
};
process.stdout.write(`${JSON.stringify(told)}\n`);
await exchange.stop();
process.exit(0);
