import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeldWall } from '../../harness/held-wall.ts';
import { assertRefused, type Floor, ORDER, openFloor } from './hostile-venue.ts';
import { converse, dial, type MessageHandler, requestBytes, signatureHeaders } from './raw-http.ts';

const TIME = '/api/v3/public/time';
const PLACE = '/api/v3/trade/place-order';
const INFO = '/api/v3/account/info';

/** The clock of its signatures. */
const wall = new HeldWall();
let floor: Floor;
before(async () => {
  floor = await openFloor(wall);
});
after(() => floor.close());

function send(bytes: string | Uint8Array, options = {}): Promise<MessageHandler> {
  return converse(floor.server.url, bytes, options);
}

function assertOneRefusal(conversation: MessageHandler, names: RegExp, what: string): void {
  assert.equal(conversation.replies.length, 1, `${what}: ${JSON.stringify(conversation)}`);
  const [reply] = conversation.replies;
  assert.equal(reply!.headers.get('content-type'), 'application/json; charset=utf-8', what);
  assertRefused({ status: reply!.status, text: reply!.body }, names, what);
}

describe('bytes that are no request get one refusal in the envelope', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => `X-${n}: y\r\n`).join('');
  const order = JSON.stringify(ORDER);
  const CASES: Readonly<Record<string, readonly [bytes: string, names: RegExp]>> = {
    garbage: ['garbage\r\n\r\n', /not valid HTTP/],
    'bytes of a TLS handshake': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', /not valid HTTP/],
    'HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /not valid HTTP/],
    'HTTP/0.9': [`GET ${TIME}\r\n\r\n`, /HTTP\/1\.1/],
    'HTTP/1.2': [`GET ${TIME} HTTP/1.2\r\nHost: x\r\n\r\n`, /not valid HTTP/],
    'no Host': [`GET ${TIME} HTTP/1.1\r\n\r\n`, /Host/],
    'lines that end with LF alone': [`GET ${TIME} HTTP/1.1\nHost: x\n\n`, /not valid HTTP/],
    'a folded header': [`GET ${TIME} HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n`, /not valid HTTP/],
    'a blank before the colon': [`GET ${TIME} HTTP/1.1\r\nHost : x\r\n\r\n`, /not valid HTTP/],
    'a NUL in a header': [`GET ${TIME} HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n`, /not valid HTTP/],
    'a blank in the path': [`GET ${TIME} x HTTP/1.1\r\nHost: x\r\n\r\n`, /not valid HTTP/],
    'an absolute address': [`GET http://evil${TIME} HTTP/1.1\r\nHost: x\r\n\r\n`, /absolute/],
    'an absolute address of ours': [`GET http://localhost${INFO} HTTP/1.1\r\nHost: x\r\n\r\n`, /absolute/],
    'a star': ['OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', /path/],
    'a header of 8 KiB': [`GET ${TIME} HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(8192)}\r\n\r\n`, /8 KiB/],
    '100 headers': [`GET ${TIME} HTTP/1.1\r\nHost: x\r\n${many(100)}\r\n`, /64 headers/],
    '1,500 headers': [`GET ${TIME} HTTP/1.1\r\nHost: x\r\n${many(1500)}\r\n`, /64 headers/],
    'Content-Length twice': [
      `POST ${PLACE} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      /not valid HTTP/,
    ],
    'Content-Length twice the same': [
      `POST ${PLACE} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
      /not valid HTTP/,
    ],
    'Content-Length and chunks': [
      `POST ${PLACE} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /not valid HTTP/,
    ],
    'a negative Content-Length': [
      `POST ${PLACE} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`,
      /not valid HTTP/,
    ],
    'a Content-Length beyond 64 bits': [
      `POST ${PLACE} HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n`,
      /not valid HTTP/,
    ],
    'Transfer-Encoding gzip, chunked': [
      `POST ${PLACE} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      /Transfer-Encoding/,
    ],
    'Transfer-Encoding identity': [
      `POST ${PLACE} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n{}`,
      /Transfer-Encoding|not valid HTTP/,
    ],
    'an expectation nobody meets': [`GET ${TIME} HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n`, /Expect/],
    'GET with a body': [`GET ${TIME} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`, /GET/],
    'GET in chunks': [
      `GET ${TIME} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /GET/,
    ],
    'a broken chunk': [
      `POST ${PLACE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${order}\r\n`,
      /not valid HTTP/,
    ],
    'a chunk extension of 20 KiB': [
      `POST ${PLACE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      /not valid HTTP/,
    ],
    'chunks of more than 64 KiB': [
      `POST ${PLACE} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${`1000\r\n${'x'.repeat(4096)}\r\n`.repeat(20)}0\r\n\r\n`,
      /64 KiB/,
    ],
  };
  for (const [name, [bytes, names]] of Object.entries(CASES)) {
    it(name, () => floor.unchanged(async () => assertOneRefusal(await send(bytes), names, name)));
  }
});

describe('paths and methods that do not exist', () => {
  const PATHS: Readonly<Record<string, RegExp>> = {
    '//api/v3/public/time': /no GET/,
    '/api/v3//public/time': /no GET/,
    '/api/v3/public/time/': /no GET/,
    '/api/v3/public/../public/time': /no GET/,
    '/api/v3/public/%2e%2e/public/time': /no GET/,
    '/api/v3/public%2Ftime': /no GET/,
    '/api/v3/public/time%00': /no GET/,
    '/api/v3/public/time;x=y': /no GET/,
    '/API/V3/PUBLIC/TIME': /no GET/,
    '/api/v3/public/%zz': /hexadecimal/,
    '/%': /hexadecimal/,
    '/%c0%af': /hexadecimal/,
    '/docs/static/..%2f..%2f..%2f..%2fpackage.json': /./,
    '/docs/static/../../../package.json': /./,
    '/docs/static/%2e%2e/%2e%2e/package.json': /./,
    '/docs/static/..%5c..%5cpackage.json': /./,
    '/docs/static/%00': /./,
    '/docs/static//etc/passwd': /./,
    '/.git/config': /no GET/,
    '/data/identity.sqlite': /no GET/,
  };
  it('paths that a normaliser would turn into another', async () => {
    for (const [path, names] of Object.entries(PATHS)) {
      assertOneRefusal(await send(requestBytes({ method: 'GET', path })), names, path);
    }
  });

  it('methods other than those of the route', async () => {
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'PROPFIND', 'POST']) {
      const names = new RegExp(`no ${method} at this path; it takes GET`);
      assertOneRefusal(await send(requestBytes({ method, path: `${TIME}?a=b` })), names, method);
    }
    const wanted = /no GET at this path; it takes POST/;
    assertOneRefusal(await send(requestBytes({ method: 'GET', path: PLACE })), wanted, 'GET place-order');
    for (const method of ['FOO', 'get', 'GET\t', 'QUERY']) {
      assertOneRefusal(await send(requestBytes({ method, path: TIME })), /not valid/, method);
    }
  });

  it('HEAD is answered without a body, CONNECT by hanging up', async () => {
    const head = await send(requestBytes({ method: 'HEAD', path: TIME }), { bodiless: true });
    assert.equal(head.replies[0]!.status, 404);
    assert.equal(head.rest, '');
    const tunnel = await send('CONNECT evil:80 HTTP/1.1\r\nHost: evil:80\r\n\r\n');
    assert.deepEqual([tunnel.replies, tunnel.closedByServer], [[], true]);
  });

  it('an upgrade that nobody offers is an ordinary request', async () => {
    const headers: [string, string][] = [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
    ];
    const { replies } = await send(requestBytes({ method: 'GET', path: TIME, headers }));
    assert.equal(replies[0]!.status, 200);
  });
});

describe('authentication headers', () => {
  const alice = () => floor.server.account('alice');
  const call = (headers: readonly (readonly [string, string])[]) =>
    send(requestBytes({ method: 'GET', path: INFO, headers }));

  for (const [index, name] of [
    'ACCESS-KEY',
    'ACCESS-SIGN',
    'ACCESS-TIMESTAMP',
    'ACCESS-PASSPHRASE',
  ].entries()) {
    it(`${name} must be there exactly once`, async () => {
      const headers = signatureHeaders(alice(), 'GET', INFO);
      const [, value] = headers[index]!;
      const without = headers.filter(([each]) => each !== name);
      assertOneRefusal(await call(without), new RegExp(name), 'missing');
      assertOneRefusal(await call([...without, [name, '']]), new RegExp(name), 'empty');
      for (const twin of [value, 'other', '']) {
        assertOneRefusal(await call([...headers, [name, twin]]), new RegExp(`${name} occurs 2 times`), twin);
        const lowerCase = [name.toLowerCase(), twin] as const;
        assertOneRefusal(await call([lowerCase, ...headers]), new RegExp(`${name} occurs 2 times`), twin);
      }
    });
  }

  it('a timestamp counts within 30 seconds of now, on both sides', async () => {
    const at = (offsetMs: number) =>
      call(signatureHeaders(alice(), 'GET', INFO, '', String(wall.now() + offsetMs)));
    wall.hold();
    for (const offsetMs of [30_000, 29_000, -29_500, -30_000]) {
      assert.equal((await at(offsetMs)).replies[0]!.status, 200, `${offsetMs} ms`);
    }
    for (const offsetMs of [-30_001, -60_000, 30_001, 3_600_000]) {
      assertOneRefusal(await at(offsetMs), /30 s/, `${offsetMs} ms`);
    }
    wall.release();
  });

  it('a timestamp that is no Unix time in milliseconds', async () => {
    const seconds = String(Math.floor(Date.now() / 1000));
    assertOneRefusal(
      await call(signatureHeaders(alice(), 'GET', INFO, '', seconds)),
      /looks like seconds/,
      'seconds',
    );
    const wrong = [
      '-1',
      `-${Date.now()}`,
      `+${Date.now()}`,
      '99999999999999',
      '1e13',
      '0x10',
      'now',
      '1.5',
      '9'.repeat(400),
    ];
    for (const timestamp of wrong) {
      assertOneRefusal(
        await call(signatureHeaders(alice(), 'GET', INFO, '', timestamp)),
        /milliseconds/,
        timestamp,
      );
    }
    for (const timestamp of ['0', '1', '9999999999999']) {
      assertOneRefusal(await call(signatureHeaders(alice(), 'GET', INFO, '', timestamp)), /30 s/, timestamp);
    }
  });
});

describe('more than one request on a connection', () => {
  const order = (clientOid: string) =>
    requestBytes(
      { method: 'POST', path: PLACE, body: JSON.stringify({ ...ORDER, clientOid }) },
      floor.server.account('alice'),
    );

  it('pipelined requests are answered in order', async () => {
    const first = requestBytes({ method: 'GET', path: INFO }, floor.server.account('alice'));
    const second = requestBytes({ method: 'GET', path: '/nowhere' });
    const bytes = Buffer.concat([first, second, order('pipelined'), second, first]);
    const { replies } = await send(bytes, { replies: 5 });
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 404, 200, 404, 200],
    );
  });

  it('garbage behind an order does not take the place of its answer', async () => {
    const { replies, closedByServer } = await send(
      Buffer.concat([order('answered'), Buffer.from('garbage\r\n\r\n')]),
      {
        replies: 2,
      },
    );
    assert.deepEqual([replies.map(({ status }) => status), closedByServer], [[200], true]);
    assert.equal(JSON.parse(replies[0]!.body).data.clientOid, 'answered');
    const found = await floor.alice.get('/api/v3/trade/order-info', { clientOid: 'answered' });
    assert.equal(found.code, '00000', found.text);
  });

  it('a connection is good for 10,000 requests', async () => {
    const bytes = Buffer.from(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(10_050));
    const { replies, closedByServer } = await send(bytes, { replies: 10_050 });
    assert.equal(closedByServer, true);
    assert.equal(replies.length, 10_000);
    assert.ok(replies.every(({ status }) => status === 200));
  });

  it('a refused body does not become the next request', async () => {
    const smuggled = requestBytes({ method: 'GET', path: TIME }).toString('latin1');
    const bytes = `GET ${TIME} HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
    const { replies, closedByServer } = await send(bytes, { replies: 2 });
    assert.deepEqual([replies.map(({ status }) => status), closedByServer], [[400], true]);
  });
});

describe('clients that leave', () => {
  /** Connections are accepted and read in the order in which they came, so one that is answered is behind all others. */
  const everybodySeen = async () => {
    for (let n = 0; n < 2; n++) await send(requestBytes({ method: 'GET', path: TIME }));
  };

  it('in the middle of a body: no order', async () => {
    const alice = floor.server.account('alice');
    await floor.unchanged(async () => {
      for (let n = 0; n < 20; n++) {
        const body = JSON.stringify({ ...ORDER, clientOid: `left-${n}` });
        const bytes = requestBytes({ method: 'POST', path: PLACE, body }, alice);
        const socket = dial(floor.server.url);
        socket.on('error', () => {});
        socket.write(bytes.subarray(0, bytes.length - 1 - n));
        await sleep(5);
        if (n % 2 === 0) socket.destroy();
        else socket.resetAndDestroy();
      }
      await everybodySeen();
    });
  });

  it('right after an order: it exists or not, and can be asked for', async () => {
    const alice = floor.server.account('alice');
    let placed = 0;
    for (let n = 0; n < 20; n++) {
      const clientOid = `gone-${n}`;
      const body = JSON.stringify({ ...ORDER, clientOid });
      const socket = dial(floor.server.url);
      socket.on('error', () => {});
      await new Promise<void>((resolve) => {
        socket.write(requestBytes({ method: 'POST', path: PLACE, body }, alice), () => resolve());
      });
      if (n % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    await everybodySeen();
    for (let n = 0; n < 20; n++) {
      const query = { clientOid: `gone-${n}` };
      const first = await floor.alice.get('/api/v3/trade/order-info', query);
      assert.ok(first.code === '00000' || first.code === '25204', first.text);
      if (first.code === '00000') placed += 1;
      assert.equal((await floor.alice.get('/api/v3/trade/order-info', query)).code, first.code);
    }
    assert.ok(placed > 0, 'no order of a client that left was taken');
  });
});
