import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EVERY_COMPONENT } from '../../src/core/model/command.ts';
import { readFeedChoice } from '../../src/simulator/feed/feed-choice.ts';
import { LayeredFeed } from '../../src/simulator/feed/layered-feed.ts';
import { openLiveFeed } from '../../src/simulator/feed/live-feed.ts';
import type { FollowedIndex } from '../../src/simulator/feed/price-feed.ts';
import { ReplayFeed } from '../../src/simulator/feed/replay-feed.ts';
import { SyntheticFeed } from '../../src/simulator/feed/synthetic-feed.ts';
import { loadParameters } from '../../src/simulator/parameters.ts';
import { readRecording } from '../../src/simulator/recording/read-recording.ts';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { CATALOGUE, START_TIME } from './rig.ts';

const folder = temporaryDirectory();

function file(text: string): string {
  const path = join(folder, 'prices.csv');
  writeFileSync(path, text);
  return path;
}

function followed(index: number, base: string, quote: string): FollowedIndex {
  return { index, name: base + quote, base, quote, weights: [0.5, 0.5], pricePrecision: 2, price: 100 };
}

const BTC = followed(0, 'BTC', 'USDT');
const BTC_USD = followed(1, 'BTC', 'USD');
const ETH = followed(2, 'ETH', 'USDT');
const read = (path: string) => readRecording(path);

test('a feed is named synthetic, replay with a file or live with venues', () => {
  for (const good of [
    'synthetic',
    'replay:prices.csv',
    'live:kraken',
    'live:kraken,coinbase@http://127.0.0.1:1',
  ])
    assert.equal(readFeedChoice(good), good);
  for (const bad of ['', 'Synthetic', 'replay:', 'live:', 'live:Kraken', 'live:a,,b']) {
    assert.equal(readFeedChoice(bad), undefined, bad);
  }
});

test('replayed trades come at their times; the coin against another dollar follows them', async () => {
  const path = file('time,pair,price\n1000,BTC/USDT,60000.5\n3000,BTC/USDT,60100\n5000,BTC/USDT,60050\n');
  const feed = new ReplayFeed('prices.csv', await read(path));
  assert.deepEqual([feed.covers(BTC), feed.covers(BTC_USD), feed.covers(ETH)], [true, true, false]);
  const prices = (now: number) => feed.reports([BTC, BTC_USD], now).map(({ index, price }) => [index, price]);
  assert.deepEqual(prices(START_TIME), [
    [0, 6_000_050_000_000n],
    [1, 6_000_050_000_000n],
  ]);
  assert.deepEqual(prices(START_TIME + 1999), []);
  assert.deepEqual(prices(START_TIME + 2000), [
    [0, 6_010_000_000_000n],
    [1, 6_010_000_000_000n],
  ]);
  assert.equal(feed.reports([BTC], START_TIME + 9000)[0]!.component, EVERY_COMPONENT);
  assert.deepEqual(prices(START_TIME + 60_000).length, 1, 'the other index catches up, then nothing changes');
  assert.equal(prices(START_TIME + 60_000 + 11 * 60_000).length, 2, 'a price that stands is told again');
});

test('a rising candle opens, dips, rises and closes; a falling one the reverse', async () => {
  const path = file(
    'time,pair,open,high,low,close,volume\n' +
      '2026-01-01T00:00:00Z,eth/usdt,100,110,95,105,7\n2026-01-01T00:04:00Z,eth/usdt,105,108,90,92,7\n',
  );
  const { times, prices, names } = await read(path);
  assert.deepEqual(names, ['ETH/USDT']);
  assert.deepEqual([...prices], [100, 95, 110, 105, 105, 108, 90, 92]);
  assert.deepEqual([...times], [0, 60_000, 120_000, 180_000, 240_000, 300_000, 360_000, 420_000]);
});

test('a mistake in the file is named by its line', async () => {
  const mistakes: [string, RegExp][] = [
    ['pair,price\n', /line 1: the first line must name the columns time,pair,price or/],
    ['time,pair,price\nnoon,BTC/USDT,1\n', /line 2: time "noon" must be Unix time/],
    ['time,pair,price\n1,BTCUSDT,1\n', /line 2: pair "BTCUSDT" must be written such as BTC\/USDT/],
    ['time,pair,price\n# yes\n1,BTC/USDT,-1\n', /line 3: price "-1" must be a decimal above zero/],
    ['time,pair,price\n2,BTC/USDT,1\n1,BTC/USDT,1\n', /line 3: times must not go back/],
    ['time,pair,price\n', /has no rows/],
  ];
  for (const [text, says] of mistakes) await assert.rejects(read(file(text)), says);
  await assert.rejects(read(join(folder, 'missing.csv')), /does not exist/);
});

test('what the file does not hold is made up, and what it holds cannot be shocked', async () => {
  const replay = new ReplayFeed('prices.csv', await read(file('time,pair,price\n1,BTC/USDT,60000\n')));
  const synthetic = new SyntheticFeed({ seed: 1, parameters: loadParameters(CATALOGUE), intensity: 1 });
  const feed = new LayeredFeed(replay, synthetic);
  feed.follow([BTC, ETH], START_TIME);
  const told = feed.reports(START_TIME);
  assert.deepEqual(
    told.filter(({ index }) => index === 0).map(({ price }) => price),
    [6_000_000_000_000n],
  );
  assert.equal(told.filter(({ index }) => index === 2).length, 2);
  assert.equal(feed.shock('BTC', 0.9, 0), false);
  assert.equal(feed.shock('ETH', 0.9, 0), true);
});

test('prices of another venue come through ccxt: here the other venue is an exchange of our own', async () => {
  const server = await startHostedInMemory(['--market', 'normal', '--backfill', '0']);
  try {
    const told: string[] = [];
    const pairs = ['BTC/USDT', 'ETH/USDT'];
    const last = async () => {
      const answer = await fetch(`${server.url}/api/v3/market/tickers?category=SPOT&symbol=BTCUSDT`);
      return Number(((await answer.json()) as { data: { lastPrice: string }[] }).data[0]!.lastPrice);
    };
    while ((await last()) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const feed = await openLiveFeed({
      exchanges: `bitget@${server.url}`,
      pairs,
      report: (text) => told.push(text),
    });
    assert.equal(feed.covers(BTC) && feed.covers(BTC_USD), true);
    const [report] = feed.reports([BTC]);
    const price = Number(report!.price) / 1e8;
    assert.ok(Math.abs(price / (await last()) - 1) < 0.01, `${price}`);
    feed.close();
    assert.deepEqual(told, []);
    await assert.rejects(
      openLiveFeed({ exchanges: 'nowhere', pairs, report: () => {} }),
      /ccxt knows no venue "nowhere"/,
    );
  } finally {
    await server.stop();
  }
});
