/** How the terminal looks: no violation that axe finds, in six widths and both themes, and a picture of each. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { openBrowser, openPage, testsIn } from './browser.ts';
import { assertAccessible, assertFits } from './looks.ts';
import { tradeALittle } from './trader.ts';

const PICTURES = join(import.meta.dirname, '../../node_modules/.cache/web-pictures');
const SIZES = [
  [360, 780],
  [768, 1024],
  [1366, 768],
  [1920, 1080],
  [2560, 1440],
  [3840, 2160],
] as const;

let browser: Browser | string;
const inBrowser = testsIn(() => browser);
let server: TestServer;

before(async () => {
  browser = await openBrowser();
  if (typeof browser === 'string') return;
  mkdirSync(PICTURES, { recursive: true });
  server = await startHosted({ args: ['--market', 'normal'] });
  await tradeALittle(server);
});
after(async () => {
  if (typeof browser === 'string') return;
  await browser.close();
  await server.stop();
});

describe('the terminal', () => {
  for (const [width, height] of SIZES) {
    for (const colorScheme of ['dark', 'light'] as const) {
      inBrowser(`is accessible and fits: ${width} x ${height}, ${colorScheme}`, async (browser) => {
        const where = `${width}-${colorScheme}`;
        const opened = await openPage(browser, server.url, { viewport: { width, height }, colorScheme });
        const { page } = opened;
        await page.locator('.chart-box:not([data-bars="0"])').first().waitFor();
        await page.locator('.line').first().waitFor();
        await page.screenshot({ path: join(PICTURES, `terminal-${where}.png`) });
        await assertAccessible(page, where);
        await assertFits(page, where);
        if (width < 720) {
          for (const name of ['Book', 'Trades', 'Positions']) {
            await page.getByLabel('Panel').getByRole('button', { name }).click();
            await page.screenshot({ path: join(PICTURES, `terminal-${where}-${name.toLowerCase()}.png`) });
            await assertAccessible(page, `${where} ${name}`);
          }
          await page.getByRole('navigation').getByRole('button', { name: 'Buy' }).click();
          await page.screenshot({ path: join(PICTURES, `terminal-${where}-order.png`) });
          await assertAccessible(page, `${where} order`);
        }
        if (width === 1366) {
          const form = page.locator('.form-area');
          const hidden = await form.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
          assert.ok(hidden <= 0, `the form is complete without scrolling: ${hidden} pixels are not`);
          for (const key of ['?', '/', 'a', 'c']) {
            await page.keyboard.press(key);
            await page.locator('dialog[open]').waitFor();
            await page.screenshot({ path: join(PICTURES, `terminal-${where}-key-${key.charCodeAt(0)}.png`) });
            await assertAccessible(page, `${where} ${key}`);
            await page.keyboard.press('Escape');
            await page.locator('dialog[open]').waitFor({ state: 'detached' });
          }
          for (const list of ['Open', 'Triggers', 'Orders', 'Fills', 'Ledger', 'Assets', 'Loans', 'Events']) {
            await page.getByRole('tab', { name: list }).click();
            await assertAccessible(page, `${where} ${list}`);
          }
        }
        opened.check();
        await opened.close();
      });
    }
  }
  it('its pictures', (t) => t.diagnostic(PICTURES));
});
