import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { State } from '../core/state/state.ts';
import type { History } from '../history/history.ts';
import { Generated24hStats } from './generated-24h-stats.ts';

const DAY_MS = 86_400_000;
const INSTRUMENT = { index: 0, category: 0, symbol: 'BTCUSDT', pricePrecision: 2, quantityPrecision: 6 };

/** Counts how often candles are read. */
function historyOf(books: readonly string[]) {
  const asked: number[] = [];
  const candle = { openTime: 0, open: '1', high: '3', low: '1', close: '2', volume: '5', turnover: '10' };
  const history = {
    generatedBooks: async () => [...books],
    generatedCandles: async ({ startTime }: { startTime: number }) => {
      asked.push(startTime);
      return books.length === 0 ? [] : [{ ...candle, openTime: startTime + 60_000 }];
    },
  };
  return { asked, history: history as unknown as History };
}

const stateAt = (now: number) => ({ instruments: [INSTRUMENT], now }) as unknown as State;

test('a branch takes the generated day of the exchange that it comes from, and reads nothing', async () => {
  const [first, second] = [historyOf(['SPOT:BTCUSDT']), historyOf(['SPOT:BTCUSDT'])];
  const parent = new Generated24hStats();
  await parent.load(first.history, stateAt(2 * DAY_MS));
  const branch = new Generated24hStats();
  await branch.load(second.history, stateAt(2 * DAY_MS + 5000), parent);
  assert.deepEqual([first.asked.length, second.asked.length], [1, 0]);
  const third = historyOf(['SPOT:BTCUSDT']);
  await new Generated24hStats().load(third.history, stateAt(2 * DAY_MS + 9000), branch);
  assert.equal(third.asked.length, 0, 'also a branch of a branch');
});

test('a branch with other books, or that goes back further, reads its own', async () => {
  const parent = new Generated24hStats();
  await parent.load(historyOf(['SPOT:BTCUSDT']).history, stateAt(2 * DAY_MS));
  for (const [books, now] of [
    [['SPOT:BTCUSDT', 'SPOT:ETHUSDT'], 2 * DAY_MS],
    [[], 2 * DAY_MS],
    [['SPOT:BTCUSDT'], 2 * DAY_MS - 1000],
  ] as const) {
    const { asked, history } = historyOf(books);
    await new Generated24hStats().load(history, stateAt(now), parent);
    assert.deepEqual(asked, [now - DAY_MS]);
  }
});
