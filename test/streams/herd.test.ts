/** Everybody at once: a stop says goodbye to each reader, and all return after it (reliability 2.2). */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startHosted } from '../harness/hosted-server.ts';
import { startServer, type TestServer } from '../harness/server.ts';
import { type Frame, StreamClient } from '../harness/stream-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const NOTICE_HOOK = new URL('./notice-hook.ts', import.meta.url).href;
const HERD = 200;
/** Limits are on: each address may hold a hundred sockets. */
const ADDRESSES = 4;
const BOOK = { instType: 'spot', topic: 'books', symbol: 'BTCUSDT' };
const ORDERS = { instType: 'UTA', topic: 'order' };

let server: TestServer;

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

async function everybodyHears(herd: readonly StreamClient[], id: string, price = '59000'): Promise<void> {
  const trader = await StreamClient.login(server.url, server.account('alice'));
  const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price, qty: '0.01' };
  assert.equal((await trader.trade(id, 'place-order', 'spot', { ...order, clientOid: id })).code, '0');
  await Promise.all(
    herd.map((client, n) =>
      client.next((frame: Frame) =>
        n % 10 === 0
          ? frame.arg?.topic === 'order' && frame.data?.[0].clientOid === id
          : frame.arg?.topic === 'books' && frame.data?.[0].b[0]?.[0] === price,
      ),
    ),
  );
  trader.close();
}

test(`a planned stop is told with 30033 first, then ${HERD} readers leave with 1012, return at once after it and are all served (wire 5.1)`, async () => {
  const env = { NODE_OPTIONS: `--import=${NOTICE_HOOK}` };
  const data = temporaryDirectory();
  const planned = await startServer({ data, args: ['--stop-notice', '600'], env });
  server = planned;
  const ended = new Promise<number | null>((resolve) => planned.process.once('exit', resolve));
  const herd = await everybody();
  await everybodyHears(herd, 'before');
  const isNotice = ({ code }: Frame) => code === 30033;
  assert.deepEqual(herd.flatMap(({ frames }) => frames).filter(isNotice), [], 'told when it is planned');
  planned.process.kill('SIGTERM');
  await Promise.all(herd.map((client) => client.next(isNotice)));
  // Orders and readers are served until it comes.
  await everybodyHears(herd, 'meanwhile', '59001');
  assert.equal((await fetch(`${planned.url}/readyz`)).status, 503, 'nobody new should be sent here');
  const late = await StreamClient.open(planned.url);
  await late.next(isNotice);
  planned.process.kill('SIGUSR2');
  const goodbyes = await Promise.all([...herd, late].map(({ closed }) => closed));
  assert.deepEqual([...new Set(goodbyes.map(({ code }) => code))], [1012]);
  for (const { frames } of herd) assert.equal(frames.filter(isNotice).length, 1, 'told once');
  assert.equal(await ended, 0, 'the stop is an orderly one');
  server = await startHosted({ data, args: ['--port', new URL(planned.url).port] });
  const returned = await everybody();
  await everybodyHears(returned, 'after', '59002');
  for (const client of returned) client.close();
});
