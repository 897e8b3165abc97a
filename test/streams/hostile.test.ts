/** Frames of people who mean no good, or cannot know better: the right code, no crash, nobody else disturbed. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { after, before, it } from 'node:test';
import { CANDLE_INTERVALS } from '../../src/core/model/candle-interval.ts';
import { CATEGORY_NAMES } from '../../src/core/model/enums.ts';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { type Frame, StreamClient } from '../harness/stream-client.ts';

let server: TestServer;
/** Reads on all the while and must not notice anything. */
let bystander: StreamClient;
const clients: StreamClient[] = [];
let addresses = 1;

const isError = (frame: Frame) => frame.event === 'error';
const TOPICS = ['ticker', 'books', 'books1', 'books5', 'books15', 'books50', 'publicTrade'];
const TICKER = { instType: 'spot', topic: 'ticker', symbol: 'BTCUSDT' };

async function open(localAddress = `127.0.2.${addresses++}`): Promise<StreamClient> {
  const client = await StreamClient.open(server.url, { localAddress });
  clients.push(client);
  return client;
}

before(async () => {
  server = await startHostedInMemory();
  bystander = await open();
  await bystander.subscribe(TICKER);
});

after(async () => {
  bystander.send('ping');
  await bystander.next((frame) => frame === 'pong');
  for (const client of clients) client.close();
  assert.equal(server.log().includes('failed'), false, server.log());
  assert.equal(await server.stop(), 0);
});

for (const [name, frame, code] of [
  ['text that is no JSON', '{"op":', 30002],
  ['a JSON string', '"subscribe"', 30002],
  ['a JSON array', '[]', 30002],
  ['nothing', '', 30002],
  ['a deep nest', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 30002],
  ['a key of the language', '{"op":"subscribe","args":[{"__proto__":{"a":1}}]}', 30002],
  [
    'many keys',
    JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, n]))),
    30002,
  ],
  ['half a surrogate pair', '{"op":"\\ud800"}', 30002],
  ['a number beyond all numbers', '{"op":"trade","id":1e999}', 30002],
  ['no operation', '{}', 30003],
  ['an operation that is none', '{"op":"shutdown"}', 30003],
  ['an operation of another type', '{"op":{"toString":1}}', 30003],
  ['arguments that are none', '{"op":"subscribe","args":"all"}', 30016],
  ['no arguments', '{"op":"subscribe","args":[]}', 30016],
  ['an argument that is no object', '{"op":"subscribe","args":[null]}', 30016],
  ['a topic of another type', '{"op":"subscribe","args":[{"instType":"spot","topic":{}}]}', 30016],
  [
    'an argument that every push would repeat',
    JSON.stringify({ op: 'subscribe', args: [{ ...TICKER, mine: 'x'.repeat(500) }] }),
    30016,
  ],
  [
    'a request of more than 4096 bytes',
    JSON.stringify({ op: 'subscribe', args: Array.from({ length: 100 }, () => TICKER) }),
    30016,
  ],
] as const) {
  it(`${name}: ${code}, and the socket goes on`, async () => {
    const client = await open();
    client.send(frame);
    const error = await client.next(isError);
    assert.equal(error.code, code, error.msg);
    client.send('ping');
    await client.next((each) => each === 'pong');
  });
}

it('binary frames: 30002', async () => {
  const client = await open();
  client.ws.send(randomBytes(100), { binary: true });
  assert.equal((await client.next(isError)).code, 30002);
});

it('a frame above 16 KiB ends the connection with 1009', async () => {
  const client = await open();
  client.send(JSON.stringify({ op: 'subscribe', pad: 'x'.repeat(20_000) }));
  assert.equal((await client.closed).code, 1009);
});

it('a flood is warned with 30006 and ends with 30007; an address that goes on is shut out', async () => {
  const localAddress = '127.0.3.1';
  const flood = async (): Promise<string> => {
    const client = await open(localAddress);
    for (let n = 0; n < 2_000; n++) client.ws.send('ping');
    const { code } = await client.closed;
    const errors = client.frames.filter(isError).map((frame) => frame.code);
    return `${errors.join(' ')} ${code}`;
  };
  assert.equal(await flood(), '30006 30007 1008');
  let rejectReason = '';
  for (let n = 0; n < 10 && rejectReason === ''; n++) {
    await flood().catch((error: Error) => {
      rejectReason = error.message;
    });
  }
  assert.equal(rejectReason, 'refused with 429');
});

it('more than a thousand channels on one connection: 30007', async () => {
  const client = await open();
  const args: object[] = [];
  for (const category of CATEGORY_NAMES.map((name) => name.toLowerCase())) {
    const answer = await fetch(`${server.url}/api/v3/market/instruments?category=${category.toUpperCase()}`);
    const { data } = (await answer.json()) as Frame;
    for (const { symbol } of data) {
      for (const topic of TOPICS) args.push({ instType: category, topic, symbol });
      for (const interval of CANDLE_INTERVALS)
        args.push({ instType: category, topic: 'kline', symbol, interval });
    }
  }
  assert.ok(args.length > 1_000, `${args.length} channels exist`);
  for (let from = 0; from < args.length; from += 40) {
    client.send({ op: 'subscribe', args: args.slice(from, from + 40) });
  }
  const { code, msg } = await client.next(isError);
  assert.deepEqual([code, msg], [30007, 'at most 1000 channels a connection']);
  await client.closed;
});

// What no client library sends: bytes of our own behind a proper handshake.

function handshake(extra = '', url = server.url): Promise<{ socket: Socket; head: string }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: `127.0.4.${addresses++}` });
  socket.write(
    `GET /v3/ws/public HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n${extra}\r\n`,
  );
  return new Promise((resolve, reject) => {
    socket.once('data', (chunk) => resolve({ socket, head: chunk.toString('latin1') }));
    socket.once('error', reject);
  });
}

/** The code in the closing frame, or 0 when the connection just ends. */
function closeCode(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
    });
    socket.once('close', () => {
      const at = bytes.indexOf(0x88);
      resolve(at < 0 ? 0 : bytes.readUInt16BE(at + 2));
    });
    socket.on('error', () => {});
  });
}

const masked = (first: number, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0]), payload]);

it('compression is not offered, and a compressed frame is refused', async () => {
  const { socket, head } = await handshake('Sec-WebSocket-Extensions: permessage-deflate\r\n');
  assert.match(head, /^HTTP\/1.1 101/);
  assert.doesNotMatch(head, /permessage-deflate/i);
  socket.write(masked(0xc1, randomBytes(20)));
  assert.equal(await closeCode(socket), 1002);
});

for (const [name, bytes, code] of [
  ['a frame without a mask', Buffer.from([0x81, 0x02, 0x68, 0x69]), 1002],
  ['a frame type that does not exist', masked(0x83, Buffer.from('x')), 1002],
  ['a continuation of nothing', masked(0x80, Buffer.from('x')), 1002],
  ['text that is no UTF-8', masked(0x81, Buffer.from([0xff, 0xfe])), 1007],
  [
    'a length of nine exabytes',
    Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    1009,
  ],
  ['a ping with a long body', Buffer.from([0x89, 0xfe, 0xff, 0xff, 0, 0, 0, 0]), 1002],
] as const) {
  it(`${name}: the connection ends with ${code}`, async () => {
    const { socket } = await handshake();
    socket.write(bytes);
    assert.equal(await closeCode(socket), code);
  });
}

it('pings without limits from somebody who reads no answer: no more than a megabyte waits, then it ends', async () => {
  const free = await startHostedInMemory(['--rate-limits', 'off']);
  const waiting = async () => {
    const text = await (await fetch(`${free.url}/metrics`)).text();
    return Number(/^bourse_stream_unsent_bytes (\d+)$/m.exec(text)![1]);
  };
  const { socket } = await handshake('', free.url);
  socket.pause();
  let ended = false;
  socket.once('close', () => {
    ended = true;
  });
  const pings = Buffer.concat(Array.from({ length: 500 }, () => masked(0x89, randomBytes(125))));
  let most = 0;
  while (!ended) {
    socket.write(pings);
    most = Math.max(most, await waiting());
  }
  assert.ok(most <= 1024 * 1024, `${most} bytes waited`);
  await free.stop();
});

it('a message in endless small pieces ends the connection', async () => {
  const { socket } = await handshake();
  const ended = closeCode(socket);
  socket.write(masked(0x01, Buffer.from('{')));
  const piece = masked(0x00, Buffer.from('x'));
  const pieces = Buffer.concat(Array.from({ length: 1_000 }, () => piece));
  const timer = setInterval(() => socket.write(pieces), 1);
  const code = await ended;
  clearInterval(timer);
  assert.ok([1008, 1009].includes(code), String(code));
});

/** The head of the answer to a handshake of these lines, and what the envelope in its body says. */
async function answerTo(line: string, headers: readonly string[]): Promise<{ status: number; msg: string }> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: `127.0.11.${addresses++}` });
  socket.on('error', () => {});
  socket.write(`${line}\r\n${headers.join('\r\n')}\r\n\r\n`);
  const text = await new Promise<string>((resolve) => {
    socket.once('data', (chunk) => resolve(chunk.toString('latin1')));
  });
  socket.destroy();
  const [head, body] = text.split('\r\n\r\n');
  const status = Number(head!.split(' ')[1]);
  return { status, msg: status === 101 ? '' : JSON.parse(body!).msg };
}

const GET = 'GET /v3/ws/public HTTP/1.1';
const HANDSHAKE = {
  Host: 'x',
  Upgrade: 'websocket',
  Connection: 'Upgrade',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
};
const headersWith = (changes: Readonly<Record<string, string | undefined>>) =>
  Object.entries({ ...HANDSHAKE, ...changes })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}`);

for (const [name, line, changes, status, msg] of [
  ['a query behind the path', 'GET /v3/ws/public?x=1 HTTP/1.1', {}, 101, /^$/],
  ['a slash behind the path', 'GET /v3/ws/public/ HTTP/1.1', {}, 101, /^$/],
  ['several words in Connection', GET, { Connection: 'keep-alive, Upgrade' }, 101, /^$/],
  ['extensions that nobody can read', GET, { 'Sec-WebSocket-Extensions': 'x; ;;=' }, 101, /^$/],
  ['a header named __proto__', GET, { ['__proto__']: 'x' }, 101, /^$/],
  ['no key', GET, { 'Sec-WebSocket-Key': undefined }, 400, /Sec-WebSocket-Key/],
  ['a key that is none', GET, { 'Sec-WebSocket-Key': 'abc' }, 400, /Sec-WebSocket-Key/],
  ['a version whose pages name their origin elsewhere', GET, { 'Sec-WebSocket-Version': '8' }, 400, /13/],
  ['a version of the future', GET, { 'Sec-WebSocket-Version': '99' }, 400, /Sec-WebSocket-Version/],
  ['subprotocols that are none', GET, { 'Sec-WebSocket-Protocol': 'a, ,' }, 400, /Sec-WebSocket-Protocol/],
  ['another method', 'POST /v3/ws/public HTTP/1.1', {}, 400, /method/],
  ['an old HTTP', 'GET /v3/ws/public HTTP/1.0', {}, 400, /HTTP\/1\.1/],
  ['no host', GET, { Host: undefined }, 400, /Host/],
  ['a body', GET, { 'Content-Length': '5' }, 400, /no body/],
  ['a body in pieces', GET, { 'Transfer-Encoding': 'chunked' }, 400, /no body/],
  ['an absolute address', 'GET http://evil.example/v3/ws/public HTTP/1.1', {}, 400, /path/],
  ['headers without end', GET, { X: 'y'.repeat(20_000) }, 400, /8 KiB/],
  ['a path that goes up', 'GET /v3/ws/../ws/public HTTP/1.1', {}, 404, /path/],
  ['a path in disguise', 'GET /v3/ws%2Fpublic HTTP/1.1', {}, 404, /path/],
  ['another upgrade', GET, { Upgrade: 'h2c' }, 404, /path/],
] as const) {
  it(`a handshake with ${name}: ${status}`, async () => {
    const answer = await answerTo(line, headersWith(changes));
    assert.equal(answer.status, status, answer.msg);
    assert.match(answer.msg, msg);
  });
}
