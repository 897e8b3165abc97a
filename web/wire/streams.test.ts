import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Stream, type StreamState } from './streams.ts';

class FakeSocket {
  readonly OPEN = 1;
  readyState = 1;
  readonly sent: string[] = [];
  onopen: () => unknown = () => undefined;
  onmessage: (frame: { data: string }) => unknown = () => undefined;
  onclose: (end: { code: number }) => unknown = () => undefined;
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.onclose({ code: 1000 });
  }
  tell(frame: object): void {
    this.onmessage({ data: JSON.stringify(frame) });
  }
}

function connected(login?: () => Promise<object>) {
  const sockets: FakeSocket[] = [];
  const states: StreamState[] = [];
  const stream = new Stream({
    url: 'ws://exchange',
    ...(login !== undefined && { login }),
    onState: (state) => states.push(state),
    open: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket as unknown as WebSocket;
    },
  });
  return { stream, sockets, states };
}

const BOOKS = { instType: 'spot', topic: 'books', symbol: 'BTCUSDT' };
const microtasks = () => new Promise((resolve) => setImmediate(resolve));

test('topics are asked for together, again after every opening, and their pushes reach the reader', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { stream, sockets, states } = connected();
  const seen: unknown[] = [];
  stream.subscribe(BOOKS, ({ action, data }) => seen.push([action, ...data]));
  stream.subscribe({ ...BOOKS, topic: 'ticker' }, () => undefined);
  sockets[0]!.onopen();
  await microtasks();
  assert.deepEqual(
    sockets[0]!.sent.map((text) => JSON.parse(text)),
    [{ op: 'subscribe', args: [BOOKS, { ...BOOKS, topic: 'ticker' }] }],
  );
  sockets[0]!.tell({ action: 'snapshot', arg: BOOKS, data: [1], ts: 5 });
  sockets[0]!.tell({ action: 'update', arg: { ...BOOKS, symbol: 'ETHUSDT' }, data: [2], ts: 5 });
  assert.deepEqual(seen, [['snapshot', 1]]);

  sockets[0]!.onclose({ code: 1012 });
  mock.timers.tick(200);
  assert.equal(sockets.length, 2);
  sockets[1]!.onopen();
  await microtasks();
  assert.equal(JSON.parse(sockets[1]!.sent[0]!).args.length, 2);
  assert.deepEqual(states, ['connecting', 'open', 'restarting', 'restarting', 'open']);
  stream.close();
  mock.timers.reset();
});

test('while the exchange is away the waits grow, but never beyond two seconds', () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { stream, sockets } = connected();
  for (let n = 0; n < 8; n++) {
    sockets.at(-1)!.onclose({ code: 1006 });
    mock.timers.tick(1_600);
    assert.equal(sockets.length, n + 2, `attempt ${n}`);
  }
  sockets.at(-1)!.onclose({ code: 1006 });
  mock.timers.tick(1_000);
  assert.equal(sockets.length, 9, 'not in haste any more');
  stream.close();
  mock.timers.reset();
});

test('a private stream logs in first and subscribes when it is let in', async () => {
  const { stream, sockets } = connected(async () => ({ apiKey: 'k' }));
  stream.subscribe({ instType: 'UTA', topic: 'order' }, () => undefined);
  sockets[0]!.onopen();
  await microtasks();
  assert.deepEqual(
    sockets[0]!.sent.map((text) => JSON.parse(text).op),
    ['login'],
  );
  sockets[0]!.tell({ event: 'login', code: '0' });
  await microtasks();
  assert.deepEqual(
    sockets[0]!.sent.map((text) => JSON.parse(text).op),
    ['login', 'subscribe'],
  );
  stream.close();
});

test('a topic is left when its reader goes, and asked for anew after a gap', async () => {
  const { stream, sockets } = connected();
  sockets[0]!.onopen();
  const leave = stream.subscribe(BOOKS, () => undefined);
  await microtasks();
  stream.renew(BOOKS);
  await microtasks();
  leave();
  await microtasks();
  assert.deepEqual(
    sockets[0]!.sent.map((text) => JSON.parse(text).op),
    ['subscribe', 'unsubscribe', 'subscribe', 'unsubscribe'],
  );
  stream.close();
  assert.equal(sockets.length, 1);
});

test('a quiet connection is asked whether it lives; one that does not answer is left for another', () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  const { stream, sockets, states } = connected();
  sockets[0]!.onopen();
  for (let n = 0; n < 10; n++) {
    mock.timers.tick(4_000);
    sockets[0]!.onmessage({ data: 'pong' });
  }
  assert.deepEqual(sockets[0]!.sent, Array(10).fill('ping'));
  mock.timers.tick(20_000);
  mock.timers.tick(200);
  assert.equal(sockets.length, 2, 'after a silence');
  assert.deepEqual(states.slice(-2), ['connecting', 'connecting']);
  stream.close();
  mock.timers.reset();
});

test('a stream that goes on while its old socket still closes has one socket', () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { stream, sockets } = connected();
  sockets[0]!.onopen();
  sockets[0]!.close = () => undefined;
  stream.pause();
  stream.resume();
  sockets[1]!.onopen();
  sockets[0]!.onclose({ code: 1000 });
  mock.timers.tick(5_000);
  assert.equal(sockets.length, 2);
  stream.close();
  mock.timers.reset();
});
