import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Front } from './front.ts';

const answering = (text: string): Server => createServer((_request, response) => response.end(text));

async function opened(behind: Server): Promise<{ front: Front; url: string }> {
  const front = new Front({
    http: {},
    limit: () => {},
    refuse: (response) => response.writeHead(503).end('too late'),
  });
  front.serve(behind);
  const port = await front.listen({ host: '127.0.0.1', port: 0 });
  return { front, url: `http://127.0.0.1:${port}` };
}

const textOf = async (url: string) => (await fetch(url)).text();

test('requests go to the server that stands behind now, over the same address', async () => {
  const { front, url } = await opened(answering('one'));
  assert.equal(await textOf(url), 'one');
  front.serve(answering('two'));
  assert.equal(await textOf(url), 'two');
  await front.close();
  await assert.rejects(fetch(url));
});

test('requests wait while they are held, and go to the next server', async () => {
  const { front, url } = await opened(answering('one'));
  front.hold();
  const waiting = [textOf(url), textOf(url)];
  await new Promise((resolve) => setTimeout(resolve, 50));
  front.serve(answering('two'));
  front.release();
  assert.deepEqual(await Promise.all(waiting), ['two', 'two']);
  await front.close();
});

test('a request that waits too long is refused', async (context) => {
  const { front, url } = await opened(answering('one'));
  front.hold();
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const waiting = fetch(url);
  while (front.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
  context.mock.timers.tick(2000);
  context.mock.timers.reset();
  assert.equal((await waiting).status, 503);
  await front.close();
});

test('it knows when everything that was being answered is answered', async () => {
  const arrived = Promise.withResolvers<() => void>();
  const slow = createServer((_request, response) => arrived.resolve(() => response.end('late')));
  const { front, url } = await opened(slow);
  const asked = textOf(url);
  const finish = await arrived.promise;
  assert.equal(await front.settled(1), true, 'one request is no more than one');
  const settled = front.settled(0);
  finish();
  assert.equal(await settled, true);
  assert.equal(await asked, 'late');
  await front.close();
});

test('a request whose client goes away while it waits is not one that is being answered', async () => {
  let asked = 0;
  const behind = createServer((_request, response) => {
    asked += 1;
    response.end();
  });
  const { front, url } = await opened(behind);
  front.hold();
  const accepted = once(front.server, 'connection');
  const client = connect(Number(new URL(url).port), '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [served] = await accepted;
  const closed = new Promise((resolve) => served.once('close', resolve));
  while (front.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
  client.destroy();
  await closed;
  front.release();
  assert.equal(front.traffic.open, 0);
  assert.equal(asked, 0);
  await front.close();
});
