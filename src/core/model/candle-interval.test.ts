import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CANDLE_INTERVALS, candleIntervalIndex, candleOpen, nextCandleOpen } from './candle-interval.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const instants = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) });

test('the published daily sample opens at 16:00 UTC', () => {
  const index = candleIntervalIndex('1D');
  equal(candleOpen(index, 1_710_518_400_000), 1_710_518_400_000);
  equal(candleOpen(index, 1_710_518_399_999), 1_710_518_400_000 - DAY);
});

for (const [index, interval] of CANDLE_INTERVALS.entries()) {
  test(`${interval}: every instant is in exactly one candle, and candles are adjacent`, () => {
    fc.assert(
      fc.property(instants, (time) => {
        const open = candleOpen(index, time);
        const next = nextCandleOpen(index, open);
        equal(open <= time && time < next, true);
        equal(candleOpen(index, open), open);
        equal(candleOpen(index, next - 1), open);
        equal(candleOpen(index, next), next);
      }),
    );
  });
}

for (const [interval, shift] of [
  ['1M', 8 * HOUR],
  ['1Mutc', 0],
] as const) {
  test(`${interval}: months are those of the calendar`, () => {
    const index = candleIntervalIndex(interval);
    fc.assert(
      fc.property(instants, (time) => {
        const local = new Date(time + shift);
        const month = [local.getUTCFullYear(), local.getUTCMonth()] as const;
        equal(candleOpen(index, time), Date.UTC(month[0], month[1], 1) - shift);
        equal(nextCandleOpen(index, candleOpen(index, time)), Date.UTC(month[0], month[1] + 1, 1) - shift);
      }),
    );
  });
}

test('leap days: February 2028 has 29, February 2100 has 28', () => {
  const index = candleIntervalIndex('1Mutc');
  const days = (year: number) => (nextCandleOpen(index, Date.UTC(year, 1, 1)) - Date.UTC(year, 1, 1)) / DAY;
  deepEqual([days(2028), days(2100), days(2026)], [29, 28, 28]);
});

test('weeks open on Monday', () => {
  for (const [interval, shift] of [
    ['1W', 8 * HOUR],
    ['1Wutc', 0],
  ] as const) {
    const index = candleIntervalIndex(interval);
    fc.assert(
      fc.property(instants, (time) => {
        const open = new Date(candleOpen(index, time) + shift);
        equal(open.getUTCDay(), 1);
        equal(Math.abs(open.getTime() % DAY), 0);
      }),
    );
  }
});

test('there are the twenty intervals of the interface', () => {
  equal(
    CANDLE_INTERVALS.join(' '),
    '1m 3m 5m 15m 30m 1H 2H 4H 6H 12H 1D 3D 1W 1M 6Hutc 12Hutc 1Dutc 3Dutc 1Wutc 1Mutc',
  );
});
