/** The exchange is killed under an open page and started again: the page is whole without a reload. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { startServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { openBrowser, openPage, testsIn } from './browser.ts';
import { figure } from './figures.ts';
import { tradeALittle } from './trader.ts';

let browser: Browser | string;
const inBrowser = testsIn(() => browser);

before(async () => {
  browser = await openBrowser();
});
after(async () => {
  if (typeof browser !== 'string') await browser.close();
});

inBrowser('killed with -9 and started again', async (browser, t) => {
  const data = temporaryDirectory();
  const first = await startServer({ data, args: ['--market', 'normal'] });
  const { port } = new URL(first.url);
  await tradeALittle(first);
  const opened = await openPage(browser, first.url, { viewport: { width: 1366, height: 768 }, breaks: true });
  const { page } = opened;
  await page.getByRole('tab', { name: 'Open 2' }).click();
  await page.evaluate(() => Object.assign(window, { stillHere: true }));
  await first.kill();
  await page.locator('.away').waitFor();
  const second = await startServer({ data, args: ['--market', 'normal', '--port', port] });
  const listening = Date.now();
  await page.locator('.lamp.good').waitFor();
  await page.locator('.away').waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Open 2' }).waitFor();
  figure(t, 'whole after Listening', (Date.now() - listening) / 1000, 's', 3);
  assert.equal(await page.evaluate(() => 'stillHere' in window), true, 'without a reload');
  const alice = new SignedClient(second.url, second.account('alice'));
  const { list } = (await alice.get('/api/v3/trade/unfilled-orders')).data as { list: { orderId: string }[] };
  alice.close();
  const shown = await page
    .getByRole('button', { name: /^Cancel order/ })
    .evaluateAll((buttons) =>
      buttons.map((button) => button.getAttribute('aria-label')!.replace('Cancel order ', '')),
    );
  assert.deepEqual(shown.toSorted(), list.map(({ orderId }) => orderId).toSorted());
  opened.check();
  await opened.close();
  await second.stop();
  rmSync(data, { recursive: true, force: true });
});
