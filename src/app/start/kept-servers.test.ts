import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { KeptServers } from './kept-servers.ts';

interface Options {
  readonly name: string;
}

function shelf() {
  const events: string[] = [];
  let built = 0;
  const servers = new KeptServers<Options>(async (options) => {
    const app = Fastify();
    const number = ++built;
    app.get('/name', async () => options.name);
    app.addHook('onClose', async () => void events.push(`closed ${number}`));
    return { app, leave: () => void events.push(`left ${options.name}`) };
  });
  return { servers, events, built: () => built };
}

const nameAt = async (app: Awaited<ReturnType<KeptServers<Options>['acquire']>>) =>
  (await app.inject('/name')).body;

test('two exchanges in turn have two servers, and each request meets the exchange that its server is for', async () => {
  const { servers, events, built } = shelf();
  let app = await servers.acquire({ name: 'exchange 0' });
  for (let n = 1; n <= 5; n++) {
    const next = await servers.acquire({ name: `exchange ${n}` });
    assert.equal(await nameAt(app), `exchange ${n - 1}`);
    await servers.release(app);
    assert.equal(await nameAt(next), `exchange ${n}`);
    app = next;
  }
  assert.equal(built(), 2);
  assert.deepEqual(
    events,
    [0, 1, 2, 3, 4].map((n) => `left exchange ${n}`),
  );
  await servers.close();
  await app.close();
  assert.deepEqual(events.slice(5), ['closed 1', 'left exchange 5', 'closed 2']);
});

test('a server that was closed is not used again, and no more than one waits', async () => {
  const { servers, events, built } = shelf();
  const closed = await servers.acquire({ name: 'first' });
  await closed.close();
  await servers.release(closed);
  assert.deepEqual(events, ['left first', 'closed 1']);
  const apps = [await servers.acquire({ name: 'second' }), await servers.acquire({ name: 'third' })];
  assert.equal(built(), 3);
  for (const app of apps) await servers.release(app);
  assert.deepEqual(events.slice(2), ['left second', 'left third', 'closed 3']);
  await servers.close();
  assert.deepEqual(events.slice(5), ['closed 2']);
});

test('a getter of the options is asked at each use, and one that was given away is not asked again', async () => {
  let asked = 0;
  const servers = new KeptServers<{ readonly market: string }>(async (options) => {
    const app = Fastify();
    app.get('/market', async () => options.market ?? 'none');
    return { app, leave: () => {} };
  });
  const counting = {
    get market() {
      return `asked ${++asked}`;
    },
  };
  const app = await servers.acquire(counting);
  const answers = async () => (await app.inject('/market')).body;
  assert.equal(await answers(), 'asked 1');
  assert.equal(await answers(), 'asked 2');
  await servers.release(app);
  assert.equal(await answers(), 'none');
  assert.equal(await servers.acquire({ market: 'plain' }), app);
  assert.equal(await answers(), 'plain');
  await app.close();
});
