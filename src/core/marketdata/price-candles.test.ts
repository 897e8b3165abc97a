/** Candles of a price against the obvious way: keep every second, and read each interval from the seconds in it. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteReader, ByteWriter } from '../model/bytes.ts';
import { CANDLE_INTERVALS, candleOpen, nextCandleOpen } from '../model/candle-interval.ts';
import type { Candle } from './candle-series.ts';
import { PriceCandles } from './price-candles.ts';

const SECOND = 1000;
const START = Date.UTC(2026, 0, 1, 3);
const SHOWN = ['1m', '3m', '5m', '15m', '1H'] as const;

type Bar = readonly [openTime: number, open: number, high: number, low: number, close: number];

const bar = ({ openTime, openTicks, highTicks, lowTicks, closeTicks }: Candle): Bar => [
  openTime,
  openTicks,
  highTicks,
  lowTicks,
  closeTicks,
];

/** What a reader makes of the closed and the running candles: gaps are flat at the close before them. */
function filled(interval: number, closed: readonly Bar[], running: Candle | undefined, now: number): Bar[] {
  const known = new Map(closed.map((each) => [each[0], each]));
  if (running !== undefined) known.set(running.openTime, bar(running));
  const bars: Bar[] = [];
  const first = Math.min(...known.keys());
  for (let open = first; open <= now; open = nextCandleOpen(interval, open)) {
    const close = bars.at(-1)?.[4] ?? 0;
    bars.push(known.get(open) ?? [open, close, close, close, close]);
  }
  return bars;
}

function naive(interval: number, seconds: readonly (readonly [number, number])[]): Bar[] {
  const bars: Bar[] = [];
  for (const [time, price] of seconds) {
    const open = candleOpen(interval, time);
    const last = bars.at(-1);
    if (last?.[0] === open)
      bars[bars.length - 1] = [open, last[1], Math.max(last[2], price), Math.min(last[3], price), price];
    else bars.push([open, price, price, price, price]);
  }
  return bars;
}

/** Long stretches without a move, and moves at the edges of minutes. */
const stretch = fc.record({
  seconds: fc.oneof(
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 50, max: 70 }),
    fc.integer({ min: 1, max: 900 }),
  ),
  price: fc.integer({ min: -3, max: 3 }),
});

test('candles of a price that is kept only when it moves are those of every second', () => {
  fc.assert(
    fc.property(fc.array(stretch, { minLength: 1, maxLength: 25 }), fc.nat(200), (stretches, offset) => {
      let series = new PriceCandles();
      const closed = CANDLE_INTERVALS.map((): Bar[] => []);
      const seconds: [number, number][] = [];
      let now = START + offset * SECOND;
      for (const { seconds: length, price } of stretches) {
        for (let n = 0; n < length; n++, now += SECOND) {
          series.closeUntil(now, (interval, candle) => closed[interval]!.push(bar(candle)));
          series.sample(now, price);
          seconds.push([now, price]);
        }
        series = restored(series);
      }
      now -= SECOND;
      for (const name of SHOWN) {
        const interval = CANDLE_INTERVALS.indexOf(name);
        deepEqual(
          filled(interval, closed[interval]!, series.current(interval, now), now),
          naive(interval, seconds),
          name,
        );
      }
    }),
    { numRuns: 60 },
  );
});

test('a price that stands still leaves nothing behind after its first candle', () => {
  const series = new PriceCandles();
  const closed: string[] = [];
  for (let now = START; now < START + 600 * SECOND; now += SECOND) {
    series.closeUntil(now, (interval) => closed.push(CANDLE_INTERVALS[interval]!));
    series.sample(now, 42);
  }
  deepEqual(closed, ['1m', '3m', '5m']);
});

function restored(series: PriceCandles): PriceCandles {
  const writer = new ByteWriter();
  series.fields(writer);
  const copy = new PriceCandles();
  copy.fields(new ByteReader(writer.written()));
  return copy;
}
