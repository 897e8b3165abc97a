/** What a newcomer does on the terminal, with the keyboard alone: every step is checked against the interface. */
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { until } from '../harness/until.ts';
import { openBrowser, openPage, testsIn, type WatchedPage } from './browser.ts';
import { CONTRACT, livingPrice } from './trader.ts';

let browser: Browser | string;
const inBrowser = testsIn(() => browser);
let server: TestServer;
let alice: SignedClient;
let opened: WatchedPage;
let page: Page;
let price: number;

before(async () => {
  browser = await openBrowser();
  if (typeof browser === 'string') return;
  server = await startHosted({ args: ['--market', 'quiet'] });
  price = await livingPrice(server);
  alice = new SignedClient(server.url, server.account('alice'));
  opened = await openPage(browser, server.url, { viewport: { width: 1366, height: 768 } });
  page = opened.page;
  await page.getByRole('button', { name: 'Account: alice' }).waitFor();
  await page.locator('.lamp.good').waitFor();
  await page.locator('.chart-box:not([data-bars="0"])').first().waitFor();
});
after(async () => {
  if (typeof browser === 'string') return;
  alice?.close();
  await browser.close();
  await server?.stop();
});

const keys = async (...pressed: string[]) => {
  for (const key of pressed) await page.keyboard.press(key);
};
const type = async (text: string) => {
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
};
interface Row {
  readonly orderId: string;
  readonly price: string;
  readonly size: string;
  readonly total: string;
  readonly takeProfit: string;
}
/** The page asks with the same key: a question that was one too many is asked again. */
const listed = async (path: string, query: Record<string, string> = {}) => {
  const data = await until(`an answer of ${path}`, async () => {
    const answer = await alice.get(`/api/v3/${path}`, query);
    return answer.code === '429' ? undefined : answer.data;
  });
  return (Array.isArray(data) ? data : (data as { list: Row[] }).list) as Row[];
};
const openOrders = () => listed('trade/unfilled-orders');
const held = () => listed('position/current-position', { category: CONTRACT.category });

describe('with the keyboard alone', () => {
  const step = (what: string, body: () => Promise<void>) =>
    inBrowser(what, async () => {
      await body();
      opened.check();
    });
  const far = () => String(Math.round(price * 0.97));

  step('places a limit order', async () => {
    await keys('l', 'p');
    await type(far());
    await keys('Escape', 'b');
    await type('0.02');
    await keys('Escape', 'Enter');
    await page.getByRole('heading', { name: /^Buy 0\.02 BTC at/ }).waitFor();
    await keys('Enter');
    await until('the order', async () => (await openOrders()).length === 1);
    assert.equal((await openOrders())[0]!.price, far());
  });

  step('amends it on the chart, by ticks', async () => {
    await page.locator('.line.order').waitFor();
    await keys('d', 'Shift+ArrowUp', 'ArrowUp', 'Enter');
    const next = `${Number(far()) + 1}.1`;
    await until('the new price', async () => (await openOrders())[0]?.price === next);
  });

  step('cancels it there', async () => {
    await keys('d', 'Delete');
    await until('no order', async () => (await openOrders()).length === 0);
    await keys('Escape');
  });

  step('buys at market with take-profit and stop-loss', async () => {
    await keys('m');
    await page.locator('#field-attached').press('Space');
    await page.locator('#field-takeProfit').focus();
    await type(String(Math.round(price * 1.05)));
    await page.locator('#field-stopLoss').focus();
    await type(String(Math.round(price * 0.95)));
    await keys('Escape', 'b');
    await type('0.05');
    await keys('Enter');
    // Once a session it asks.
    await page.getByRole('heading', { name: 'Send a market order?' }).waitFor();
    await keys('Enter');
    await until('the position', async () => (await held())[0]?.total === '0.05');
    await page.locator('.line.tp').waitFor();
    await page.locator('.line.sl').waitFor();
    const [legs] = await listed('trade/unfilled-strategy-orders', { category: CONTRACT.category });
    assert.equal(legs!.takeProfit, String(Math.round(price * 1.05)));
  });

  step('learns why an order is too large, at the field that is wrong', async () => {
    await keys('Escape', 'l', 's');
    await type('1000');
    await keys('Enter');
    await page.getByRole('alert').filter({ hasText: '25203' }).waitFor();
    await page.getByRole('alert').filter({ hasText: 'margin is insufficient' }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'field-size');
    assert.equal(await page.locator('#field-size').getAttribute('aria-invalid'), 'true');
    await page.getByRole('alert').getByRole('button', { name: 'why' }).press('Enter');
    await page.getByText('privateUtaPostV3TradePlaceOrder').waitFor();
    await keys('Escape');
  });

  step('closes the position', async () => {
    await keys('Escape', 'g', 'p');
    await page.getByRole('button', { name: 'Close', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Close 100 %' }).press('Enter');
    await until('no position', async () => (await held()).length === 0);
    await page.getByText('No open positions.').waitFor();
  });

  step('changes the account: nothing of the first is shown with the second', async () => {
    await keys('Escape', 'g', 'f');
    await page.getByRole('table').locator('td[data-name="Role"]').first().waitFor();
    await keys('Escape', 'a');
    await page.getByRole('button', { name: /^bob/ }).press('Enter');
    await page.getByRole('button', { name: 'Account: bob' }).waitFor();
    await page.getByText('No fills yet.').waitFor();
    assert.equal(await page.locator('.line').count(), 0);
  });
});

describe('with the pointer', () => {
  inBrowser('drags an order to another price, and a refused one goes back', async () => {
    await page.getByRole('button', { name: 'Account: bob' }).click();
    await page.getByRole('button', { name: /^alice/ }).click();
    await page.getByRole('button', { name: 'Account: alice' }).waitFor();
    const near = String(Math.round(price * 0.996));
    const body = { ...CONTRACT, side: 'buy', orderType: 'limit', qty: '0.02', price: near };
    assert.equal((await alice.post('/api/v3/trade/place-order', body)).code, '00000');
    const grip = page.locator('.line.order [role="slider"]');
    await grip.waitFor();
    const box = (await grip.boundingBox())!;
    await page.mouse.move(box.x + 10, box.y + 12);
    await page.mouse.down();
    await page.mouse.move(box.x + 10, box.y + 52, { steps: 8 });
    await page.mouse.up();
    await until('a lower price', async () => Number((await openOrders())[0]?.price) < Number(near));
    await page.locator('.line.order').getByRole('button').click();
    await until('no order', async () => (await openOrders()).length === 0);
    opened.check();
  });
});
