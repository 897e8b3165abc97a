/** Ticker, candles and public fills (rules 8). */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openFloor, TradingFloor } from './trading-floor.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test('before the first trade every number of the ticker is 0', () => {
  const zero = { last: '0', open: '0', high: '0', low: '0', volume: '0', turnover: '0' };
  deepEqual(new TradingFloor().ticker(), zero);
});

test('the ticker sums the day: open is the first trade while none is older', () => {
  const floor = new TradingFloor();
  floor.printPrice('60000', 'BTCUSDT', '1');
  floor.wait(HOUR);
  floor.printPrice('61000', 'BTCUSDT', '2');
  floor.wait(HOUR);
  floor.printPrice('59000', 'BTCUSDT', '0.5');
  deepEqual(floor.ticker(), {
    last: '59000',
    open: '60000',
    high: '61000',
    low: '59000',
    volume: '3.5',
    turnover: '211500',
  });
});

test('case 137: after 25 hours without a trade volume is 0 and open = high = low = last', () => {
  const floor = new TradingFloor();
  floor.printPrice('60000');
  floor.wait(MINUTE);
  floor.printPrice('61000');
  floor.wait(25 * HOUR);
  deepEqual(floor.ticker(), {
    last: '61000',
    open: '61000',
    high: '61000',
    low: '61000',
    volume: '0',
    turnover: '0',
  });
});

test('case 138: a trade exactly 24 h old is outside the window and is the open price', () => {
  const floor = new TradingFloor();
  floor.printPrice('60000', 'BTCUSDT', '1');
  floor.wait(HOUR);
  floor.printPrice('61000', 'BTCUSDT', '2');
  floor.wait(DAY - HOUR - 1);
  equal(floor.ticker().volume, '3');
  floor.wait(1);
  deepEqual(floor.ticker(), {
    last: '61000',
    open: '60000',
    // The open price counts for high and low although its trade is outside.
    high: '61000',
    low: '60000',
    volume: '2',
    turnover: '122000',
  });
});

test('a new high after an old one leaves: the window forgets only what is old', () => {
  const floor = new TradingFloor();
  floor.printPrice('62000');
  floor.wait(HOUR);
  floor.printPrice('60000');
  floor.wait(HOUR);
  floor.printPrice('61000');
  floor.wait(DAY - HOUR);
  // 62 000 and 60 000 have left, 60 000 is the open price.
  const { open, high, low } = floor.ticker();
  deepEqual({ open, high, low }, { open: '60000', high: '61000', low: '60000' });
});

test('example 8.3: where the candles of 2026-01-01 03:00 UTC open', () => {
  const floor = new TradingFloor();
  floor.at(1_767_236_400_000);
  floor.printPrice('60000');
  const opens = (['1H', '4H', '6H', '12H', '1D', '6Hutc', '12Hutc', '1Dutc'] as const).map(
    (interval) => `${interval} ${floor.runningCandle(interval)!.openTime}`,
  );
  deepEqual(opens, [
    '1H 2026-01-01T03:00:00.000Z',
    '4H 2026-01-01T00:00:00.000Z',
    '6H 2025-12-31T22:00:00.000Z',
    '12H 2025-12-31T16:00:00.000Z',
    '1D 2025-12-31T16:00:00.000Z',
    '6Hutc 2026-01-01T00:00:00.000Z',
    '12Hutc 2026-01-01T00:00:00.000Z',
    '1Dutc 2026-01-01T00:00:00.000Z',
  ]);
});

test('a week opens on Monday, a month on the first, in UTC+8 and in UTC', () => {
  const floor = new TradingFloor();
  // Saturday 2026-01-31 16:00 UTC is already February in UTC+8, and the same week in both.
  floor.at(Date.UTC(2026, 0, 31, 16));
  floor.printPrice('60000');
  const opens = (['1W', '1M', '1Wutc', '1Mutc'] as const).map(
    (interval) => `${interval} ${floor.runningCandle(interval)!.openTime}`,
  );
  deepEqual(opens, [
    '1W 2026-01-25T16:00:00.000Z',
    '1M 2026-01-31T16:00:00.000Z',
    '1Wutc 2026-01-26T00:00:00.000Z',
    '1Mutc 2026-01-01T00:00:00.000Z',
  ]);
});

test('case 139: three minutes without trades close no candle; the next one opens with its own first trade', () => {
  const floor = new TradingFloor();
  floor.printPrice('60000');
  floor.wait(4 * MINUTE);
  floor.printPrice('60500');
  floor.wait(MINUTE);
  deepEqual(
    floor.closedCandles('1m').map(({ openTime, open, volume }) => [openTime, open, volume]),
    [
      ['2026-01-01T00:00:00.000Z', '60000', '1'],
      ['2026-01-01T00:04:00.000Z', '60500', '1'],
    ],
  );
  equal(floor.runningCandle('1m'), undefined);
});

test('case 140: trades at 15:59:59.999 and 16:00:00.000 UTC are in two daily candles', () => {
  const floor = new TradingFloor();
  floor.at(Date.UTC(2026, 0, 1, 15, 59, 59, 999));
  floor.printPrice('60000');
  floor.wait(1);
  floor.printPrice('61000');
  floor.wait(DAY);
  deepEqual(
    floor.closedCandles('1D').map(({ openTime, close }) => [openTime, close]),
    [
      ['2025-12-31T16:00:00.000Z', '60000'],
      ['2026-01-01T16:00:00.000Z', '61000'],
    ],
  );
});

test('a candle has its first, highest, lowest and last trade and their sums', () => {
  const floor = new TradingFloor();
  for (const [price, qty] of [
    ['60000', '1'],
    ['61000', '0.5'],
    ['59500', '2'],
    ['60200', '0.1'],
  ] as const) {
    floor.printPrice(price, 'BTCUSDT', qty);
    floor.wait(10 * SECOND);
  }
  const candle = {
    openTime: '2026-01-01T00:00:00.000Z',
    open: '60000',
    high: '61000',
    low: '59500',
    close: '60200',
    volume: '3.6',
    turnover: '215520',
  };
  deepEqual(floor.runningCandle('1m'), candle);
  deepEqual(floor.runningCandle('1M'), { ...candle, openTime: '2025-12-31T16:00:00.000Z' });
  floor.wait(MINUTE);
  deepEqual(floor.closedCandles('1m'), [candle]);
});

test('a longer candle is the sum of its minutes, closed and running', () => {
  const floor = new TradingFloor();
  floor.printPrice('60000', 'BTCUSDT', '1');
  floor.wait(MINUTE);
  floor.printPrice('61000', 'BTCUSDT', '2');
  floor.wait(MINUTE);
  floor.printPrice('59000', 'BTCUSDT', '4');
  const { open, high, low, close, volume } = floor.runningCandle('5m')!;
  deepEqual(
    { open, high, low, close, volume },
    {
      open: '60000',
      high: '61000',
      low: '59000',
      close: '59000',
      volume: '7',
    },
  );
  floor.wait(3 * MINUTE);
  equal(floor.closedCandles('5m')[0]!.volume, '7');
});

test('a long jump closes every candle once, at the end of its own interval', () => {
  const floor = new TradingFloor();
  floor.printPrice('60000');
  floor.wait(100 * DAY);
  const closed = floor.eventsOf('candle').map((candle) => candle.interval);
  equal(closed.length, 20);
  equal(new Set(closed).size, 20);
});

test('a trade in the first millisecond of a minute belongs to that minute', () => {
  const floor = new TradingFloor();
  floor.printPrice('60000');
  floor.now += MINUTE;
  floor.printPrice('61000');
  deepEqual(
    floor.closedCandles('1m').map(({ close }) => close),
    ['60000'],
  );
  equal(floor.runningCandle('1m')!.open, '61000');
});

test('each market has its own candles, ticker and fills', () => {
  const floor = new TradingFloor();
  floor.printPrice('60000');
  floor.printPrice('2684.23', 'ETHUSDT');
  equal(floor.ticker().volume, '1');
  equal(floor.ticker('ETHUSDT').last, '2684.23');
  equal(floor.publicFills('ETHUSDT').length, 1);
});

test('public fills come newest first and at most as many as asked for', () => {
  const floor = new TradingFloor();
  for (const price of ['60000', '60001', '60002']) floor.printPrice(price);
  deepEqual(
    floor.publicFills('BTCUSDT', 2).map((fill) => fill.priceTicks),
    [6_000_200, 6_000_100],
  );
});

test('no public fills are given when none are asked for', () => {
  const floor = new TradingFloor();
  floor.printPrice('60000');
  equal(floor.publicFills('BTCUSDT', 0).length, 0);
});

test('the displayed book shows as many levels as asked for', () => {
  const floor = openFloor('ann');
  for (const price of ['59000', '59100', '59200']) floor.buy('ann', '1', price);
  deepEqual(floor.depth('BTCUSDT', 2).bids, ['1 @ 59200', '1 @ 59100']);
  deepEqual(floor.depth('BTCUSDT', 0).bids, []);
});
