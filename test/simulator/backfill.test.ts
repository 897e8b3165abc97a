import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GeneratedCandles, GeneratedFunding } from '../../src/history/generated-candles.ts';
import type { History } from '../../src/history/history.ts';
import { makePast } from '../../src/simulator/backfill/backfill.ts';
import { missingPast } from '../../src/simulator/backfill/missing-past.ts';
import { loadParameters } from '../../src/simulator/parameters.ts';
import { CATALOGUE, Rig, START_TIME } from './rig.ts';

const NOW = START_TIME + 1234 * 1000;
const HOUR = 3_600_000;

async function past(
  seed: number,
): Promise<{ rig: Rig; packs: GeneratedCandles[]; funding: GeneratedFunding[] }> {
  const rig = await new Rig({ only: (_category, symbol) => /^(BTCUSD|ETHBTC)/.test(symbol) }).open();
  const packs: GeneratedCandles[] = [];
  const funding: GeneratedFunding[] = [];
  const work = { books: rig.market.views, seed, days: 2, now: NOW };
  for (const made of makePast(work, loadParameters(CATALOGUE))) {
    packs.push(...made.candles);
    if (made.funding !== undefined) funding.push(made.funding);
  }
  return { rig, packs, funding };
}

const of = (packs: readonly GeneratedCandles[], category: string, symbol: string, interval: string) =>
  packs.filter((pack) => pack.category === category && pack.symbol === symbol && pack.interval === interval);

test('every book has minutes up to the present and a year of hours, without a gap and ending at its price', async () => {
  const { rig, packs } = await past(1);
  for (const { instrument, fairTicks, halfSpreadTicks } of rig.market.views) {
    const { category, symbol } = instrument.spec;
    for (const [interval, step] of [
      ['1m', 60_000],
      ['1H', HOUR],
    ] as const) {
      const own = of(packs, category, symbol, interval);
      let next = own[0]!.firstOpen;
      let close = own[0]!.ticks[0]!;
      for (const { firstOpen, ticks, lots } of own) {
        assert.equal(firstOpen, next, `${symbol} ${interval}`);
        next += lots.length * step;
        for (let n = 0; n < lots.length; n++) {
          const [open, high, low, end] = ticks.subarray(4 * n, 4 * n + 4);
          assert.equal(open, close);
          assert.ok(
            low! > 0 && low! <= Math.min(open, end!) && high! >= Math.max(open, end!) && lots[n]! > 0,
          );
          close = end!;
        }
      }
      assert.equal(next, Math.ceil((Math.floor(NOW / 60_000) * 60_000) / step) * step, 'it ends with now');
      assert.ok(
        Math.abs(close - fairTicks) <= 2 * halfSpreadTicks + 1,
        `${symbol}: ${close} beside ${fairTicks}`,
      );
    }
    const [hours] = of(packs, category, symbol, '1H');
    if (category === 'SPOT') assert.ok(NOW - hours!.firstOpen >= 364 * 24 * HOUR, symbol);
  }
});

test('an hour is the sum of its minutes', async () => {
  const { packs } = await past(1);
  const minutes = of(packs, 'SPOT', 'BTCUSDT', '1m');
  const hours = of(packs, 'SPOT', 'BTCUSDT', '1H').at(-1)!;
  const start = hours.firstOpen + (hours.lots.length - 3) * HOUR;
  const volume = minutes.reduce((sum, { firstOpen, lots }) => {
    return lots.reduce((s, lot, n) => {
      const at = firstOpen + n * 60_000;
      return at >= start && at < start + HOUR ? s + lot : s;
    }, sum);
  }, 0);
  assert.equal(volume, hours.lots.at(-3));
});

test('the same seed has the same past, another seed another', async () => {
  const closes = async (seed: number) => (await past(seed)).packs.map(({ ticks }) => ticks.at(-5));
  const first = await closes(3);
  assert.deepEqual(await closes(3), first);
  assert.notDeepEqual(await closes(4), first);
});

test('a perpetual was funded at each of its settlements since it is listed, mostly by interest, sometimes by either side', async () => {
  const { rig, funding } = await past(1);
  const perpetuals = rig.market.views.filter(
    ({ instrument: { futures } }) => futures !== undefined && futures.delivery === undefined,
  );
  assert.deepEqual(
    funding.map(({ category, symbol }) => `${category} ${symbol}`),
    perpetuals.map(({ instrument: { spec } }) => `${spec.category} ${spec.symbol}`),
  );
  for (const [n, { rates, symbol }] of funding.entries()) {
    const { spec, futures } = perpetuals[n]!.instrument;
    const interval = futures!.fundIntervalMs;
    const startTime = Math.max(Number(spec.launchTime), Math.floor(NOW / 60_000) * 60_000 - 365 * 24 * HOUR);
    const first = Math.floor(startTime / interval) * interval + interval;
    const expected = [];
    for (let time = first; time <= NOW; time += interval) expected.push(time);
    assert.deepEqual(
      rates.map(({ time }) => time),
      expected,
      symbol,
    );
    const values = rates.map(({ fundingRate }) => Number(fundingRate));
    const interest = (0.0001 * interval) / (8 * HOUR);
    const usual = values.filter((value) => value === interest).length / values.length;
    assert.ok(usual > 0.5 && usual < 1, `${symbol}: ${usual} of the settlements are interest alone`);
    assert.ok(Math.max(...values) > interest && Math.min(...values) < interest, symbol);
  }
});

test('books without a past get one, which ends where the real candles of the book begin', async () => {
  const { market } = await new Rig({ only: (_category, symbol) => /^(BTCUSD|ETHBTC)/.test(symbol) }).open();
  const [made, traded, fresh] = market.views;
  const first = { openTime: NOW - 3 * 60_000, open: '60000.5' };
  const history = {
    generatedBooks: async () => [made!.name],
    candles: async ({ category, symbol }: { category: string; symbol: string }) =>
      `${category}:${symbol}` === traded!.name ? [first] : [],
  } as unknown as History;
  const { books, now } = await missingPast(market.views, history, NOW);
  assert.equal(now, first.openTime);
  assert.deepEqual(
    books.map(({ name }) => name),
    market.views.slice(1).map(({ name }) => name),
  );
  assert.equal(books[0]!.fairTicks, 60_000.5 * 10 ** traded!.instrument.pricePrecision);
  assert.equal(books[1]!.fairTicks, fresh!.fairTicks);
  assert.deepEqual(structuredClone(books), books, 'they may cross to another thread');
});
