/** What a browser sees at addresses that are no part of the API, and what programs see there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { VERSION } from '../../src/version.ts';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

let server: TestServer;
let operatorUrl: string;

before(async () => {
  server = await startHosted();
  operatorUrl = JSON.parse(readFileSync(join(server.data, 'operator.json'), 'utf8')).url;
});
after(() => server.stop());

async function open(url: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(url, { headers: { accept: BROWSER, ...headers } });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

function assertHeaders(headers: Headers): void {
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(headers.get('content-security-policy'), PAGE_POLICY);
  assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
  assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('permissions-policy'), 'camera=(), microphone=(), geolocation=()');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
}

function assertPage({ headers, text }: Awaited<ReturnType<typeof open>>): void {
  assertHeaders(headers);
  assert.match(text, /^<!doctype html>\n<html lang="en">/);
  assert.doesNotMatch(
    text,
    /<script|\son\w+=|https?:(?!\/\/www\.w3\.org\/2000\/svg)/i,
    'no scripts, nothing from elsewhere',
  );
}

/** Not ready is an answer too: on a busy machine it is the right one. */
const READINESS = '/readyz';

/** The links of a page lead to something. */
async function assertLinks(text: string): Promise<void> {
  const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path!.replaceAll('&#38;', '&'));
  assert.ok(links.length >= 6, links.join(' '));
  for (const path of links) {
    const { status } = await fetch(server.url + path, { headers: { accept: BROWSER } });
    assert.ok(status === 200 || (status === 503 && path === READINESS), `${path}: ${status}`);
  }
}

test('/about in a browser says what this is, where things are and that demo accounts are on', async () => {
  const page = await open(`${server.url}/about`);
  assert.equal(page.status, 200);
  assertPage(page);
  await assertLinks(page.text);
  for (const word of [
    'Demo accounts are <strong>on</strong>',
    'alice',
    'client curl | bash',
    '/v3/ws/private',
    'README.md',
  ]) {
    assert.ok(page.text.includes(word), word);
  }
  assert.doesNotMatch(page.text, /demo-alice-secret/);
  assert.equal(page.headers.get('cache-control'), 'no-cache');
  const again = await open(`${server.url}/about`, { 'if-none-match': page.headers.get('etag')! });
  assert.deepEqual([again.status, again.text], [304, '']);
});

test('/ in a browser is the terminal, with the headers of a page and files that never change', async () => {
  const page = await open(server.url);
  assert.equal(page.status, 200);
  assertHeaders(page.headers);
  assert.equal(page.headers.get('cache-control'), 'no-cache');
  const again = await open(server.url, { 'if-none-match': page.headers.get('etag')! });
  assert.deepEqual([again.status, again.text], [304, '']);
  const files = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path!);
  assert.deepEqual([...new Set(files.map((path) => path.replace(/.*\./, '')))].sort(), ['css', 'js']);
  for (const path of files) {
    const file = await open(server.url + path, { accept: '*/*' });
    assert.equal(file.status, 200, path);
    assert.equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(file.headers.get('cross-origin-resource-policy'), 'same-origin');
    assert.equal(file.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(file.headers.get('content-encoding'), 'gzip');
    assert.match(file.headers.get('content-type')!, path.endsWith('js') ? /^text\/javascript/ : /^text\/css/);
    const plain = await open(server.url + path, { 'accept-encoding': 'identity' });
    assert.deepEqual([plain.headers.get('content-encoding'), plain.text], [null, file.text]);
  }
  assert.equal((await open(`${server.url}/assets/../package.json`)).status, 404);
  assert.equal((await open(`${server.url}/index.html`)).status, 404);
  const licences = await open(`${server.url}/licences`);
  assertHeaders(licences.headers);
  assert.match(licences.text, /Lightweight Charts/);
});

test('demo keys are told to a page of this server in a browser here, and to nobody else', async () => {
  const ask = async (headers: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${server.url}/web/session`, { headers });
    return {
      status: answer.status,
      body: (await answer.json()) as { accounts?: { name: string }[]; clock?: string },
    };
  };
  const own = await ask({ 'sec-fetch-site': 'same-origin' });
  assert.deepEqual(own.body, {
    demo: true,
    accounts: server.accounts.map(({ name, uid, apiKey, secretKey, passphrase }) => ({
      name,
      uid: String(uid),
      apiKey,
      secretKey,
      passphrase,
    })),
    clock: 'wall',
    lab: false,
    inspect: true,
    version: VERSION,
  });
  for (const headers of [
    {},
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': '203.0.113.9' },
    { 'sec-fetch-site': 'same-origin', forwarded: 'for=203.0.113.9' },
  ])
    assert.deepEqual((await ask(headers)).body.accounts, [], JSON.stringify(headers));
  for (const site of ['cross-site', 'same-site'])
    assert.equal((await ask({ 'sec-fetch-site': site })).status, 403, site);
});

test('/ for other programs, and an unknown path, are JSON as ever', async () => {
  for (const path of ['/', '/about', '/nowhere']) {
    for (const accept of ['*/*', 'application/json, text/plain, */*']) {
      const { status, text } = await open(server.url + path, { accept });
      const { code, msg, data } = JSON.parse(text);
      assert.deepEqual(
        [status, code, msg, data],
        [404, '40404', 'there is no GET at this path; /docs shows what there is', null],
      );
    }
  }
});

test('an unknown path in a browser is a page that names the others', async () => {
  const page = await open(`${server.url}/<b>nowhere</b>`);
  assert.equal(page.status, 404);
  assertPage(page);
  await assertLinks(page.text);
  assert.doesNotMatch(page.text, /<b>/);
  assert.match(
    (await open(`${server.url}/api/v2/spot/trade/place-order`)).text,
    /version 3 .* POST \/api\/v3\/trade\/place-order/,
  );
});

test('a path of an older version says so, with the status and code of a missing path', async () => {
  const ask = async (method: string, path: string) => {
    const answer = await fetch(server.url + path, {
      method,
      ...(method === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } }),
    });
    const { code, msg } = (await answer.json()) as { code: string; msg: string };
    return `${answer.status} ${code} ${msg}`;
  };
  const version = 'this exchange serves version 3 of the interface';
  assert.equal(
    await ask('POST', '/api/v2/mix/order/place-order'),
    `404 40404 there is no POST at this path; ${version}, where it is POST /api/v3/trade/place-order`,
  );
  assert.equal(
    await ask('GET', '/api/spot/v1/market/depth?symbol=BTCUSDT'),
    `404 40404 there is no GET at this path; ${version}, where it is GET /api/v3/market/orderbook`,
  );
  assert.equal(
    await ask('GET', '/api/v2/earn/savings/product'),
    `404 40404 there is no GET at this path; ${version}: /docs shows what there is`,
  );
  // What ccxt needs of version 2 is served; only its method can be wrong.
  assert.equal(
    await ask('POST', '/api/v2/public/time'),
    '404 40404 there is no POST at this path; it takes GET',
  );
  assert.equal(
    await ask('GET', '/v3/ws/public'),
    '404 40404 there is no GET at this path; it takes WebSockets',
  );
  assert.match(await ask('GET', '/v2/ws/public'), /streams are at \/v3\/ws\/public/);
});

test('HEAD is answered where people and load balancers look', async () => {
  for (const path of ['/', '/docs', '/healthz', '/readyz', '/metrics', '/openapi.json', '/asyncapi.json']) {
    const answer = await fetch(server.url + path, { method: 'HEAD' });
    assert.equal(await answer.text(), '', path);
    assert.ok(answer.status === 200 || (answer.status === 503 && path === READINESS), path);
    assert.ok(Number(answer.headers.get('content-length')) > 0, path);
  }
  // A call of the API is signed with its method, and there are two.
  assert.equal((await fetch(`${server.url}/api/v3/public/time`, { method: 'HEAD' })).status, 404);
});

test('the reference is a page like the others, also for programs, and its two documents are there', async () => {
  for (const [path, accept] of [
    ['/docs', 'text/html'],
    ['/docs/', 'text/html'],
    ['/docs', '*/*'],
  ] as const) {
    const page = await open(server.url + path, { accept });
    assert.equal(page.status, 200, path);
    assertHeaders(page.headers);
    assert.match(page.text, /<title>Reference · Bourse<\/title>/);
    for (const [, file] of page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g))
      assert.equal((await open(server.url + file!)).status, 200, file);
  }
  for (const path of ['/openapi.json', '/asyncapi.json']) {
    const answer = await fetch(server.url + path);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.ok(Object.keys(((await answer.json()) as { 'x-errors': object })['x-errors']).length > 10, path);
  }
});

test("/ of the operator's listener is the console, with files of its own; everything else needs the token", async () => {
  const page = await open(operatorUrl);
  assert.equal(page.status, 200);
  assertHeaders(page.headers);
  assert.match(page.text, /npm run bourse -- help/);
  const files = [...page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  assert.ok(files.length >= 2);
  for (const path of files) assert.equal((await fetch(operatorUrl + path)).status, 200, path);
  const script = files.find((path) => path.startsWith('/assets/console'))!;
  assert.equal((await fetch(server.url + script)).status, 404, 'the public port has no file of the console');
  const { token } = JSON.parse(readFileSync(join(server.data, 'operator.json'), 'utf8'));
  assert.ok(!page.text.includes(token) && !page.text.includes(server.data));
  assert.equal((await open(operatorUrl, { accept: '*/*' })).status, 401);
  assert.equal((await open(`${operatorUrl}/admin/health`)).status, 401);
  assert.equal((await open(`${operatorUrl}/nowhere`)).status, 401);
  assert.equal((await open(operatorUrl, { accept: '*/*', authorization: `Bearer ${token}` })).status, 404);
});
