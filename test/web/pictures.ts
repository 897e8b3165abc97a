/** Takes the pictures of the documents anew: `npm run pictures`. */
import { join } from 'node:path';
import { startHosted } from '../harness/hosted-server.ts';
import { openBrowser, openPage } from './browser.ts';
import { makeMistakes } from './mistaken-bot.ts';
import { consoleAddress, operatorOf } from './operator.ts';
import { tradeALittle } from './trader.ts';

const PICTURES = join(import.meta.dirname, '../../docs/pictures');
const SHOTS = [
  { name: 'terminal-dark', viewport: { width: 1366, height: 768 }, colorScheme: 'dark' },
  { name: 'terminal-light', viewport: { width: 1366, height: 768 }, colorScheme: 'light' },
  { name: 'terminal-phone', viewport: { width: 360, height: 780 }, colorScheme: 'dark' },
] as const;

const CONSOLE_SHOTS = [
  {
    name: 'console-overview',
    place: 'overview',
    viewport: { width: 1366, height: 900 },
    colorScheme: 'dark',
  },
  { name: 'console-risk', place: 'risk', viewport: { width: 1366, height: 768 }, colorScheme: 'light' },
  { name: 'console-phone', place: 'overview', viewport: { width: 360, height: 780 }, colorScheme: 'light' },
] as const;

const INSPECTOR_SHOTS = [
  {
    name: 'inspector-why',
    open: 'why',
    viewport: { width: 1366, height: 768 },
    colorScheme: 'dark',
  },
  {
    name: 'inspector-mistakes',
    open: 'mistakes',
    viewport: { width: 1366, height: 768 },
    colorScheme: 'light',
  },
] as const;

const browser = await openBrowser();
if (typeof browser === 'string') throw new Error(browser);
const server = await startHosted({ args: ['--market', 'normal'] });
await tradeALittle(server);
for (const { name, viewport, colorScheme } of SHOTS) {
  const opened = await openPage(browser, server.url, { viewport, colorScheme });
  const { page } = opened;
  await page.locator('.line').first().waitFor();
  await page.locator('.chart-box:not([data-bars="0"])').first().waitFor();
  // Trades for the tape and a few moves of the price.
  await page.waitForTimeout(5_000);
  const path = join(PICTURES, `${name}.png`);
  await page.screenshot({ path });
  opened.check();
  await opened.close();
  process.stdout.write(`${path}\n`);
}
const reference = await openPage(browser, `${server.url}/docs#/trade/place-order`, {
  viewport: { width: 1366, height: 768 },
  colorScheme: 'dark',
});
await reference.page.getByRole('button', { name: 'Send POST' }).click();
await reference.page.getByRole('button', { name: 'Send it' }).click();
await reference.page.locator('.success').waitFor();
await reference.page.screenshot({ path: join(PICTURES, 'reference.png') });
reference.check();
const operator = operatorOf(server);
for (const { name, place, viewport, colorScheme } of CONSOLE_SHOTS) {
  const opened = await openPage(browser, await consoleAddress(operator), { viewport, colorScheme });
  const { page } = opened;
  await page.locator('.state b', { hasText: 'READY' }).waitFor();
  await page.evaluate((hash) => {
    location.hash = hash;
  }, place);
  await page.locator('.records').first().waitFor();
  // Lines of the load need a past.
  await page.waitForTimeout(place === 'overview' ? 30_000 : 2_000);
  const path = join(PICTURES, `${name}.png`);
  await page.screenshot({ path });
  opened.check();
  await opened.close();
  process.stdout.write(`${path}\n`);
}
await server.stop();
const watched = await startHosted();
await makeMistakes(watched);
for (const { name, viewport, colorScheme, open } of INSPECTOR_SHOTS) {
  const opened = await openPage(browser, `${watched.url}/inspector`, { viewport, colorScheme });
  const { page } = opened;
  await page.locator('.requests tbody tr').first().waitFor();
  if (open === 'mistakes') {
    await page.getByRole('button', { name: /^Mistakes [1-9]/ }).click();
    await page.getByRole('listitem').first().waitFor();
  } else {
    await page.getByRole('row', { name: /25202/ }).getByRole('button').click();
    // The explanation of the exchange's own refusal follows a replay.
    await page.getByRole('region', { name: 'Why' }).getByRole('table').first().waitFor();
  }
  const path = join(PICTURES, `${name}.png`);
  await page.screenshot({ path });
  opened.check();
  await opened.close();
  process.stdout.write(`${path}\n`);
}
await browser.close();
await watched.stop();
