/** The console in Chromium: how every page looks, and that it is operated with the keyboard alone. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { until } from '../harness/until.ts';
import { openBrowser, openPage, testsIn } from './browser.ts';
import { assertAccessible, assertFits } from './looks.ts';
import { ask, consoleAddress, type Operator, operatorOf } from './operator.ts';
import { tradeALittle } from './trader.ts';

const PICTURES = join(import.meta.dirname, '../../node_modules/.cache/web-pictures');
const SIZES = [
  [360, 780],
  [1366, 768],
  [3840, 2160],
] as const;
const PAGES = ['overview', 'markets', 'accounts', 'money', 'risk', 'requests', 'audit', 'settings'];

let browser: Browser | string;
const inBrowser = testsIn(() => browser);
let server: TestServer;
let operator: Operator;

before(async () => {
  browser = await openBrowser();
  if (typeof browser === 'string') return;
  mkdirSync(PICTURES, { recursive: true });
  server = await startHosted({ args: ['--market', 'normal'] });
  operator = operatorOf(server);
  await tradeALittle(server);
});
after(async () => {
  if (typeof browser === 'string') return;
  await browser.close();
  await server.stop();
});

async function show(page: Page, place: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, place);
  // Nobody may have sent a request.
  const shown = place === 'requests' ? '.records, .empty' : '.records';
  await page.locator(shown).first().waitFor();
  await until('everything was fetched', () =>
    page.evaluate(
      () => ![...document.querySelectorAll('.empty')].some(({ textContent }) => textContent === '…'),
    ),
  );
}

const halted = async () => (await ask<{ halted: boolean }>(operator, '/admin/health')).halted;

describe('the console', () => {
  for (const [width, height] of SIZES) {
    for (const colorScheme of ['dark', 'light'] as const) {
      inBrowser(`is accessible and fits: ${width} x ${height}, ${colorScheme}`, async (browser) => {
        const opened = await openPage(browser, await consoleAddress(operator), {
          viewport: { width, height },
          colorScheme,
        });
        const { page } = opened;
        await page.locator('.state b', { hasText: 'READY' }).waitFor();
        const { accounts } = await ask<{ accounts: { uid: number }[] }>(
          operator,
          '/admin/accounts?search=alice',
        );
        for (const place of [...PAGES, `accounts/${accounts[0]!.uid}`]) {
          const where = `${place.replace('/', '-')}-${width}-${colorScheme}`;
          await show(page, place);
          await page.screenshot({ path: join(PICTURES, `console-${where}.png`) });
          await assertAccessible(page, where);
          await assertFits(page, where);
        }
        await show(page, 'overview');
        await page.getByRole('button', { name: 'Halt the venue…' }).click();
        await page.screenshot({ path: join(PICTURES, `console-halt-${width}-${colorScheme}.png`) });
        await assertAccessible(page, 'a dangerous action');
        await page.keyboard.press('Escape');
        await show(page, 'markets');
        await page.getByRole('button', { name: 'Another…' }).first().click();
        await page.getByRole('dialog', { name: 'List an instrument' }).waitFor();
        await assertAccessible(page, 'an entry of the catalogue');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: "Operator's console" }).waitFor();
        await assertAccessible(page, 'sign in');
        opened.check();
        await opened.close();
      });
    }
  }
  it('its pictures', (t) => t.diagnostic(PICTURES));

  inBrowser('is operated with the keyboard alone', async (browser) => {
    const opened = await openPage(browser, await consoleAddress(operator));
    const { page } = opened;
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement as HTMLInputElement;
        return (element.getAttribute('aria-label') ?? element.textContent ?? '').trim();
      });
    /** From where the focus is, with the key that everybody has. */
    const tabTo = async (name: string) => {
      for (let steps = 0; steps < 300; steps++) {
        await page.keyboard.press('Tab');
        if ((await focused()) === name) return;
      }
      assert.fail(`no way to ${name}`);
    };
    await page.locator('.state b', { hasText: 'READY' }).waitFor();
    await tabTo('To the content');
    await page.keyboard.press('Enter');
    await tabTo('Halt the venue…');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Halt the venue' }).waitFor();
    assert.equal(await page.locator('dialog').getByText('bourse halt', { exact: true }).count(), 1);
    await page.getByLabel('Type halt to confirm').focus();
    await page.keyboard.type('halt');
    await page.keyboard.press('Enter');
    await page.locator('.state b', { hasText: 'HALTED' }).waitFor();
    assert.equal(await halted(), true);
    await page.getByText('Trading is halted.').waitFor();
    await tabTo('Resume trading…');
    await page.keyboard.press('Enter');
    await tabTo('Resume trading');
    await page.keyboard.press('Enter');
    await until('trading goes on', async () => !(await halted()));

    await page.evaluate(() => document.querySelector<HTMLElement>('.skip')!.focus());
    await tabTo('Accounts');
    await page.keyboard.press('Enter');
    await tabTo('Search accounts');
    await page.keyboard.type('bob');
    await page.locator('.records tbody tr').nth(1).waitFor({ state: 'detached' });
    await tabTo('bob');
    await page.keyboard.press('Enter');
    await tabTo('Freeze…');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Freeze account' });
    const [, uid] = /bourse account freeze (\d+)/.exec(await dialog.innerText())!;
    await dialog.getByLabel(`Type ${uid} to confirm`).focus();
    await page.keyboard.type(uid!);
    await page.keyboard.press('Enter');
    await tabTo('Unfreeze…');
    const frozen = await ask<{ account: { frozen: boolean } }>(operator, `/admin/accounts/${uid}`);
    assert.equal(frozen.account.frozen, true);
    opened.check();
    await opened.close();
  });
});

describe('the console of an exchange without a market, on a manual clock', () => {
  inBrowser('asks for nothing that is not there, and moves the clock', async (browser) => {
    const quiet = await startHosted({ args: ['--market', 'off', '--clock', 'manual'] });
    const listener = operatorOf(quiet);
    const opened = await openPage(browser, await consoleAddress(listener));
    const { page } = opened;
    await page.locator('.state', { hasText: 'manual clock' }).waitFor();
    for (const place of [...PAGES, 'overview']) await show(page, place);
    const time = async () => (await ask<{ time: number }>(listener, '/admin/clock')).time;
    const from = await time();
    await page.getByRole('button', { name: '+8 h…' }).click();
    await page.getByText('bourse clock advance 8h', { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Move the clock' }).click();
    await until('the clock was moved', async () => (await time()) === from + 8 * 3_600_000);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The page learns of the next funding each second; until then it names the one that the move has passed.
    const moved = await time();
    await until('the page knows the next funding', async () => {
      await page.getByRole('button', { name: 'To the next funding…' }).click();
      const to = /clock advance (\S+Z)/.exec(
        await page.getByRole('dialog').locator('.command').innerText(),
      )![1]!;
      if (Date.parse(to) > moved) return true;
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      return false;
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Move the clock' }).click();
    await until('it is at the next funding', async () => {
      const now = await time();
      return now > moved && now % (8 * 3_600_000) === 0;
    });
    opened.check();
    await opened.close();
    await quiet.stop();
  });
});
