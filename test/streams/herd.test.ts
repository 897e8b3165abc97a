/** Everybody at once: a stop says goodbye to each reader, and all return after it (reliability 2.2). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RunningServer, startServer } from '../harness/server.ts';
import { type Frame, StreamClient } from '../harness/stream-client.ts';

const NOTICE_HOOK = new URL('./notice-hook.ts', import.meta.url).href;
const HERD = 200;
/** Limits are on: each address may hold a hundred sockets. */
const ADDRESSES = 4;
const BOOK = { instType: 'spot', topic: 'books', symbol: 'BTCUSDT' };
const ORDERS = { instType: 'UTA', topic: 'order' };

let server: RunningServer;

before(async () => {
  server = await startServer();
});

after(() => server.stop());

/** One in ten is a private reader. */
async function join(n: number): Promise<StreamClient> {
  const options = { localAddress: `127.0.6.${1 + (n % ADDRESSES)}` };
  const client =
    n % 10 === 0
      ? await StreamClient.login(server.url, server.account('alice'), options)
      : await StreamClient.open(server.url, options);
  await client.subscribe(n % 10 === 0 ? ORDERS : BOOK);
  return client;
}

const everybody = () => Promise.all(Array.from({ length: HERD }, (_, n) => join(n)));

async function everybodyHears(herd: readonly StreamClient[], id: string): Promise<void> {
  const trader = await StreamClient.login(server.url, server.account('alice'));
  const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '59000', qty: '0.01' };
  assert.equal((await trader.trade(id, 'place-order', 'spot', { ...order, clientOid: id })).code, '0');
  await Promise.all(
    herd.map((client, n) =>
      client.next((frame: Frame) =>
        n % 10 === 0
          ? frame.arg?.topic === 'order' && frame.data?.[0].clientOid === id
          : frame.arg?.topic === 'books' && frame.data?.[0].b[0]?.[0] === '59000',
      ),
    ),
  );
  trader.close();
}

test(`${HERD} readers leave with 1012 at a stop, return at once after it and are all served`, async () => {
  const herd = await everybody();
  await everybodyHears(herd, 'before');
  const { data, url } = server;
  const ended = new Promise<number | null>((resolve) => server.process.once('exit', resolve));
  server.process.kill('SIGTERM');
  const goodbyes = await Promise.all(herd.map(({ closed }) => closed));
  assert.deepEqual([...new Set(goodbyes.map(({ code }) => code))], [1012]);
  assert.equal(await ended, 0, 'the stop is an orderly one');
  server = await startServer({ data, args: ['--port', new URL(url).port] });
  const returned = await everybody();
  await everybodyHears(returned, 'after');
  for (const client of returned) client.close();
});

test('a planned stop is told with 30033 first; orders and readers are served until it comes (wire 5.1)', async () => {
  const env = { NODE_OPTIONS: `--import=${NOTICE_HOOK}` };
  const planned = await startServer({ args: ['--stop-notice', '600'], env });
  const ended = new Promise<number | null>((resolve) => planned.process.once('exit', resolve));
  const client = await StreamClient.login(planned.url, planned.account('alice'));
  await client.subscribe(ORDERS);
  planned.process.kill('SIGTERM');
  const isNotice = ({ code }: Frame) => code === 30033;
  await client.next(isNotice);
  const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '59000', qty: '0.01' };
  assert.equal((await client.trade('1', 'place-order', 'spot', order)).code, '0');
  await client.next((frame) => frame.arg?.topic === 'order' && frame.data?.length === 1);
  assert.equal((await fetch(`${planned.url}/readyz`)).status, 503, 'nobody new should be sent here');
  const late = await StreamClient.open(planned.url);
  await late.next(isNotice);
  planned.process.kill('SIGUSR2');
  assert.deepEqual([(await client.closed).code, (await late.closed).code], [1012, 1012]);
  assert.equal(client.frames.filter(isNotice).length, 1, 'told once');
  assert.equal(await ended, 0);
});
