/** Chromium for tests, from npm packages alone; it needs two libraries of the system. */
import { AssertionError } from 'node:assert';
import { it, type TestContext } from 'node:test';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';

const LIBRARIES = 'it needs libnss3 and libnspr4 of the system (Debian: apt-get install libnss3 libnspr4)';

/**
 * Not the list of the package, which is for pages that one trusts: it switches off the very rules of origins that these
 * tests are about, and puts all sites into one process.
 */
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--font-render-hinting=none'];

const PATIENCE_MS = 60_000;

/** A browser, or why none can start here; where the tests must prove something (`CI`), no browser is a failure. */
export async function openBrowser(args: readonly string[] = []): Promise<Browser | string> {
  try {
    return await playwright.launch({
      executablePath: await chromium.executablePath(),
      args: [...ARGUMENTS, ...args],
      headless: true,
      timeout: PATIENCE_MS,
    });
  } catch (error) {
    const why = `no browser can start: ${missingLibrary(error) ?? String(error).split('\n', 1)[0]}`;
    if (process.env.CI !== undefined) throw new Error(why, { cause: error });
    return why;
  }
}

/** Declares tests that need the browser of their file: without one they are skipped and say why. */
export function testsIn(browser: () => Browser | string) {
  return (what: string, body: (browser: Browser, t: TestContext) => Promise<void>) =>
    it(what, async (t) => {
      const opened = browser();
      if (typeof opened === 'string') t.skip(opened);
      else await body(opened, t);
    });
}

function missingLibrary(error: unknown): string | undefined {
  const [, file] = /error while loading shared libraries: ([^:\s]+)/.exec(String(error)) ?? [];
  return file === undefined ? undefined : `${file} is missing; ${LIBRARIES}`;
}

export interface WatchedPage {
  readonly page: Page;
  /** Throws what went wrong in the page: errors, refusals of its policy, requests to other hosts. */
  readonly check: () => void;
  readonly close: () => Promise<void>;
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
