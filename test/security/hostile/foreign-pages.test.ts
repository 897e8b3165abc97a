/**
 * A web page of a stranger, open in a browser on this machine: under a name of its own that points here (DNS rebinding),
 * or under another origin. It can neither read nor trade, nor reach the operator's listener.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { OPERATOR_ROUTES } from '../../../src/admin/server.ts';
import { startHostedInMemory } from '../../harness/hosted-server.ts';
import type { TestServer } from '../../harness/server.ts';
import { SignedClient } from '../../harness/signed-client.ts';
import { ORDER } from './hostile-venue.ts';
import { converse, type RawReply, signatureHeaders } from './raw-http.ts';

const PLACE = '/api/v3/trade/place-order';
const TIME = '/api/v3/public/time';
const INFO = '/api/v3/account/info';

let server: TestServer;
let operator: { url: string; token: string };

before(async () => {
  server = await startHostedInMemory([
    '--allowed-hosts',
    'exchange.example',
    '--allowed-origins',
    'https://charts.example:443',
  ]);
  operator = JSON.parse(readFileSync(join(server.data, 'operator.json'), 'utf8'));
});
after(async () => {
  assert.equal(await server.stop(), 0);
});

type Lines = readonly (readonly [name: string, value: string])[];

interface Asked {
  readonly line?: string;
  readonly headers: Lines;
  readonly body?: string;
  readonly at?: string;
}

async function ask({
  line = `GET ${TIME} HTTP/1.1`,
  headers,
  body = '',
  at = server.url,
}: Asked): Promise<RawReply> {
  const length: Lines = body === '' ? [] : [['Content-Length', String(Buffer.byteLength(body))]];
  const head = [line, ...[...headers, ...length].map((each) => each.join(': '))].join('\r\n');
  const { replies, rest } = await converse(at, `${head}\r\n\r\n${body}`, { waitMs: 20_000 });
  assert.equal(replies.length, 1, `one reply to ${head}, but: ${rest}`);
  return replies[0]!;
}

const host = (value: string): Lines => [['Host', value]];
const bearer = (): Lines => [['Authorization', `Bearer ${operator.token}`]];

/** A refusal in the envelope of the API. */
function assertEnvelope(reply: RawReply, status: number, message: RegExp): void {
  const { code, msg, data, requestTime } = JSON.parse(reply.body);
  assert.deepEqual(
    [reply.status, code, data, typeof requestTime],
    [status, '40017', null, 'number'],
    reply.body,
  );
  assert.match(msg, message);
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
}

/** A refusal as the operator's listener writes it. */
function assertOperatorRefusal(reply: RawReply, status: number, code: string, message: RegExp): void {
  const { error } = JSON.parse(reply.body);
  assert.deepEqual([reply.status, error.code], [status, code], reply.body);
  assert.match(error.message, message);
}

describe('a name that a stranger has pointed at this machine', () => {
  const EVIL = ['evil.example', 'evil.example:8787', 'EVIL.example.', 'localhost.evil.example', '127.1'];

  it('421 on every path of the public port, whatever there is at it', async () => {
    const paths = [TIME, INFO, '/', '/docs', '/docs/static/index.css', '/openapi.json', '/asyncapi.json'];
    for (const path of [
      ...paths,
      '/healthz',
      '/readyz',
      '/metrics',
      '/web/session',
      '/nowhere',
      '/%',
      '/v3/ws',
    ]) {
      for (const name of path === TIME ? EVIL : ['evil.example']) {
        const reply = await ask({ line: `GET ${path} HTTP/1.1`, headers: host(name) });
        assertEnvelope(reply, 421, /host name .*--allowed-hosts/);
      }
    }
  });

  it('421 also for other methods, older HTTP and bodies that are no JSON', async () => {
    for (const method of ['HEAD', 'OPTIONS', 'PUT', 'TRACE']) {
      const line = `${method} ${TIME} HTTP/1.1`;
      const { replies } = await converse(server.url, `${line}\r\nHost: evil.example\r\n\r\n`, {
        bodiless: method === 'HEAD',
      });
      assert.equal(replies[0]!.status, 421, method);
    }
    assertEnvelope(
      await ask({ line: `GET ${TIME} HTTP/1.0`, headers: host('evil.example') }),
      421,
      /host name/,
    );
    const form: Lines = [
      ['Host', 'evil.example'],
      ['Content-Type', 'text/plain'],
    ];
    assertEnvelope(await ask({ line: `POST ${PLACE} HTTP/1.1`, headers: form, body: 'x' }), 421, /host name/);
  });

  it('a well-signed order under it is not placed', async () => {
    const alice = server.account('alice');
    const body = JSON.stringify({ ...ORDER, clientOid: 'rebound' });
    const signed: Lines = [
      ['Content-Type', 'application/json'],
      ...signatureHeaders(alice, 'POST', PLACE, body),
    ];
    const line = `POST ${PLACE} HTTP/1.1`;
    const rebound: Lines = [...host('evil.example:8787'), ['Origin', 'http://evil.example:8787']];
    assertEnvelope(await ask({ line, headers: [...rebound, ...signed], body }), 421, /host name/);
    const client = new SignedClient(server.url, alice);
    assert.equal((await client.get('/api/v3/trade/order-info', { clientOid: 'rebound' })).code, '25204');
    client.close();
    // The same bytes under a name of ours are an order.
    const own = await ask({ line, headers: [...host('localhost:8787'), ...signed], body });
    assert.equal(JSON.parse(own.body).code, '00000', own.body);
  });

  it("421 on every path of the operator's listener, also with the token", async () => {
    const lines = OPERATOR_ROUTES.map(
      ({ method, path }) => `${method} ${path.replace(/:\w+/, '1')} HTTP/1.1`,
    );
    for (const line of [...lines, 'GET / HTTP/1.1', 'GET /nowhere HTTP/1.1', 'GET /% HTTP/1.1']) {
      const reply = await ask({ line, headers: [...host('evil.example'), ...bearer()], at: operator.url });
      assertOperatorRefusal(reply, 421, 'unknown_host', /host name evil\.example.*--allowed-hosts/);
    }
  });

  it('nothing is counted: a stranger cannot use up the limits of the people here', async () => {
    const line = 'GET /api/v2/spot/public/coins HTTP/1.1';
    for (let n = 0; n < 5; n++)
      assert.equal((await ask({ line, headers: host('evil.example') })).status, 421);
    const own = await ask({ line, headers: host('localhost') });
    assert.deepEqual([own.status, own.headers.get('x-mbx-used-remain-limit')], [200, '2']);
  });

  it('a forwarded host does not count, in either direction', async () => {
    const forwarded: Lines = [
      ['X-Forwarded-Host', 'localhost'],
      ['Forwarded', 'host=localhost'],
    ];
    assertEnvelope(await ask({ headers: [...host('evil.example'), ...forwarded] }), 421, /host name/);
    const reply = await ask({ headers: [...host('localhost'), ['X-Forwarded-Host', 'evil.example']] });
    assert.equal(reply.status, 200);
  });
});

describe('the header Host', () => {
  const BAD: readonly (readonly [name: string, headers: Lines, message: RegExp])[] = [
    ['missing', [], /Host is missing/],
    ['empty', host(''), /Host is missing/],
    ['twice', [...host('localhost'), ...host('evil.example')], /more than once/],
    ['twice the same', [...host('localhost'), ['host', 'localhost']], /more than once/],
    ['with a user', host('localhost@evil.example'), /must be a host name/],
    ['an address of IPv6 without brackets', host('::1'), /must be a host name/],
  ];
  for (const [name, headers, message] of BAD) {
    it(`${name}: 400 on both listeners, in HTTP/1.0 as well`, async () => {
      for (const version of ['1.1', '1.0']) {
        assertEnvelope(await ask({ line: `GET ${TIME} HTTP/${version}`, headers }), 400, message);
        const line = `GET /admin/health HTTP/${version}`;
        const reply = await ask({ line, headers: [...headers, ...bearer()], at: operator.url });
        assertOperatorRefusal(reply, 400, 'invalid_request', message);
      }
    });
  }

  it('an absolute address in the request line is refused, whatever the header says', async () => {
    const line = (path: string) => `GET http://evil.example${path} HTTP/1.1`;
    assertEnvelope(await ask({ line: line(TIME), headers: host('localhost') }), 400, /absolute/);
    const reply = await ask({
      line: line('/admin/health'),
      headers: [...host('localhost'), ...bearer()],
      at: operator.url,
    });
    assertOperatorRefusal(reply, 400, 'invalid_request', /absolute/);
  });

  it('addresses, localhost, names without a dot and named hosts are answered on both listeners', async () => {
    for (const name of [
      '127.0.0.1',
      '10.1.2.3:80',
      '[::1]:1',
      'LocalHost.',
      'a.localhost',
      'bourse',
      'Exchange.Example:443',
    ]) {
      assert.equal((await ask({ headers: host(name) })).status, 200, name);
      const line = 'GET /admin/health HTTP/1.1';
      const reply = await ask({ line, headers: [...host(name), ...bearer()], at: operator.url });
      assert.equal(reply.status, 200, name);
    }
  });
});

describe('a WebSocket handshake', () => {
  const shake = (headers: Lines, path = '/v3/ws/private', at = server.url) => {
    const key = randomBytes(16).toString('base64');
    const upgrade: Lines = [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
      ['Sec-WebSocket-Version', '13'],
      ['Sec-WebSocket-Key', key],
    ];
    return ask({ line: `GET ${path} HTTP/1.1`, headers: [...headers, ...upgrade], at });
  };
  const from = (name: string, origin: string): Lines => [...host(name), ['Origin', origin]];

  it('under a foreign name: 421, with its own origin as without one', async () => {
    for (const path of ['/v3/ws/public', '/v3/ws/private', '/v3/ws', '/v3/ws/nowhere']) {
      assertEnvelope(await shake(host('evil.example'), path), 421, /host name/);
      const own = from('evil.example:8787', 'http://evil.example:8787');
      assertEnvelope(await shake(own, path), 421, /host name/);
    }
    const reply = await shake(host('evil.example'), '/admin/health', operator.url);
    assertOperatorRefusal(reply, 421, 'unknown_host', /host name/);
    assertEnvelope(await shake([]), 400, /Host is missing/);
    assertEnvelope(await shake([...host('localhost'), ...host('localhost')]), 400, /more than once/);
  });

  it('the origin must be http or https of the same host and port, or a named one', async () => {
    const OPEN: readonly (readonly [name: string, origin: string])[] = [
      ['localhost:8787', 'http://localhost:8787'],
      ['LOCALHOST:8787', 'http://localhost:8787'],
      ['localhost', 'http://localhost'],
      ['localhost:80', 'http://localhost'],
      ['exchange.example', 'https://exchange.example'],
      ['exchange.example:443', 'https://exchange.example'],
      ['[::1]:8787', 'http://[::1]:8787'],
      ['127.0.0.1:8787', 'https://charts.example'],
    ];
    for (const [name, origin] of OPEN) {
      assert.equal((await shake(from(name, origin))).status, 101, `${origin} to ${name}`);
    }
    const SHUT: readonly (readonly [name: string, origin: string])[] = [
      ['127.0.0.1:8787', 'http://evil.example'],
      ['127.0.0.1:8787', 'http://evil.example:8787'],
      // A stranger's page may well have an address as its host, or be served by another program of this machine.
      ['127.0.0.1:8787', 'http://203.0.113.5:8787'],
      ['127.0.0.1:8787', 'http://127.0.0.1:3000'],
      ['127.0.0.1:8787', 'http://127.0.0.1'],
      ['127.0.0.1:8787', 'http://localhost:8787'],
      ['localhost:8787', 'http://localhost:8787.evil.example'],
      ['localhost:8787', 'http://localhost:8787@evil.example'],
      ['localhost:8787', 'http://localhost:8787/'],
      ['localhost:8787', 'ws://localhost:8787'],
      ['localhost:8787', 'localhost:8787'],
      ['exchange.example:443', 'http://exchange.example'],
      ['localhost', 'https://charts.example.evil'],
      ['localhost', 'http://charts.example'],
      ['localhost', 'null'],
      ['localhost', 'file://'],
      ['localhost', ''],
    ];
    for (const [name, origin] of SHUT) {
      assertEnvelope(await shake(from(name, origin)), 403, /--allowed-origins/);
    }
    const twice: Lines = [...from('localhost', 'http://localhost'), ['Origin', 'http://evil.example']];
    assertEnvelope(await shake(twice), 403, /--allowed-origins/);
  });
});

describe('a page of another origin', () => {
  const SITES = ['cross-site', 'same-site', 'Same-Origin', '', 'same-origin, cross-site'];
  const site = (value: string): Lines => [
    ['Host', 'localhost'],
    ['Sec-Fetch-Site', value],
  ];

  it('gets nothing that is meant for our own pages, in whatever spelling', async () => {
    for (const path of ['/web/session', '/web', '/web/', '/%77eb/session', '/web%2Fsession', '/web/?x']) {
      for (const value of SITES) {
        assertEnvelope(
          await ask({ line: `GET ${path} HTTP/1.1`, headers: site(value) }),
          403,
          /another origin/,
        );
      }
      const own = await ask({ line: `GET ${path} HTTP/1.1`, headers: site('same-origin') });
      assert.equal(own.status, /^\/(?:web|%77eb)\/session$/.test(path) ? 200 : 404, path);
    }
    const twice: Lines = [...site('same-origin'), ['Sec-Fetch-Site', 'cross-site']];
    assertEnvelope(await ask({ line: 'GET /web/session HTTP/1.1', headers: twice }), 403, /another origin/);
  });

  it("gets nothing at all from the operator's listener, even with the token", async () => {
    for (const path of ['/admin/health', '/', '/nowhere']) {
      for (const value of SITES) {
        const headers = [...site(value), ...bearer()];
        const reply = await ask({ line: `GET ${path} HTTP/1.1`, headers, at: operator.url });
        assertOperatorRefusal(reply, 403, 'foreign_page', /another origin/);
      }
    }
    for (const value of ['same-origin', 'none']) {
      const headers = [...site(value), ...bearer()];
      const reply = await ask({ line: 'GET /admin/health HTTP/1.1', headers, at: operator.url });
      assert.equal(reply.status, 200, value);
    }
  });

  it('may read nothing else and sign nothing: no answer allows it', async () => {
    const cross: Lines = [...site('cross-site'), ['Origin', 'http://evil.example']];
    const preflight: Lines = [
      ...cross,
      ['Access-Control-Request-Method', 'POST'],
      [
        'Access-Control-Request-Headers',
        'access-key,access-sign,access-timestamp,access-passphrase,content-type',
      ],
      ['Access-Control-Request-Private-Network', 'true'],
    ];
    const replies = [
      await ask({ headers: cross }),
      await ask({ line: `GET /docs HTTP/1.1`, headers: cross }),
      await ask({ line: `OPTIONS ${PLACE} HTTP/1.1`, headers: preflight }),
      await ask({ line: `OPTIONS /admin/halt HTTP/1.1`, headers: preflight, at: operator.url }),
    ];
    for (const { headers } of replies) {
      assert.deepEqual(
        [...headers.keys()].filter((name) => name.startsWith('access-control')),
        [],
      );
    }
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 404, 403],
    );
    // What a page may send without asking first: a form, or text. It has no key, so it is nobody.
    const body = JSON.stringify(ORDER);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      const headers: Lines = [...cross, ['Content-Type', type]];
      const reply = await ask({ line: `POST ${PLACE} HTTP/1.1`, headers, body });
      assert.equal(reply.status, 400, reply.body);
    }
  });
});
