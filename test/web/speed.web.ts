/** How fast the terminal is: first picture, frames, push to paint, order to answer and to its line. */
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { openBrowser, openPage, testsIn } from './browser.ts';
import { figure, quantile } from './figures.ts';
import { livingPrice } from './trader.ts';

const SECONDS = Number(process.env.WEB_SECONDS ?? 60);
const MEMORY_MINUTES = Number(process.env.WEB_MEMORY_MINUTES ?? 0);
const LAPTOP = { viewport: { width: 1366, height: 768 } } as const;

let browser: Browser | string;
const inBrowser = testsIn(() => browser);
let server: TestServer;

before(async () => {
  browser = await openBrowser();
  if (typeof browser === 'string') return;
  server = await startHosted({ args: ['--market', 'wild'] });
  await livingPrice(server);
});
after(async () => {
  if (typeof browser === 'string') return;
  await browser.close();
  await server.stop();
});

const drawn = (page: Page) => page.locator('.chart-box:not([data-bars="0"])[data-bars]').first().waitFor();

/** Milliseconds between the frames of so many seconds. */
const framesOf = (page: Page, seconds: number) =>
  page.evaluate(
    (ms) =>
      new Promise<number[]>((resolve) => {
        const gaps: number[] = [];
        let begun = 0;
        let last = 0;
        const step = (now: number) => {
          begun ||= now;
          if (last !== 0) gaps.push(now - last);
          last = now;
          if (now - begun < ms) requestAnimationFrame(step);
          else resolve(gaps);
        };
        requestAnimationFrame(step);
      }),
    seconds * 1000,
  );

describe('the terminal in a wild market', () => {
  inBrowser('is drawn soon', async (browser, t) => {
    const paints: number[] = [];
    const candles: number[] = [];
    for (let n = 0; n < 3; n++) {
      const opened = await openPage(browser, server.url, LAPTOP);
      await drawn(opened.page);
      const { paint, candle } = await opened.page.evaluate(() => ({
        paint: performance.getEntriesByName('first-contentful-paint')[0]!.startTime,
        candle: performance.getEntriesByName('candles')[0]!.startTime,
      }));
      paints.push(paint);
      candles.push(candle);
      opened.check();
      await opened.close();
    }
    figure(t, 'first contentful paint', quantile(paints, 0.5), 'ms', 300);
    figure(t, 'candles drawn', quantile(candles, 0.5), 'ms', 600);
  });

  inBrowser('keeps its frames with chart, book and tape', async (browser, t) => {
    const opened = await openPage(browser, server.url, LAPTOP);
    await drawn(opened.page);
    await framesOf(opened.page, 2);
    const gaps = await framesOf(opened.page, SECONDS);
    figure(t, 'frames a second', (gaps.length * 1000) / gaps.reduce((a, b) => a + b, 0), '', undefined, 55);
    figure(t, 'longest frame', Math.max(...gaps), 'ms', 100);
    opened.check();
    await opened.close();
  });

  inBrowser('paints a push at once', async (browser, t) => {
    const context = await browser.newContext({ locale: 'en-US', ...LAPTOP });
    const page = await context.newPage();
    await page.addInitScript(() => {
      const delays: number[] = [];
      Object.assign(window, { delays });
      const Plain = WebSocket;
      class Watched extends Plain {
        constructor(url: string | URL) {
          super(url);
          this.addEventListener('message', (event) => {
            if (!String(event.data).includes('"books"')) return;
            const { timeStamp } = event;
            // The page draws in the same frame; a message that is sent in it arrives when the frame is done.
            requestAnimationFrame(() => {
              const { port1, port2 } = new MessageChannel();
              port1.onmessage = () => delays.push(performance.now() - timeStamp);
              port2.postMessage('');
            });
          });
        }
      }
      Object.assign(window, { WebSocket: Watched });
    });
    await page.goto(server.url);
    await drawn(page);
    await page.waitForTimeout(Math.min(SECONDS, 15) * 1000);
    const delays = await page.evaluate(() => (window as unknown as { delays: number[] }).delays);
    assert.ok(delays.length > 20, `${delays.length} pushes`);
    figure(t, 'push to paint, p50', quantile(delays, 0.5), 'ms', 20);
    figure(t, 'push to paint, p95', quantile(delays, 0.95), 'ms', 60);
    await context.close();
  });

  inBrowser('answers an order soon, and draws its line', async (browser, t) => {
    const opened = await openPage(browser, server.url, LAPTOP);
    const { page } = opened;
    await drawn(page);
    await page.getByRole('button', { name: 'Account: alice' }).waitFor();
    await page.locator('.lamp.good').waitFor();
    await page.getByLabel('Size', { exact: true }).fill('0.001');
    const price = await page.getByLabel('Price', { exact: true }).inputValue();
    await page.evaluate(() => {
      const seen: { clicks: number[]; lines: number[] } = { clicks: [], lines: [] };
      Object.assign(window, { seen });
      document.addEventListener('click', ({ timeStamp }) => seen.clicks.push(timeStamp), true);
      new MutationObserver((records) => {
        for (const { addedNodes } of records)
          for (const node of addedNodes)
            if (node instanceof HTMLElement && node.matches('.line.order')) {
              const mark = performance.mark('line');
              seen.lines.push(mark.startTime);
            }
      }).observe(document.querySelector('.lines')!, { childList: true });
    });
    const rounds = 20;
    for (let n = 0; n < rounds; n++) {
      await page.getByLabel('Price', { exact: true }).fill(String(Math.round(Number(price) * 0.98) - n));
      await page.locator('button.trade.buy').click();
      await page.waitForFunction(
        (count) => (window as unknown as { seen: { lines: number[] } }).seen.lines.length >= count,
        n + 1,
      );
    }
    const { clicks, lines, answers } = await page.evaluate(() => ({
      ...(window as unknown as { seen: { clicks: number[]; lines: number[] } }).seen,
      answers: performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('trade/place-order'))
        .map((entry) => (entry as PerformanceResourceTiming).responseEnd),
    }));
    const until = (ends: readonly number[]) =>
      ends.slice(0, rounds).map((end, index) => end - clicks[index]!);
    figure(t, 'click to answer, p95', quantile(until(answers), 0.95), 'ms', 100);
    figure(t, 'click to line, p95', quantile(until(lines), 0.95), 'ms', 150);
    opened.check();
    await opened.close();
  });

  inBrowser('bears a thousand changes of the book a second', async (browser, t) => {
    const context = await browser.newContext({ locale: 'en-US', ...LAPTOP });
    const page = await context.newPage();
    let timer: NodeJS.Timeout | undefined;
    await page.routeWebSocket(/\/v3\/ws\/public$/, (socket) => {
      const exchange = socket.connectToServer();
      let seq = 0;
      const push = (action: string, data: object) => {
        const arg = { instType: 'usdt-futures', topic: 'books', symbol: 'BTCUSDT' };
        socket.send(JSON.stringify({ action, arg, data: [data], ts: Date.now() }));
      };
      const levels = (from: number, count: number, step: number) =>
        Array.from({ length: count }, (_, n) => [
          `${from + step * (n + 1)}`,
          (Math.random() + 0.1).toFixed(4),
        ]);
      exchange.onMessage((text) => {
        if (!String(text).includes('"books"')) socket.send(text);
        else if (timer === undefined) {
          push('snapshot', { a: levels(60_000, 50, 1), b: levels(60_000, 50, -1), seq, pseq: 0, ts: '0' });
          timer = setInterval(() => {
            const data = {
              a: levels(60_000, 10, 1),
              b: levels(60_000, 10, -1),
              seq: seq + 1,
              pseq: seq,
              ts: '0',
            };
            seq += 1;
            push('update', data);
          }, 20);
        }
      });
    });
    await page.goto(server.url);
    await drawn(page);
    await framesOf(page, 2);
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable');
    const busy = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')!.value;
    };
    const before = await busy();
    const seconds = Math.min(SECONDS, 15);
    const gaps = await framesOf(page, seconds);
    figure(
      t,
      'frames a second at 1,000 changes',
      (gaps.length * 1000) / gaps.reduce((a, b) => a + b, 0),
      '',
      undefined,
      50,
    );
    figure(t, 'share of the main thread', (((await busy()) - before) / seconds) * 100, '%', 60);
    clearInterval(timer);
    await context.close();
  });

  inBrowser('keeps its memory', async (browser, t) => {
    if (MEMORY_MINUTES === 0) return t.skip('WEB_MEMORY_MINUTES says for how long');
    const opened = await openPage(browser, server.url, LAPTOP);
    const session = await opened.page.context().newCDPSession(opened.page);
    const heap = async () => {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
    };
    const sizes: number[] = [];
    for (let n = 0; n <= 10; n++) {
      sizes.push(await heap());
      t.diagnostic(`after ${((MEMORY_MINUTES * n) / 10).toFixed(1)} minutes: ${sizes.at(-1)!.toFixed(1)} MB`);
      if (n < 10) await opened.page.waitForTimeout(MEMORY_MINUTES * 6_000);
    }
    figure(t, 'heap', sizes.at(-1)!, 'MB', 150);
    figure(t, 'growth in the second half', (sizes[10]! / sizes[5]! - 1) * 100, '%', 10);
    opened.check();
    await opened.close();
  });
});
