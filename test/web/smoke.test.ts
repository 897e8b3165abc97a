/**
 * The pages in a real browser: the terminal loads, draws, logs in, places, moves and cancels an order; the inspector shows why
 * one was refused.
 */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { until } from '../harness/until.ts';
import { openBrowser, openPage, testsIn } from './browser.ts';

let browser: Browser | string;
const inBrowser = testsIn(() => browser);
let server: TestServer;

before(async () => {
  browser = await openBrowser();
  if (typeof browser !== 'string') server = await startHostedInMemory();
});
after(async () => {
  if (typeof browser === 'string') return;
  await browser.close();
  await server.stop();
});

const ORDER = { category: 'SPOT', symbol: 'BTCUSDT', orderType: 'limit', qty: '0.01' };

inBrowser('the terminal loads, draws, logs in, places, moves and cancels an order', async (browser) => {
  const maker = new SignedClient(server.url, server.account('maker'));
  for (const [side, price] of [
    ['buy', '59990'],
    ['sell', '60010'],
  ])
    assert.equal((await maker.post('/api/v3/trade/place-order', { ...ORDER, side, price })).code, '00000');
  maker.close();
  const bob = new SignedClient(server.url, server.account('bob'));
  const taken = { ...ORDER, orderType: 'market', side: 'sell', qty: '0.001' };
  assert.equal((await bob.post('/api/v3/trade/place-order', taken)).code, '00000');
  bob.close();
  const opened = await openPage(browser, `${server.url}/#SPOT/BTCUSDT`, {
    viewport: { width: 1366, height: 768 },
  });
  const { page } = opened;

  await page.getByRole('button', { name: 'Account: alice' }).waitFor();
  await page.locator('.asks .level:visible', { hasText: '60,010.00' }).waitFor();
  await page.locator('.bids .level:visible', { hasText: '59,990.00' }).waitFor();
  await page.locator('.chart-box canvas').first().waitFor();
  await page.locator('.lamp.good').waitFor();

  await page.getByLabel('Price', { exact: true }).fill('59000');
  await page.getByLabel('Size', { exact: true }).fill('0.05');
  await page.getByRole('button', { name: /Buy 0\.05 BTC at 59,000\.00/ }).click();
  await page.getByRole('tab', { name: 'Open 1' }).click();
  const listed = page.getByRole('tabpanel', { name: 'Open' });
  await listed.getByRole('cell', { name: '59,000.00' }).waitFor();
  const alice = new SignedClient(server.url, server.account('alice'));
  const open = async () =>
    (await alice.get('/api/v3/trade/unfilled-orders')).data as {
      list: { orderId: string; price: string; qty: string }[];
    };
  assert.deepEqual(
    (await open()).list.map(({ price, qty }) => [price, qty]),
    [['59000', '0.05']],
  );

  const line = page.locator(`[data-order-id="${(await open()).list[0]!.orderId}"] [role="slider"]`);
  await line.focus();
  await page.keyboard.press('Shift+ArrowUp');
  await page.keyboard.press('Enter');
  await until('the order has moved by ten ticks', async () => (await open()).list[0]!.price === '59000.1');
  await listed.getByRole('cell', { name: '59,000.10' }).waitFor();
  await page.getByRole('button', { name: /^Cancel order/ }).click();
  await page.getByText('No open orders.').waitFor();
  assert.deepEqual((await open()).list, []);
  alice.close();
  opened.check();
  await opened.close();
});

inBrowser('the inspector shows a refused order, and why', async (browser) => {
  const alice = new SignedClient(server.url, server.account('alice'));
  const tooLarge = { ...ORDER, side: 'buy', price: '59000', qty: '1000' };
  assert.equal((await alice.post('/api/v3/trade/place-order', tooLarge)).code, '25202');
  alice.close();
  const opened = await openPage(browser, `${server.url}/inspector`, {
    viewport: { width: 1366, height: 768 },
  });
  const { page } = opened;
  await page
    .getByRole('row', { name: /place-order.*25202.*balance/ })
    .getByRole('button')
    .click();
  const why = page.getByRole('region', { name: 'Why' });
  await why.getByText('the balance is insufficient').waitFor();
  // The checks of the exchange come with an answer of their own.
  await why.getByText('the money is there').waitFor();
  const [exchange, money, ...others] = await why.locator('[data-verdict="no"]').allTextContents();
  assert.deepEqual([exchange, others], ['✗ exchange: no', []]);
  assert.match(money!, /^✗ the money is there: noneeds 59000000 USDT/);
  opened.check();
  await opened.close();
});
