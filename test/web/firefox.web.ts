/** The smoke list in Firefox: the terminal loads, logs in, places an order, lets it be dragged, and comes back after a kill. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { startServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';
import { openFirefox, openInFirefox } from './firefox.ts';
import { CONTRACT, livingPrice } from './trader.ts';

interface Order {
  readonly orderId: string;
  readonly price: string;
  readonly qty: string;
}

/** Selectors of Puppeteer compile text in the page, which its policy refuses: questions go as functions. */
const count = (page: Page, selector: string) =>
  page.evaluate((sought) => document.querySelectorAll(sought).length, selector);
const seen = (page: Page, selector: string) => until(selector, async () => (await count(page, selector)) > 0);
const gone = (page: Page, selector: string) =>
  until(`no ${selector}`, async () => (await count(page, selector)) === 0);

async function middleOf(page: Page, selector: string): Promise<{ x: number; y: number }> {
  await seen(page, selector);
  return page.evaluate((sought) => {
    const { x, y, width, height } = document.querySelector(sought)!.getBoundingClientRect();
    return { x: x + Math.min(10, width / 2), y: y + height / 2 };
  }, selector);
}

async function fill(page: Page, field: string, text: string): Promise<void> {
  const { x, y } = await middleOf(page, field);
  await page.mouse.click(x, y);
  await page.evaluate((sought) => document.querySelector<HTMLInputElement>(sought)!.select(), field);
  await page.keyboard.type(text);
}

test('the terminal in Firefox loads, logs in, places and drags an order, and comes back', async (t) => {
  const browser = await openFirefox();
  if (typeof browser === 'string') return t.skip(browser);
  t.after(() => browser.close());
  t.diagnostic(await browser.version());
  const data = temporaryDirectory();
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const args = ['--market', 'normal'];
  const first = await startServer({ data, args });
  let running = first;
  t.after(() => running.stop());
  const near = String(Math.round((await livingPrice(first)) * 0.996));
  const { page, check } = await openInFirefox(browser, first.url);

  await until('an account', () =>
    page.evaluate(() =>
      [...document.querySelectorAll('button')].some(({ textContent }) =>
        /Account:\s*alice/.test(textContent),
      ),
    ),
  );
  await seen(page, '.lamp.good');
  await seen(page, '.chart-box:not([data-bars="0"]) canvas');
  await seen(page, '.asks .level');

  await fill(page, '#field-price', near);
  await fill(page, '#field-size', '0.02');
  await until('the button that buys', () =>
    page.evaluate(() => {
      const buttons = [...document.querySelectorAll('button')];
      const buys = buttons.find(({ textContent }) => textContent.includes('Buy 0.02 BTC'));
      buys?.click();
      return buys !== undefined;
    }),
  );
  let alice = new SignedClient(first.url, first.account('alice'));
  const open = async () => (await alice.get('/api/v3/trade/unfilled-orders', CONTRACT)).data.list as Order[];
  const placed = await until('the order', async () => (await open())[0]);
  assert.deepEqual([Number(placed.price), placed.qty], [Number(near), '0.02']);

  const { x, y } = await middleOf(page, `[data-order-id="${placed.orderId}"] [role="slider"]`);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + 40, { steps: 8 });
  await page.mouse.up();
  await until('a lower price', async () => Number((await open())[0]?.price) < Number(near));
  alice.close();

  await page.evaluate(() => Object.assign(window, { stillHere: true }));
  await first.kill();
  await seen(page, '.away');
  const second = await startServer({ data, args: [...args, '--port', new URL(first.url).port] });
  running = second;
  await gone(page, '.away');
  await seen(page, '.lamp.good');
  assert.equal(await page.evaluate(() => 'stillHere' in window), true, 'without a reload');
  alice = new SignedClient(second.url, second.account('alice'));
  const [kept] = await open();
  alice.close();
  assert.equal(kept?.orderId, placed.orderId);
  await seen(page, `[data-order-id="${kept.orderId}"]`);
  const shown = await page.evaluate(
    (id) => document.querySelector(`[data-order-id="${id}"]`)!.getAttribute('data-price'),
    kept.orderId,
  );
  assert.equal(Number(shown), Number(kept.price));
  check();
});
