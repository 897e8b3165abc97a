import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { amountOf } from '../model/amount.ts';
import { WINDOW_BUCKETS_MAX } from '../model/limits.ts';
import { type DayStatistics, Rolling24h } from './rolling-24h.ts';

const DAY = 86_400_000;

interface Trade {
  readonly time: number;
  readonly ticks: number;
  readonly lots: number;
}

/** Rules 8.1 over the list of all trades. */
function byHand(trades: readonly Trade[], now: number): DayStatistics {
  const inside = trades.filter((trade) => trade.time > now - DAY);
  const before = trades.filter((trade) => trade.time <= now - DAY);
  const lastTicks = trades.at(-1)?.ticks ?? 0;
  if (inside.length === 0) {
    return {
      lastTicks,
      openTicks: lastTicks,
      highTicks: lastTicks,
      lowTicks: lastTicks,
      volumeLots: 0,
      turnover: 0n,
    };
  }
  const openTicks = before.at(-1)?.ticks ?? inside[0]!.ticks;
  return {
    lastTicks,
    openTicks,
    highTicks: Math.max(openTicks, ...inside.map((trade) => trade.ticks)),
    lowTicks: Math.min(openTicks, ...inside.map((trade) => trade.ticks)),
    volumeLots: inside.reduce((sum, trade) => sum + trade.lots, 0),
    turnover: inside.reduce((sum, trade) => sum + value(trade), 0n),
  };
}

function value(trade: Trade): bigint {
  return BigInt(trade.ticks) * BigInt(trade.lots) * 1_000_000_007n;
}

const pause = fc.oneof(fc.constantFrom(0, 0, 1, DAY - 1, DAY, DAY + 1), fc.nat(1000), fc.nat(6 * 3_600_000));

test('the rolling window is what the list of trades says, at every instant', () => {
  const step = fc.record({
    pause,
    ticks: fc.integer({ min: 1, max: 20 }),
    lots: fc.integer({ min: 1, max: 10 ** 9 }),
    trades: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150, size: 'max' }), fc.boolean(), (steps, restarts) => {
      let window = new Rolling24h();
      const trades: Trade[] = [];
      let now = 1_000_000;
      for (const { pause, ticks, lots, trades: isTrade } of steps) {
        now += pause;
        if (isTrade) {
          const trade = { time: now, ticks, lots };
          trades.push(trade);
          window.trade(now, ticks, lots, amountOf(value(trade)));
        }
        deepEqual(window.statistics(now), byHand(trades, now));
        if (restarts) {
          const loaded = new Rolling24h();
          loaded.restore(window.save());
          window = loaded;
        }
      }
    }),
  );
});

test('a day with more busy milliseconds than the window holds keeps its sums and extremes', () => {
  const window = new Rolling24h();
  const count = WINDOW_BUCKETS_MAX + 10;
  for (let n = 0; n < count; n++) window.trade(1000 + n, 1000 + (n % 7), 3, 5n);
  const day = window.statistics(1000 + count);
  deepEqual(
    [day.volumeLots, day.turnover, day.highTicks, day.lowTicks, day.openTicks],
    [3 * count, 5n * BigInt(count), 1006, 1000, 1000],
  );
  equal(window.save().buckets.length <= WINDOW_BUCKETS_MAX, true);
  equal(window.statistics(1000 + count + DAY).volumeLots, 0);
});
