/** Candles on the stream are those of HTTP, and come in the order of time (wire 5.3). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readCandles } from '../../src/api/routes/market/candle-query.ts';
import type { Push } from '../../src/api/ws/frames.ts';
import type { StreamContext } from '../../src/api/ws/stream-context.ts';
import { KlineChannel } from '../../src/api/ws/topics/kline.ts';
import { gaplessCandles } from '../../src/history/gapless-candles.ts';
import type { GaplessCandleQuery } from '../../src/history/history.ts';
import { answerNow, type Read } from '../../src/history/read.ts';
import { ManualClock } from '../../src/sequencer/clock.ts';
import type { Sequencer } from '../../src/sequencer/sequencer.ts';
import { type CandleView, candleRow } from '../../src/views/candle-view.ts';
import { TradingFloor } from '../core/trading-floor.ts';
import type { Frame, StreamClient } from '../harness/stream-client.ts';
import { StreamServer } from '../harness/stream-server.ts';

const MINUTE_MS = 60_000;
/** In the middle of an hour, so that no candle of the test ends during it. */
const NOON = Date.UTC(2026, 5, 25, 12);

test('a candle ends before the next one begins, also when its end is not on disk yet', () => {
  const trading = new TradingFloor();
  const wall = new ManualClock(trading.now);
  const pushes: Push[] = [];
  const waiting: (() => void)[] = [];
  const floor = {
    sequencer: { state: trading.state, history: { generatedPart: async () => undefined } },
    clock: wall,
    wallClock: wall,
    fanout: { broadcast: (_: unknown, push: Push) => pushes.push(push) },
    durable: { whenDurable: (send: () => void) => waiting.push(send) },
  } as unknown as StreamContext;
  trading.printPrice('60000');
  const channel = new KlineChannel('1m', floor, trading.instrument(), '1m');

  trading.printPrice('60040');
  trading.wait(MINUTE_MS);
  wall.advance(MINUTE_MS);
  // The minute is over in the state; the streams hear of it when it is on disk.
  channel.poll(wall.now());
  for (const event of trading.eventsOf('candle')) channel.closed(event);
  for (const send of waiting.splice(0)) send();

  const told = pushes.flatMap(
    ({ data }) => JSON.parse(data) as { start: string; close: string; volume: string }[],
  );
  const start = trading.now - MINUTE_MS;
  assert.deepEqual(
    told.map(({ start: each, close, volume }) => [Number(each) - start, close, volume]),
    [
      [0, '60040', '2'],
      [MINUTE_MS, '60040', '0'],
    ],
  );
});

test('a candle that ends while HTTP reads it is not counted twice', async () => {
  const trading = new TradingFloor();
  trading.printPrice('60000');
  const instrument = trading.instrument();
  const sequencer = {
    state: trading.state,
    durable: async () => trading.wait(MINUTE_MS),
    history: {
      gaplessCandles: async (query: GaplessCandleQuery) =>
        JSON.stringify(answerNow(gaplessCandles(stored, query), () => [])),
    },
  } as unknown as Sequencer;
  const stored = {
    lastCandleBefore: () => answered(undefined),
    candles: () =>
      answered(
        trading
          .eventsOf('candle')
          .map((candle) => candleRow(candle, instrument))
          .slice(0, 1),
      ),
    generatedPart: () => answered(undefined),
  };
  const span = { startTime: undefined, endTime: undefined, limit: 1 };
  const text = await readCandles(sequencer, { instrument, type: 'market', interval: '1m', ...span });
  const [candle] = JSON.parse(text) as CandleView[];
  assert.deepEqual([candle?.[0], candle?.[5]], [String(trading.now - MINUTE_MS), '1']);
});

let room: StreamServer;
let reader: StreamClient;

before(async () => {
  room = await StreamServer.start({ standsAt: NOON + 30 * MINUTE_MS });
  reader = await room.connect();
});

after(() => room.close());

async function trade(price: string): Promise<void> {
  for (const [name, side] of [
    ['bob', 'sell'],
    ['alice', 'buy'],
  ] as const) {
    const trader = await room.login(room.account(name));
    const order = { symbol: 'BTCUSDT', side, orderType: 'limit', price, qty: '0.01', timeInForce: 'gtc' };
    assert.equal((await trader.trade('1', 'place-order', 'spot', order)).code, '0');
  }
}

test('the candle in which the exchange began has its made-up part, as over HTTP', async () => {
  const { sequencer } = room.rooms;
  sequencer.history.addGenerated({
    candles: [
      {
        category: 'SPOT',
        symbol: 'BTCUSDT',
        interval: '1H',
        firstOpen: NOON,
        pricePrecision: 2,
        quantityPrecision: 6,
        ticks: Int32Array.of(5_990_000, 6_100_000, 5_900_000, 6_000_000),
        lots: Float64Array.of(3_000_000),
      },
    ],
  });
  await sequencer.history.flush();
  await trade('60010');
  const kept = async () => {
    const instrument = sequencer.state.instrument('SPOT', 'BTCUSDT')!;
    const span = { startTime: undefined, endTime: undefined, limit: 1 };
    return JSON.parse(
      await readCandles(sequencer, { instrument, type: 'market', interval: '1D', ...span }),
    )[0];
  };
  const candle = ({ start, open, high, low, close, volume, turnover }: Frame) =>
    [start, open, high, low, close, volume, turnover] as const;

  await reader.subscribe({ instType: 'spot', topic: 'kline', symbol: 'BTCUSDT', interval: '1D' });
  const first = await reader.next((frame) => frame.action === 'snapshot');
  assert.deepEqual(candle(first.data.at(-1)), await kept());
  assert.deepEqual([first.data.at(-1).open, first.data.at(-1).volume], ['59900', '3.01']);

  await trade('60020');
  await room.pass(1_000, reader);
  const update = await reader.next(
    (frame) => frame.action === 'update' && frame.data.at(-1).close === '60020',
  );
  assert.deepEqual(candle(update.data.at(-1)), await kept());
});

/** A read that needs no statement. */
function* answered<Answer>(answer: Answer): Read<Answer> {
  yield* [];
  return answer;
}
