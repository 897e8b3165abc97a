/** Firefox for tests. npm carries none, so it is one of the system, driven over WebDriver BiDi without a patch. */
import { AssertionError } from 'node:assert';
import { type Browser, launch, type Page } from 'puppeteer-core';

const PATIENCE_MS = 60_000;

/** A browser, or what to do to have one. */
export async function openFirefox(): Promise<Browser | string> {
  const { BOURSE_FIREFOX: executablePath } = process.env;
  if (executablePath === undefined)
    return 'no Firefox: set BOURSE_FIREFOX to the path of one (Debian: apt-get install firefox-esr, /usr/bin/firefox-esr)';
  return launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    timeout: PATIENCE_MS,
    extraPrefsFirefox: { 'intl.accept_languages': 'en-US' },
  });
}

export interface WatchedFirefox {
  readonly page: Page;
  /** Throws what went wrong in the page: errors, refusals of its policy, requests to other hosts. */
  readonly check: () => void;
}

/** Connections that a test cuts on purpose. */
const OF_BREAKS = /NetworkError|can.t establish a connection|connection to .* was interrupted|NS_ERROR_/i;

export async function openInFirefox(browser: Browser, url: string): Promise<WatchedFirefox> {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.setViewport({ width: 1366, height: 768 });
  const wrong: string[] = [];
  const note = (text: string) => {
    if (!OF_BREAKS.test(text)) wrong.push(text);
  };
  page.on('pageerror', (error) => note(`error in the page: ${String(error)}`));
  page.on('console', (message) => {
    if (message.type() === 'error') note(`console: ${message.text()}`);
  });
  const { origin } = new URL(url);
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
      wrong.push(`request to another host: ${request.url()}`);
  });
  await page.goto(url);
  return {
    page,
    check: () => {
      if (wrong.length > 0) throw new AssertionError({ message: wrong.join('\n') });
    },
  };
}
