/** The console in a real browser: signs in with a code, shows each page, halts the venue, signs out. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { until } from '../harness/until.ts';
import { openBrowser, openPage } from './browser.ts';
import { assertFits } from './looks.ts';
import { ask, codeFor, operatorOf } from './operator.ts';

let browser: Browser | string;
let server: TestServer;

before(async () => {
  browser = await openBrowser();
  if (typeof browser !== 'string')
    server = await startHosted({ args: ['--market', 'quiet', '--backfill', '0'] });
});
after(async () => {
  if (typeof browser === 'string') return;
  await browser.close();
  await server.stop();
});

const PAGES = ['Markets', 'Accounts', 'Money', 'Risk', 'Lab', 'Requests', 'Audit', 'Settings', 'Overview'];

test('the console signs in with a code, shows every page, acts and signs out', async (t) => {
  if (typeof browser === 'string') return t.skip(browser);
  const operator = operatorOf(server);
  const { url, token } = operator;
  const code = await codeFor(operator);
  const opened = await openPage(browser, `${url}/#code=${code}`, { viewport: { width: 1366, height: 768 } });
  const { page } = opened;

  await page.getByText('The books agree.').waitFor();
  await page.locator('.state b', { hasText: 'READY' }).waitFor();
  assert.ok(!page.url().includes(code), 'the code is not left in the address');
  for (const name of PAGES) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.locator('.records, .empty').first().waitFor();
    await assertFits(page, name);
  }

  await page.getByRole('button', { name: 'Halt the venue…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Halt the venue' });
  await dialog.getByText('bourse halt', { exact: true }).waitFor();
  const send = dialog.getByRole('button', { name: 'Halt the venue' });
  assert.equal(await send.isDisabled(), true, 'a dangerous action waits for the typed name');
  await dialog.getByRole('textbox').fill('halt');
  await send.click();
  await page.locator('.state b', { hasText: 'HALTED' }).waitFor();
  assert.equal((await ask<{ halted: boolean }>(operator, '/admin/health')).halted, true);

  const stored = await page.evaluate(() => JSON.stringify([Object.entries(localStorage), document.cookie]));
  const kept = await page.evaluate(() => sessionStorage.getItem('bourse.console') ?? '');
  const { bearer } = JSON.parse(kept) as { bearer: string };
  assert.ok(
    !stored.includes(bearer) && !kept.includes(token),
    'the bearer is in this tab alone, the token nowhere',
  );
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: "Operator's console" }).waitFor();
  await until('the session has ended', async () => {
    const { status } = await fetch(`${url}/admin/health`, { headers: { authorization: `Bearer ${bearer}` } });
    return status === 401;
  });
  opened.check();
  await opened.close();
});
