/** The market of a running server, seen from outside and turned by its operator. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const data = temporaryDirectory();

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Json = any;

const CATEGORIES = ['SPOT', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'];

async function get({ url }: TestServer, path: string): Promise<Json> {
  return ((await (await fetch(`${url}/api/v3/market/${path}`)).json()) as Json).data;
}

async function admin(path: string, body?: object): Promise<Json> {
  const { url, token } = JSON.parse(readFileSync(join(data, 'operator.json'), 'utf8'));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/admin/${path}`, {
    headers,
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 240_000;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, what);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** While nobody trades: the ticker says the same of the last 24 hours as its candles. */
async function tickersAgreeWithCandles(server: TestServer): Promise<void> {
  for (const category of CATEGORIES) {
    for (const ticker of await get(server, `tickers?category=${category}`)) {
      const query = `category=${category}&symbol=${ticker.symbol}&interval=5m&limit=1000`;
      const candles: Json[] = await get(server, `candles?${query}&startTime=${ticker.ts - 86_400_000}`);
      const [first] = candles;
      const column = (n: number) => candles.map((candle) => Number(candle[n]));
      const sum = (n: number) => column(n).reduce((total, value) => total + value, 0);
      const figures = ['openPrice24h', 'highPrice24h', 'lowPrice24h'].map((field) => Number(ticker[field]));
      assert.deepEqual(figures, [Number(first[1]), Math.max(...column(2)), Math.min(...column(3))], query);
      const close = (field: string, of: number) =>
        assert.ok(
          Math.abs(Number(ticker[field]) / of - 1) < 1e-9,
          `${query}: ${field} ${ticker[field]}, ${of}`,
        );
      close('volume24h', sum(5));
      close('turnover24h', sum(6));
    }
  }
}

test('every instrument is quoted and has a past; the operator shocks, widens, stops; a start without it is empty', async () => {
  const first = await startHosted({ data, args: ['--market', 'normal', '--seed', '5', '--backfill', '2'] });
  for (const category of CATEGORIES) {
    await until(`${category} is quoted on both sides and trades`, async () => {
      const tickers: Json[] = await get(first, `tickers?category=${category}`);
      return tickers.every(
        ({ bid1Price, ask1Price, lastPrice }) => bid1Price !== '' && ask1Price !== '' && lastPrice !== '0',
      );
    });
  }
  for (const category of CATEGORIES) {
    const tickers: Json[] = await get(first, `tickers?category=${category}`);
    for (const { symbol } of tickers) {
      await until(`${category} ${symbol} has 20 levels a side`, async () => {
        const book = await get(first, `orderbook?category=${category}&symbol=${symbol}&limit=50`);
        return book !== null && book.a.length >= 20 && book.b.length >= 20;
      });
    }
  }
  await until('the past is generated', async () => first.log().includes('generated 2 days'));
  const days: Json[] = await get(first, 'candles?category=SPOT&symbol=ETHUSDT&interval=1D&limit=1000');
  const minutes: Json[] = await get(
    first,
    'candles?category=USDT-FUTURES&symbol=SOLUSDT&interval=1m&limit=1000',
  );
  assert.ok(days.length >= 365 && minutes.length === 1000, `${days.length} days, ${minutes.length} minutes`);

  const rates: Json = await get(first, 'history-fund-rate?category=USDT-FUTURES&symbol=BTCUSDT');
  assert.equal(rates.resultList.length, 200);

  const market = (await admin('market')).body;
  assert.deepEqual([market.level, market.seed], ['normal', 5]);
  const maker = market.agents.find(({ name }: Json) => name === 'maker:SPOT:BTCUSDT');
  assert.ok(maker.running && maker.openOrders > 10);
  assert.equal((await admin('market/shock', { coin: 'BTC', percent: -20 })).status, 200);
  await until('the last price follows the shock', async () => {
    const [{ lastPrice }] = await get(first, 'tickers?category=USDT-FUTURES&symbol=BTCUSDT');
    return Number(lastPrice) < 50_000;
  });
  const wide = { category: 'SPOT', symbol: 'BTCUSDT', factor: 20 };
  assert.equal((await admin('market/spread', wide)).status, 200);
  assert.equal((await admin('market/stop', { agent: 'maker:SPOT:BTCUSDT' })).body.agents, 1);
  const stopped = (await admin('market')).body.agents.find(({ name }: Json) => name === maker.name);
  assert.deepEqual([stopped.running, stopped.openOrders], [false, 0]);
  assert.equal((await admin('market/start', { agent: 'maker' })).body.running, true);
  assert.equal((await admin('market/stop', { agent: 'nobody' })).body.error.code, 'invalid_request');
  assert.equal((await admin('market/shock', { coin: 'USDT', percent: 5 })).body.error.code, 'not_allowed');
  assert.equal((await admin('market/shock', { coin: 'BTC', percent: -99 })).status, 400);
  assert.equal(await first.stop(), 0);

  const second = await startHosted({ data, args: ['--market', 'off', '--rate-limits', 'off'] });
  const [{ bid1Price, lastPrice }] = await get(second, 'tickers?category=SPOT&symbol=BTCUSDT');
  assert.equal(bid1Price, '', 'nobody looks after quotes while the market is off');
  assert.ok(Number(lastPrice) > 0);
  assert.equal((await admin('market')).body.error.code, 'not_allowed');
  await tickersAgreeWithCandles(second);
  assert.equal(await second.stop(), 0);
});
