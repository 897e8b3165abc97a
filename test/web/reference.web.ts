/** The reference in a real browser: calls are found, sent and explained, topics are heard, and it looks right. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { openBrowser, openPage, testsIn } from './browser.ts';

const PICTURES = join(import.meta.dirname, '../../node_modules/.cache/web-pictures');

let browser: Browser | string;
const inBrowser = testsIn(() => browser);
let server: TestServer;

before(async () => {
  browser = await openBrowser();
  if (typeof browser === 'string') return;
  mkdirSync(PICTURES, { recursive: true });
  server = await startHosted({ args: ['--market', 'normal'] });
});
after(async () => {
  if (typeof browser === 'string') return;
  await browser.close();
  await server.stop();
});

const open = async (shown: Browser, hash: string, options: Parameters<typeof openPage>[2] = {}) => {
  const opened = await openPage(shown, `${server.url}/docs${hash}`, {
    viewport: { width: 1366, height: 768 },
    ...options,
  });
  await opened.page.locator('main h1').first().waitFor();
  return opened;
};

const send = (page: Page, method: string) => page.getByRole('button', { name: `Send ${method}` });
const shownText = (page: Page) => page.locator('.result pre').innerText();

describe('the reference', () => {
  inBrowser('sends a public call and shows request, answer and time', async (shown) => {
    const { page, check, close } = await open(shown, '#/market/tickers');
    await page.getByRole('heading', { name: 'Best prices and the rolling 24 hours' }).waitFor();
    await page.getByLabel('symbol').fill('BTCUSDT');
    await send(page, 'GET').click();
    await page.locator('.success', { hasText: /00000 success HTTP 200, [\d.]+ ms/ }).waitFor();
    const answer = JSON.parse(await shownText(page));
    assert.deepEqual([answer.code, answer.data[0].symbol], ['00000', 'BTCUSDT']);
    await page.getByLabel('Show').getByRole('button', { name: 'Signed text' }).click();
    assert.equal(await shownText(page), 'This call needs no signature.');
    check();
    await close();
  });

  inBrowser(
    'signs a call with the chosen account, after a question because it changes something',
    async (shown) => {
      const { page, check, close } = await open(shown, '#/trade/place-order');
      await page.getByRole('button', { name: 'Account: alice' }).click();
      await page.getByRole('button', { name: 'bob' }).click();
      await page.getByLabel('price', { exact: true }).fill('48000');
      await send(page, 'POST').click();
      await page.getByRole('dialog').getByText('it is sent as bob').waitFor();
      await page.getByRole('button', { name: 'Back' }).click();
      assert.equal(await page.locator('.result').count(), 0, 'nothing is sent without an answer');
      await send(page, 'POST').click();
      await page.getByRole('button', { name: 'Send it' }).click();
      await page.locator('.success').waitFor();
      const { orderId } = JSON.parse(await shownText(page)).data;
      const bob = new SignedClient(server.url, server.account('bob'));
      const order = (await bob.get('/api/v3/trade/order-info', { orderId })).data;
      bob.close();
      assert.deepEqual([order.price, order.side], ['48000', 'buy']);
      await page.getByLabel('Show').getByRole('button', { name: 'Signed text' }).click();
      assert.match(await shownText(page), /^\d{13}POST\/api\/v3\/trade\/place-order\{"category":"SPOT"/);
      await page.getByLabel('Show').getByRole('button', { name: 'Request' }).click();
      assert.match(await shownText(page), /access-key: demo-bob\n/);
      check();
      await close();
    },
  );

  inBrowser('explains a refusal and leads to its code, and back to calls', async (shown) => {
    const { page, check, close } = await open(shown, '#/trade/place-order');
    await page.getByLabel('qty').fill('0.00000001');
    await send(page, 'POST').click();
    await page.getByRole('button', { name: 'Send it' }).click();
    const explained = page.locator('.explained');
    await explained.waitFor();
    assert.match(await explained.innerText(), /Nothing was changed\./);
    const code = await explained.getByRole('link').innerText();
    await explained.getByRole('link').click();
    await page.getByRole('heading', { name: code, level: 1 }).waitFor();
    assert.equal(new URL(page.url()).hash, `#/errors/${code}`);
    await page.getByRole('searchbox').fill('margin insufficient');
    await page.getByRole('cell', { name: 'the margin is insufficient' }).waitFor();
    assert.equal(await page.getByRole('table', { name: 'Codes of calls' }).locator('tbody tr').count(), 1);
    check();
    await close();
  });

  inBrowser('writes a body as JSON, says what is no JSON, and makes a list of forms', async (shown) => {
    const { page, check, close } = await open(shown, '#/trade/place-batch');
    await page.getByRole('button', { name: 'Add one more' }).click();
    assert.equal(await page.getByRole('group', { name: /^[12]$/ }).count(), 2);
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const body = page.getByLabel('Body', { exact: true });
    assert.equal(JSON.parse(await body.inputValue()).length, 2);
    await body.fill('[{');
    await page.getByText('This is no JSON.').waitFor();
    assert.ok(await send(page, 'POST').isDisabled());
    check();
    await close();
  });

  inBrowser('subscribes to a public and to a private topic', async (shown) => {
    const { page, check, close } = await open(shown, '#/streams/ticker');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.locator('.frames li.in', { hasText: '"lastPrice"' }).first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Subscribe' }).waitFor();
    await page.goto(`${server.url}/docs#/streams/account`);
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.locator('.frames li.in', { hasText: '"topic":"account"' }).first().waitFor();
    const frames = await page.locator('.frames').innerText();
    assert.ok(!frames.includes('"passphrase":"demo"'), 'a passphrase is not shown');
    check();
    await close();
  });

  inBrowser('is used with the keyboard alone', async (shown) => {
    const { page, check, close } = await open(shown, '');
    await page.keyboard.press('/');
    await page.keyboard.type('server time');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Server time', level: 1 }).waitFor();
    assert.equal(new URL(page.url()).hash, '#/public/time');
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');
    await page.keyboard.press('t');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.success').waitFor();
    await page.keyboard.press('a');
    await page.getByRole('dialog', { name: 'Account' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    check();
    await close();
  });

  inBrowser('finds addresses of the reference before it, and says when there is nothing', async (shown) => {
    const { page, check, close } = await open(shown, '#/Trading/postTradePlaceOrder');
    await page.getByRole('heading', { name: 'Place one order' }).waitFor();
    await page.goto(`${server.url}/docs#/nowhere/at-all`);
    await page.getByText('Nothing has this address: nowhere/at-all').waitFor();
    check();
    await close();
  });

  const SIZES = [
    [360, 780],
    [768, 1024],
    [1366, 768],
    [3840, 2160],
  ] as const;
  const PLACES = [
    '',
    '#/trade/place-order',
    '#/account/move-positions',
    '#/streams',
    '#/streams/books',
    '#/errors/25203',
  ];
  for (const [width, height] of SIZES)
    for (const colorScheme of ['dark', 'light'] as const)
      inBrowser(`is accessible and fits: ${width} x ${height}, ${colorScheme}`, async (shown) => {
        const { page, check, close } = await open(shown, '', { viewport: { width, height }, colorScheme });
        for (const place of PLACES) {
          const where = `reference-${width}-${colorScheme}${place.replaceAll(/\W+/g, '-')}`;
          await page.goto(`${server.url}/docs${place}`);
          await page.locator('main h1').first().waitFor();
          await page.screenshot({ path: join(PICTURES, `${where}.png`) });
          await assertFine(page, where);
        }
        for (const key of ['/', 'a']) {
          await page.keyboard.press(key);
          await page.locator('dialog[open]').waitFor();
          await assertFine(page, `${width} ${colorScheme} ${key}`);
          await page.keyboard.press('Escape');
          await page.locator('dialog[open]').waitFor({ state: 'detached' });
        }
        if (width < 900) {
          await page.getByRole('button', { name: 'Contents' }).click();
          await page.locator('dialog[open]').waitFor();
          await assertFine(page, `${width} ${colorScheme} contents`);
          await page.getByRole('dialog').getByRole('link', { name: 'Conventions' }).click();
          await page.locator('dialog[open]').waitFor({ state: 'detached' });
        }
        check();
        await close();
      });
});

async function assertFine(page: Page, where: string): Promise<void> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withTags(tags).analyze();
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  );
  assert.deepEqual(found, [], where);
  const { wide, room } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    room: innerWidth,
  }));
  assert.ok(wide <= room, `${where} scrolls sideways: ${wide} in ${room}`);
}
