/**
 * The document of the streams is whole, and what really leaves a socket is what it says. Every frame of every test that
 * uses the harness is held against it (`documented.ts`); here each of its messages is seen at least once.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TRADE_TOPICS } from '../../src/api/ws/order-entry.ts';
import { TOPIC_DESCRIPTIONS } from '../../src/api/ws/push-schemas.ts';
import { PUBLIC_TOPICS } from '../../src/api/ws/topic-request.ts';
import { messageOf } from '../harness/documented.ts';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { type Frame, loginFrame, StreamClient } from '../harness/stream-client.ts';

/** A guard against one that never comes. */
const LOOKS_MAX = 2_000;

let server: TestServer;

before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
});

after(() => server.stop());

test('/asyncapi.json: every reference leads somewhere, every topic has a message', async () => {
  const document = (await (await fetch(`${server.url}/asyncapi.json`)).json()) as Frame;
  assert.equal(document.asyncapi, '3.0.0');
  const resolve = (reference: string) =>
    reference
      .slice(2)
      .split('/')
      .reduce((at, name) => at?.[name], document);
  const references: string[] = [];
  JSON.stringify(document, (name, value) => {
    if (name === '$ref') references.push(value);
    return value;
  });
  assert.ok(references.length > 50);
  for (const reference of references) assert.ok(resolve(reference) !== undefined, reference);
  for (const topic of Object.keys(TOPIC_DESCRIPTIONS)) {
    assert.ok(`push-${topic}` in document.channels.both.messages, topic);
  }
  assert.deepEqual(
    Object.values(document.channels).map((channel: Frame) => channel.address),
    ['/v3/ws/public', '/v3/ws/private', '/v3/ws', '/v3/ws/inspect'],
  );
  assert.equal(document.channels.public.messages['push-order'], undefined);
  const payloads: Frame[] = Object.values(document.components.messages).map(({ payload }: Frame) => payload);
  const words = (name: string): string[] =>
    payloads.flatMap(({ properties }) => properties?.[name]?.enum ?? [properties?.[name]?.const ?? '']);
  for (const op of ['login', 'subscribe', 'unsubscribe', 'trade']) assert.ok(words('op').includes(op), op);
  for (const topic of Object.keys(TRADE_TOPICS)) assert.ok(words('topic').includes(topic), topic);
  const place = document.components.messages['trade-place-order'].payload.properties.args.items;
  assert.ok('timeInForce' in place.properties, 'arguments of an order are described field by field');
});

test('a lively session sees every message that the document says is sent', async () => {
  const operator = new Operator(server);
  await operator.setStatus('USDT-FUTURES', 'BTCUSDT', 'online');
  await operator.setPrice('BTCUSDT', '60000');
  const client = await StreamClient.open(server.url, { path: '/v3/ws' });
  client.send(loginFrame(server.account('alice')));
  await client.next((frame) => frame.event === 'login');
  // `test/streams/futures.test.ts` sees them.
  const rare = ['push-liquidation', 'push-adl-notification'];
  for (const topic of Object.keys(TOPIC_DESCRIPTIONS)) {
    const isPublic = (PUBLIC_TOPICS as readonly string[]).includes(topic);
    if (!isPublic) await client.subscribe({ instType: 'UTA', topic });
    else {
      for (const instType of topic === 'liquidation' ? ['usdt-futures'] : ['spot', 'usdt-futures']) {
        const arg = { instType, topic, symbol: 'BTCUSDT' };
        await client.subscribe(topic === 'kline' ? { ...arg, interval: '1m' } : arg);
      }
    }
  }
  client.send({ op: 'subscribe', args: [{ instType: 'spot', topic: 'nothing' }] });
  client.send('ping');
  // Prices of contracts are taken once a second.
  await client.next((frame) => frame.data?.[0]?.markPrice > '0');
  const bob = await StreamClient.login(server.url, server.account('bob'));
  const http = new SignedClient(server.url, server.account('alice'));
  const order = (side: string, price = '60000') => ({
    symbol: 'BTCUSDT',
    side,
    orderType: 'limit',
    price,
    qty: '0.01',
  });
  for (const category of ['spot', 'usdt-futures']) {
    await bob.trade(`s-${category}`, 'place-order', category, order('sell'));
    await client.trade(`b-${category}`, 'batch-place', category, order('buy'), order('buy', '59900'));
    await client.trade(`x-${category}`, 'cancel-order', category, { orderId: '1' });
  }
  const stop = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', stopLoss: '50000' };
  const { code, msg } = await http.post('/api/v3/trade/place-strategy-order', stop);
  assert.equal(code, '00000', msg);
  await bob.trade('back', 'place-order', 'usdt-futures', order('buy'));
  await client.trade('close', 'place-order', 'usdt-futures', { ...order('sell'), reduceOnly: 'YES' });
  await client.next((frame) => frame.data?.some((item: Frame) => item.positionStatus === 'ended'));
  await client.next((frame) => frame.arg?.topic === 'kline' && frame.action === 'update');

  const document = (await (await fetch(`${server.url}/asyncapi.json`)).json()) as Frame;
  const sent: string[] = document.operations['send-both'].messages.map(({ $ref }: Frame) =>
    $ref.split('/').at(-1),
  );
  const missing = () => {
    const seen = new Set(client.frames.map(messageOf));
    return sent.filter((name) => !seen.has(name) && !rare.includes(name));
  };
  for (let looks = 0; looks < LOOKS_MAX && missing().length > 0; looks++) await sleep(50);
  assert.deepEqual(missing(), [], 'messages that were not seen');
  for (const each of [client, bob, http]) each.close();
});
