/**
 * A stranger's web page in a real browser on the machine of the exchange, under an origin of its own and under a name that it
 * has pointed here (DNS rebinding). It knows the demo keys, which are public, and even the operator's token: it can neither
 * read nor trade, nor reach the operator's listener and its console. `test/security/hostile/foreign-pages.test.ts` has the rules without a
 * browser.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { signatureHeaders } from '../security/hostile/raw-http.ts';
import { openBrowser, openPage, testsIn } from './browser.ts';
import { codeFor, consoleAddress, type Operator, operatorOf } from './operator.ts';

const EVIL = 'evil.example';
const PLACE = '/api/v3/trade/place-order';
const ORDER = JSON.stringify({
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  qty: '0.01',
  price: '50000',
});
const BLANK = '<!doctype html><title>stranger</title><body></body>';

let browser: Browser | string;
const inBrowser = testsIn(() => browser);
let server: TestServer;
let operator: Operator;
let stranger: Server;

before(async () => {
  browser = await openBrowser([`--host-resolver-rules=MAP ${EVIL} 127.0.0.1`]);
  if (typeof browser === 'string') return;
  server = await startHosted();
  operator = operatorOf(server);
  stranger = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(BLANK),
  ).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
});
after(async () => {
  if (typeof browser === 'string') return;
  await browser.close();
  stranger.close();
  await server.stop();
});

const under = (url: string, name: string) => url.replace('127.0.0.1', name);
const bearer = () => ({ authorization: `Bearer ${operator.token}` });

interface Question {
  readonly mode?: 'no-cors';
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** What a script of the page learns: an answer, one that it may not look into, or nothing. */
const ask = (page: Page, url: string, init: Question = {}) =>
  page.evaluate(
    ({ address, options }) =>
      fetch(address, options).then(
        async (answer) => ({ type: answer.type, status: answer.status, body: await answer.text() }),
        (error: Error) => ({ type: error.message, status: 0, body: '' }),
      ),
    { address: url, options: init },
  );

const opens = (page: Page, url: string) =>
  page.evaluate(
    (address) =>
      new Promise<boolean>((resolve) => {
        const socket = new WebSocket(address);
        socket.onopen = () => resolve(true);
        socket.onerror = () => resolve(false);
      }),
    url.replace('http', 'ws'),
  );

const signedOrder = () => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    ...Object.fromEntries(signatureHeaders(server.account('alice'), 'POST', PLACE, ORDER)),
  },
  body: ORDER,
});

async function assertNoOrder(): Promise<void> {
  const alice = new SignedClient(server.url, server.account('alice'));
  const { data } = await alice.get('/api/v3/trade/unfilled-orders');
  alice.close();
  assert.deepEqual((data as { list: unknown[] }).list, []);
}

const READS = ['/', '/about', '/web/session', '/api/v3/public/time', '/openapi.json', '/metrics', '/docs'];
const STREAMS = ['/v3/ws/public', '/v3/ws/private'];
const OPERATOR = ['/', '/admin/health', '/admin/accounts', '/admin/sessions', '/admin/risk', '/admin/config'];

describe('a page of another origin', () => {
  let page: Page;
  before(async () => {
    if (typeof browser === 'string') return;
    page = await (await browser.newContext()).newPage();
    const { port } = stranger.address() as AddressInfo;
    await page.goto(`http://${EVIL}:${port}/`);
  });

  inBrowser('reads nothing of the public port', async () => {
    for (const path of READS)
      assert.deepEqual(
        await ask(page, server.url + path),
        { type: 'Failed to fetch', status: 0, body: '' },
        path,
      );
    for (const path of READS) {
      const { type, body } = await ask(page, server.url + path, { mode: 'no-cors' });
      assert.equal(body, '', `${path} is ${type}`);
    }
  });

  inBrowser('sends no order, signed or not', async () => {
    assert.equal((await ask(page, server.url + PLACE, signedOrder())).type, 'Failed to fetch');
    const plain: Question = { method: 'POST', mode: 'no-cors', body: ORDER };
    assert.equal((await ask(page, server.url + PLACE, plain)).body, '');
    await assertNoOrder();
  });

  inBrowser('opens no stream', async () => {
    for (const path of STREAMS) assert.equal(await opens(page, server.url + path), false, path);
  });

  inBrowser("learns nothing from the operator's listener, even with the token", async () => {
    for (const path of OPERATOR)
      for (const init of [{ headers: bearer() }, {}, { mode: 'no-cors' }] as const)
        assert.equal((await ask(page, operator.url + path, init)).body, '', path);
    assert.equal(await opens(page, `${operator.url}/admin/stream`), false);
  });

  inBrowser('makes no session of a code of the console, nor uses the code up', async () => {
    const code = await codeFor(operator);
    const body = JSON.stringify({ code });
    for (const init of [
      { method: 'POST', headers: { 'content-type': 'application/json' }, body },
      { method: 'POST', mode: 'no-cors', body },
    ] as const)
      assert.equal((await ask(page, `${operator.url}/admin/session`, init)).body, '');
    const begun = await fetch(`${operator.url}/admin/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    assert.equal(begun.status, 200);
  });

  inBrowser('does not follow into the console that an operator has open', async (browser) => {
    const opened = await openPage(browser, await consoleAddress(operator));
    await opened.page.locator('.state b', { hasText: 'READY' }).waitFor();
    const beside = await opened.page.context().newPage();
    const { port } = stranger.address() as AddressInfo;
    await beside.goto(`http://${EVIL}:${port}/`);
    for (const path of OPERATOR) assert.equal((await ask(beside, operator.url + path)).body, '', path);
    const [popup] = await Promise.all([
      beside.context().waitForEvent('page'),
      beside.evaluate((url) => void window.open(url), operator.url),
    ]);
    await popup.waitForLoadState();
    // A window that a stranger opens gets no page at all, and so no tab of the operator's session.
    assert.match(
      await popup.evaluate(() => document.body.textContent ?? ''),
      /web page of another origin may not/,
    );
    opened.check();
    await opened.close();
  });

  inBrowser('cannot load the program of the terminal, show it in a frame or hold its window', async () => {
    const html = await (await fetch(server.url, { headers: { accept: 'text/html' } })).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)![1]!;
    const loads = await page.evaluate(
      (url) =>
        new Promise((resolve) => {
          const element = document.createElement('script');
          element.src = url;
          element.onload = () => resolve(true);
          element.onerror = () => resolve(false);
          document.head.append(element);
        }),
      server.url + script,
    );
    assert.equal(loads, false);
    for (const url of [server.url, operator.url]) {
      await page.evaluate(
        (address) =>
          new Promise((resolve) => {
            const frame = document.createElement('iframe');
            frame.src = address;
            frame.onload = resolve;
            document.body.replaceChildren(frame);
          }),
        url,
      );
      const frame = page.frames().at(-1)!;
      const shown = await frame.evaluate(() => `${location.href} ${document.body.textContent}`);
      // Where a page refuses to be framed the browser shows an error of its own; the operator's answers 403 before.
      assert.match(shown, url === server.url ? /^chrome-error:/ : /web page of another origin may not/);
    }
    const [popup] = await Promise.all([
      page.context().waitForEvent('page'),
      page.evaluate((url) => Object.assign(window, { theirs: window.open(url) }), server.url),
    ]);
    await popup.locator('.terminal').waitFor();
    assert.equal(await popup.evaluate(() => window.opener), null);
    assert.equal(
      await page.evaluate(() => (window as unknown as { theirs: Window }).theirs.closed),
      true,
      'to its opener the window is gone',
    );
    await popup.close();
  });
});

describe('a page under a name that points at this machine', () => {
  /** Its document has, for the browser, the origin of the exchange: what a script asks in it is of the same origin. */
  async function rebound(of: string): Promise<Page> {
    assert.ok(typeof browser !== 'string');
    const page = await (await browser.newContext()).newPage();
    assert.equal((await page.goto(under(of, EVIL)))!.status(), 421);
    assert.equal(await page.evaluate(() => location.origin), under(of, EVIL));
    return page;
  }

  inBrowser('421 for all it reads and sends on the public port', async () => {
    const page = await rebound(server.url);
    for (const path of READS) {
      const { type, status, body } = await ask(page, path, { headers: { accept: 'text/html' } });
      assert.deepEqual([type, status], ['basic', 421], path);
      assert.match(body, /does not answer under the host name evil\.example/);
    }
    assert.equal((await ask(page, PLACE, signedOrder())).status, 421);
    await assertNoOrder();
    for (const path of STREAMS) assert.equal(await opens(page, under(server.url, EVIL) + path), false, path);
  });

  inBrowser("421 on the operator's listener, even with the token", async () => {
    const page = await rebound(operator.url);
    for (const path of OPERATOR)
      assert.equal((await ask(page, path, { headers: bearer() })).status, 421, path);
    const body = JSON.stringify({ name: 'stranger' });
    const headers = { ...bearer(), 'content-type': 'application/json' };
    assert.equal((await ask(page, '/admin/accounts', { method: 'POST', headers, body })).status, 421);
    const code = JSON.stringify({ code: await codeFor(operator) });
    const json = { 'content-type': 'application/json' };
    assert.equal(
      (await ask(page, '/admin/session', { method: 'POST', headers: json, body: code })).status,
      421,
    );
    assert.equal(await opens(page, `${under(operator.url, EVIL)}/admin/stream`), false);
  });
});

describe('the pages of the exchange', () => {
  const HEADERS: Readonly<Record<string, RegExp>> = {
    'content-security-policy': /^default-src 'none';.*frame-ancestors 'none'; base-uri 'none'; form-action '/,
    'cross-origin-opener-policy': /^same-origin$/,
    'cross-origin-resource-policy': /^same-origin$/,
    'referrer-policy': /^no-referrer$/,
    'permissions-policy': /camera=\(\), microphone=\(\), geolocation=\(\)/,
    'x-content-type-options': /^nosniff$/,
  };

  inBrowser('have the headers that keep strangers out', async (browser) => {
    const page = await (await browser.newContext()).newPage();
    const pages = ['/', '/about', '/licences', '/docs', '/nowhere'].map((path) => server.url + path);
    for (const url of [...pages, `${operator.url}/`]) {
      const headers = (await page.goto(url))!.headers();
      for (const [name, value] of Object.entries(HEADERS))
        assert.match(headers[name] ?? '', value, `${url} ${name}`);
    }
  });

  inBrowser('work: the same questions of the terminal itself are answered', async (browser) => {
    const opened = await openPage(browser, server.url);
    const { status, body } = await ask(opened.page, '/web/session');
    assert.equal(status, 200);
    assert.match(body, /"demo-alice"/);
    for (const path of STREAMS) assert.equal(await opens(opened.page, server.url + path), true, path);
    assert.equal((await ask(opened.page, PLACE, signedOrder())).status, 200);
    opened.check();
    await opened.close();
  });
});
