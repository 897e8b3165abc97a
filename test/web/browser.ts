/** Chromium for tests, from npm packages alone; it needs two libraries of the system. */
import { AssertionError } from 'node:assert';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';

const NEEDED = 'it needs libnss3 and libnspr4 of the system (apt-get install libnss3 libnspr4)';

const PATIENCE_MS = 120_000;

/** A browser, or why none can start here. */
export async function openBrowser(args: readonly string[] = []): Promise<Browser | string> {
  try {
    return await playwright.launch({
      executablePath: await chromium.executablePath(),
      args: [...chromium.args, '--no-sandbox', '--disable-dev-shm-usage', ...args],
      headless: true,
      timeout: PATIENCE_MS,
    });
  } catch (error) {
    return `no browser can start: ${NEEDED}: ${String(error).split('\n', 1)[0]}`;
  }
}

export interface WatchedPage {
  readonly page: Page;
  /** Throws what went wrong in the page: errors, refusals of its policy, requests to other hosts. */
  check(): void;
  close(): Promise<void>;
}

/** Messages of a browser about connections that a test has cut on purpose. */
const OF_BREAKS =
  /ERR_CONNECTION_(?:REFUSED|RESET)|WebSocket connection to .* failed|net::ERR_|Failed to fetch/;

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions & { readonly breaks?: boolean } = {},
): Promise<WatchedPage> {
  const { breaks = false, ...rest } = options;
  const context = await browser.newContext({ locale: 'en-US', ...rest });
  // A guard against a condition that never comes, not a judgement of the machine.
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(`error in the page: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    const text = `${message.text()} ${message.location().url}`;
    if (message.type() !== 'error' || (breaks && OF_BREAKS.test(text))) return;
    // A refused order is an answer with status 400, which the browser writes down.
    if (/the server responded with a status of 400/.test(text) && /\/api\/v3\/(?:trade|account)\//.test(text))
      return;
    wrong.push(`console: ${text}`);
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
    close: () => context.close(),
  };
}
