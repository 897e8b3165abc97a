/** The inspector in a real browser: a refusal is understood and copied as a program, mistakes are named, and it looks right. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { loginFrame, StreamClient } from '../harness/stream-client.ts';
import { openBrowser, openPage, testsIn } from './browser.ts';
import { assertAccessible, assertFits } from './looks.ts';
import { makeMistakes, TOO_LARGE } from './mistaken-bot.ts';

const PICTURES = join(import.meta.dirname, '../../node_modules/.cache/web-pictures');
const SIZES = [
  [360, 780],
  [768, 1024],
  [1366, 768],
  [3840, 2160],
] as const;

let browser: Browser | string;
const inBrowser = testsIn(() => browser);
let server: TestServer;

before(async () => {
  browser = await openBrowser();
  if (typeof browser === 'string') return;
  mkdirSync(PICTURES, { recursive: true });
  server = await startHosted();
  await makeMistakes(server);
});
after(async () => {
  if (typeof browser === 'string') return;
  await browser.close();
  await server.stop();
});

describe('the inspector', () => {
  inBrowser('shows why an order was refused, and its program, by the keyboard alone', async (browser) => {
    const opened = await openPage(browser, `${server.url}/inspector`, {
      viewport: { width: 1366, height: 768 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = opened;
    await page.getByRole('button', { name: 'Account: alice' }).waitFor();
    await page.locator('.lamp.good').waitFor();
    const alice = new SignedClient(server.url, server.account('alice'));
    await alice.post('/api/v3/trade/place-order', { ...TOO_LARGE, qty: '987' });
    alice.close();
    // It comes by itself; `/` looks for it, Escape leaves the field, the arrow opens it.
    await page.keyboard.press('/');
    await page.keyboard.type('25202');
    await page.keyboard.press('Escape');
    // One was there before.
    await page
      .getByRole('row', { name: /25202.*balance/ })
      .nth(1)
      .waitFor();
    await page.keyboard.press('ArrowDown');
    const why = page.getByRole('region', { name: 'Why' });
    await why.getByText('the balance is insufficient').waitFor();
    // The exchange is replayed to that order, and tells what it weighed.
    const refusing = why.getByRole('row', { name: /the money is there ?: no/ });
    await refusing.getByText(/needs/).waitFor();
    await why.getByText(/a quantity of at most/).waitFor();
    assert.deepEqual(await why.locator('li[data-verdict="no"]').allTextContents(), ['✗ exchange: no']);
    await page.screenshot({ path: join(PICTURES, 'inspector-why.png') });
    const times = page.getByRole('region', { name: 'Time by step' }).getByRole('listitem');
    assert.deepEqual(
      (await times.allTextContents()).map((text) => text.replace(/[\d.]+/, 'N')),
      ['parse', 'authenticate', 'apply', 'durable', 'answer'].map((step) => `${step} N ms`),
    );
    assert.match(await page.locator('.facts').last().innerText(), /Command\s+[\d,]+\n/);
    const copy = page.getByRole('button', { name: 'Copy curl' });
    await copy.focus();
    await page.keyboard.press('Enter');
    await page.getByText('curl copied').first().waitFor();
    const program = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(program, /"qty":"987"/);
    assert.match(program, /hmac "demo-alice-secret"/);
    for (const [name, words] of [
      ['ccxt JS', /privateUtaPostV3TradePlaceOrder/],
      ['ccxt Python', /print\(exchange\.privateUtaPostV3TradePlaceOrder/],
      ['SDK', /client\.submitNewOrder\(/],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click();
      assert.match(await page.locator('.programs .code').innerText(), words);
    }
    await page.keyboard.press('Escape');
    await why.waitFor({ state: 'detached' });
    opened.check();
    await opened.close();
  });

  inBrowser('asks before it sends again what changes something', async (browser) => {
    const opened = await openPage(browser, `${server.url}/inspector`, {
      viewport: { width: 1366, height: 768 },
    });
    const { page } = opened;
    const rows = page.getByRole('row', { name: /25202/ });
    await rows.first().waitFor();
    const before = await rows.count();
    await rows.first().getByRole('button').click();
    await page.getByRole('button', { name: 'Again', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Send it again?' });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    assert.equal(await rows.count(), before, 'nothing was sent');
    await page.getByRole('button', { name: 'Again', exact: true }).click();
    await question.getByRole('button', { name: 'Send it again' }).click();
    await page.getByText('Sent again: 25202').first().waitFor();
    await rows.nth(before).waitFor();
    opened.check();
    await opened.close();
  });

  inBrowser('names the mistake behind a wrong signature', async (browser) => {
    const opened = await openPage(browser, `${server.url}/inspector`, {
      viewport: { width: 1366, height: 768 },
    });
    const { page } = opened;
    await page.getByRole('button', { name: /^Mistakes [1-9]/ }).click();
    const mistake = page.getByRole('listitem').filter({ hasText: 'Wrong signature' }).first();
    await mistake.getByText('the query was left out').waitFor();
    await page.screenshot({ path: join(PICTURES, 'inspector-mistakes.png') });
    await assertAccessible(page, 'mistakes');
    await mistake.getByRole('button', { name: 'Show the first' }).click();
    const why = page.getByRole('region', { name: 'Why' });
    await why.getByText('the query was left out').waitFor();
    assert.deepEqual(await why.locator('[data-verdict="no"]').allTextContents(), ['✗ signature: no']);
    // Another account sees nothing of it.
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await page.getByRole('dialog', { name: 'Account' }).getByRole('button', { name: /bob/ }).click();
    await page.getByText('No mistakes in what is recorded of this account.').waitFor();
    opened.check();
    await opened.close();
  });

  inBrowser('filters, pauses, clears', async (browser) => {
    const opened = await openPage(browser, `${server.url}/inspector`, {
      viewport: { width: 1366, height: 768 },
    });
    const { page } = opened;
    const rows = page.locator('.requests tbody tr');
    await rows.first().waitFor();
    const all = await rows.count();
    await page.getByLabel('Errors only').check();
    assert.ok((await rows.count()) < all);
    await page.getByLabel('Errors only').uncheck();
    await page.getByRole('button', { name: 'WS', exact: true }).click();
    await page.getByText('None of the requests is like that.').waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    const alice = new SignedClient(server.url, server.account('alice'));
    await alice.get('/api/v3/account/info');
    alice.close();
    await page.getByRole('button', { name: 'Go on (1)' }).click();
    await page
      .getByRole('row', { name: /account\/info/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No requests of this account yet.').waitFor();
    opened.check();
    await opened.close();
  });

  inBrowser('writes a frame that trades as programs, and says which go over HTTP', async (browser) => {
    const stream = await StreamClient.open(server.url, { path: '/v3/ws' });
    stream.send(loginFrame(server.account('bob')));
    await stream.next(({ event }) => event === 'login');
    const args = [{ ...TOO_LARGE, qty: '0.03' }];
    stream.send({ op: 'trade', id: '1', category: 'spot', topic: 'place-order', args });
    await stream.next(({ event }) => event === 'trade');
    stream.close();
    const opened = await openPage(browser, `${server.url}/inspector`, {
      viewport: { width: 1366, height: 768 },
    });
    const { page } = opened;
    await page.locator('.lamp.good').waitFor();
    await page.keyboard.press('a');
    await page.getByRole('dialog', { name: 'Account' }).getByRole('button', { name: /bob/ }).click();
    const sent = page.getByRole('row', { name: /place-order: BTCUSDT buy 0\.03/ });
    await sent.getByRole('button', { name: /^sent over/ }).click();
    const program = page.locator('.programs .code');
    for (const [name, words] of [
      ['SDK', /wsUrl: 'ws:.*\n[\s\S]*client\.submitNewOrder\("spot", \{/],
      [
        'ccxt JS',
        /^\/\/ ccxt trades over HTTP: [\s\S]*privateUtaPostV3TradePlaceOrder\(\{\s+"category": "SPOT"/,
      ],
      ['ccxt Python', /^# ccxt trades over HTTP: /],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click();
      assert.match(await program.innerText(), words);
    }
    await page.getByRole('button', { name: 'Again over HTTP' }).waitFor();
    await page.screenshot({ path: join(PICTURES, 'inspector-frame.png') });
    // Its answer has the command and the times.
    await page
      .getByRole('row', { name: /place-order -> \d+/ })
      .getByRole('button')
      .click();
    await page.getByRole('region', { name: 'Time by step' }).waitFor();
    opened.check();
    await opened.close();
  });

  for (const [width, height] of SIZES) {
    for (const colorScheme of ['dark', 'light'] as const) {
      inBrowser(`is accessible and fits: ${width} x ${height}, ${colorScheme}`, async (browser) => {
        const where = `${width}-${colorScheme}`;
        const viewport = { width, height };
        const opened = await openPage(browser, `${server.url}/inspector`, { viewport, colorScheme });
        const { page } = opened;
        await page.locator('.requests tbody tr').first().waitFor();
        await page.screenshot({ path: join(PICTURES, `inspector-${where}.png`) });
        await assertAccessible(page, where);
        await assertFits(page, where);
        await page.locator('.requests tr[data-refused="true"] button').first().click();
        await page.getByRole('region', { name: 'Why' }).waitFor();
        await page.screenshot({ path: join(PICTURES, `inspector-${where}-entry.png`) });
        await assertAccessible(page, `${where} entry`);
        await assertFits(page, `${where} entry`);
        opened.check();
        await opened.close();
      });
    }
  }
  it('its pictures', (t) => t.diagnostic(PICTURES));
});
