/** What belongs to markets: candles, funding rates, the insurance fund, liquidations. */
import assert from 'node:assert/strict';
import type { CandleInterval } from '../../src/core/model/candle-interval.ts';
import { Category, OrderKind, PosSide, PRICE_KINDS } from '../../src/core/model/enums.ts';
import { RETENTION_MS } from '../../src/history/history.ts';
import { type CandleView, flatCandle, priceCandleRow } from '../../src/views/candle-view.ts';
import { parseId } from '../../src/views/format.ts';
import {
  aCandle,
  aFill,
  aFunding,
  aPriceCandle,
  INSTRUMENTS,
  PERPETUAL,
  START_TIME,
} from './example-events.ts';
import type { Contract } from './storage.ts';

export function marketContract({ session }: Contract): void {
  session('a made-up past answers in every interval, and what happened joins it', async (history) => {
    const minute = 60_000;
    const first = 1000 * 60 * minute;
    const count = 100;
    const ticks = Int32Array.from(
      { length: 4 * count },
      (_, n) => 100 + Math.floor(n / 4) + [0, 5, -5, 1][n % 4]!,
    );
    const lots = new Float64Array(count).fill(2);
    const book = { category: 'SPOT', symbol: 'BTCUSDT', type: 'market' } as const;
    const precision = { pricePrecision: 2, quantityPrecision: 6 };
    for (const from of [0, 60]) {
      const part = { ticks: ticks.slice(from * 4, (from + 60) * 4), lots: lots.slice(from, from + 60) };
      history.addGenerated({
        candles: [{ ...book, interval: '1m', firstOpen: first + from * minute, ...precision, ...part }],
      });
    }
    const traded = aCandle({ openTime: first + 99 * minute, highTicks: 900, closeTicks: 300, volumeLots: 7 });
    history.project({ seq: 1, time: START_TIME, events: [traded] });
    const series = { ...book, interval: '1m' as CandleInterval };

    const all = await history.candles({ ...series, limit: 1000, from: 'newest' });
    assert.equal(all.length, count);
    assert.deepEqual(all[0], {
      openTime: first,
      open: '1',
      high: '1.05',
      low: '0.95',
      close: '1.01',
      volume: '0.000002',
      turnover: '0.000002',
    });
    const last = all.at(-1)!;
    assert.deepEqual([last.open, last.high, last.close, last.volume], ['1.99', '9', '3', '0.000009']);
    const [older, newer] = await history.candles({
      ...series,
      endTime: first + 61 * minute,
      limit: 2,
      from: 'newest',
    });
    assert.deepEqual([older?.openTime, newer?.openTime], [first + 60 * minute, first + 61 * minute]);
    const [oldest] = await history.candles({ ...series, startTime: first + 3, limit: 1, from: 'oldest' });
    assert.equal(oldest?.openTime, first + minute);

    const halfHours = await history.candles({ ...book, interval: '30m', limit: 10, from: 'oldest' });
    assert.deepEqual(
      halfHours.map(({ openTime, open, close, volume }) => [
        (openTime - first) / minute,
        open,
        close,
        volume,
      ]),
      [
        [0, '1', '1.3', '0.00006'],
        [30, '1.3', '1.6', '0.00006'],
        [60, '1.6', '1.9', '0.00006'],
        [90, '1.9', '2', '0.00002'],
      ],
    );
    assert.equal((await history.lastCandleBefore(series, first + 10 * minute))?.openTime, first + 9 * minute);
    assert.equal(await history.lastCandleBefore(series, first), undefined);
    const part = async (interval: CandleInterval, minutes: number) =>
      (await history.generatedPart({ ...book, interval }, first + minutes * minute))?.volume;
    assert.deepEqual(
      [await part('30m', 90), await part('1m', 99), await part('1m', 100)],
      ['0.00002', '0.000002', undefined],
      'without what happened in the same interval',
    );
    assert.equal((await history.counts()).candles, 1, 'what is made up is counted nowhere');
  });

  session('candles come ascending from the end that was asked for', async (history) => {
    const minute = 60_000;
    const candles = Array.from({ length: 50 }, (_, n) =>
      aCandle({ openTime: n * 2 * minute, closeTicks: n + 1 }),
    );
    const noise = [
      aCandle({ openTime: 6 * minute, interval: '5m' }),
      aCandle({ openTime: 6 * minute, instrument: 1 }),
      aCandle({ openTime: 6 * minute, instrument: 2 }),
    ];
    history.project({ seq: 1, time: START_TIME, events: [...candles, ...noise] });
    const interval: CandleInterval = '1m';
    const series = { category: 'SPOT', symbol: 'BTCUSDT', type: 'market', interval } as const;
    const times = async (query: {
      startTime?: number;
      endTime?: number;
      limit: number;
      from: 'newest' | 'oldest';
    }) => (await history.candles({ ...series, ...query })).map((row) => row.openTime / minute);

    assert.deepEqual(await times({ limit: 3, from: 'newest' }), [94, 96, 98]);
    assert.deepEqual(await times({ limit: 3, from: 'oldest' }), [0, 2, 4]);
    const bounds = { startTime: 4 * minute, endTime: 10 * minute };
    assert.deepEqual(await times({ ...bounds, limit: 9, from: 'newest' }), [4, 6, 8, 10]);
    assert.deepEqual(await times({ ...bounds, limit: 2, from: 'newest' }), [8, 10]);
    assert.deepEqual(await times({ ...bounds, limit: 2, from: 'oldest' }), [4, 6]);

    const before = (openTime: number) => history.lastCandleBefore(series, openTime);
    assert.equal((await before(7 * minute))?.openTime, 6 * minute);
    assert.equal((await before(6 * minute))?.openTime, 4 * minute);
    assert.equal(await before(0), undefined);
    assert.equal((await before(6 * minute))?.close, '0.03');
  });

  session('a run of candles has no gap: flat ones between, the running one at its end', async (history) => {
    const minute = 60_000;
    const traded = [2, 3, 6].map((n) => aCandle({ openTime: n * minute, closeTicks: 100 * n }));
    history.project({ seq: 1, time: START_TIME, events: traded });
    const series = { category: 'SPOT', symbol: 'BTCUSDT', type: 'market', interval: '1m' } as const;
    const running = flatCandle(8 * minute, '55');
    const now = 8 * minute + 1;
    const run = async (startTime?: number, endTime?: number, limit = 100) => {
      const text = await history.gaplessCandles({ series, running, now, startTime, endTime, limit });
      return (JSON.parse(text) as CandleView[]).map((view) => `${Number(view[0]) / minute} ${view[4]}`);
    };
    const all = ['2 2', '3 3', '4 3', '5 3', '6 6', '7 6', '8 55'];
    assert.deepEqual(await run(), all);
    assert.deepEqual(await run(undefined, undefined, 3), all.slice(-3));
    assert.deepEqual(await run(3 * minute + 1, 6 * minute + 5), all.slice(2, 5));
    assert.deepEqual(await run(4 * minute, undefined, 2), all.slice(2, 4), 'from a start onwards');
    assert.deepEqual(await run(0, undefined, 2), all.slice(0, 2), 'not before the first trade');
    assert.deepEqual(await run(9 * minute), []);
  });

  session('candles of mark, index and premium are series of their own beside the trades', async (history) => {
    const instrument = PERPETUAL;
    const priced = PRICE_KINDS.map((kind, n) => aPriceCandle({ kind, instrument, closeTicks: -n }));
    const events = [aCandle({ instrument }), ...priced];
    history.project({ seq: 1, time: START_TIME, events });
    history.project({
      seq: 2,
      time: START_TIME,
      events: [aPriceCandle({ kind: 'mark', interval: '5m', instrument })],
    });
    const { symbol } = INSTRUMENTS[instrument]!;
    for (const [n, type] of PRICE_KINDS.entries()) {
      const series = { category: 'USDT-FUTURES', symbol, type, interval: '1m' } as const;
      const rows = await history.candles({ ...series, limit: 9, from: 'newest' });
      assert.deepEqual(rows, [priceCandleRow(priced[n]!, type, INSTRUMENTS[instrument]!)]);
      assert.deepEqual(await history.lastCandleBefore(series, START_TIME + 1), rows[0]);
    }
  });

  session('hours of the insurance fund come oldest first, with the one before them', async (history) => {
    const hour = (n: number, balance: bigint) =>
      ({ type: 'insuranceHour', coin: 1, amount: 5n, balance, time: n * 3_600_000 }) as const;
    const other = { ...hour(2, 77n), coin: 0 };
    history.project({ seq: 1, time: START_TIME, events: [hour(1, 5n), hour(2, 10n), other, hour(4, 15n)] });
    const found = async (from: number) =>
      (await history.insuranceHours('USDT', from * 3_600_000)).map(({ time, balance }) => [
        time / 3_600_000,
        balance,
      ]);
    assert.deepEqual(await found(3), [
      [2, '0.0000001'],
      [4, '0.00000015'],
    ]);
    assert.deepEqual(await found(0), [
      [1, '0.00000005'],
      [2, '0.0000001'],
      [4, '0.00000015'],
    ]);
    assert.deepEqual(await history.insuranceHours('ETH', 0), []);
  });

  session('settled funding rates are kept, newest first, and never pruned', async (history) => {
    const eightHours = 8 * 60 * 60 * 1000;
    const rates = [100_000_000n, -50_000_000n, 3_000_000_000n];
    const events = rates.map((rate, n) => aFunding(START_TIME + n * eightHours, rate));
    history.project({ seq: 1, time: START_TIME, events });
    assert.equal(await history.prune(START_TIME + 2 * RETENTION_MS), 0);
    const query = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', skip: 0, limit: 2 } as const;
    const printed = (row: { fundingRate: string; fundingRateTimestamp: string }) => [
      row.fundingRate,
      Number(row.fundingRateTimestamp),
    ];
    assert.deepEqual((await history.fundingRates(query)).map(printed), [
      ['0.003', START_TIME + 2 * eightHours],
      ['-0.00005', START_TIME + eightHours],
    ]);
    assert.deepEqual((await history.fundingRates({ ...query, skip: 2 })).map(printed), [
      ['0.0001', START_TIME],
    ]);
    assert.deepEqual(await history.fundingRates({ ...query, symbol: 'ETHUSDT' }), []);
  });

  session('made-up funding rates come after those that were settled', async (history) => {
    const book = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;
    const hour = 3_600_000;
    const rates = [2, 1].map((ago) => ({ time: START_TIME - ago * 8 * hour, fundingRate: `0.000${ago}` }));
    history.addGenerated({ candles: [], funding: { ...book, rates } });
    history.project({ seq: 1, time: START_TIME, events: [aFunding(START_TIME, 3_000_000_000n)] });
    const printed = async (skip: number, limit: number) =>
      (await history.fundingRates({ ...book, skip, limit })).map(({ fundingRate }) => fundingRate);
    assert.deepEqual(await printed(0, 10), ['0.003', '0.0001', '0.0002']);
    assert.deepEqual(await printed(1, 1), ['0.0001']);
    assert.deepEqual(await history.fundingRates({ ...book, symbol: 'ETHUSDT', skip: 0, limit: 10 }), []);
  });

  session(
    'a funding rate that was made up for a time after the first settlement is not shown',
    async (history) => {
      const book = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;
      const interval = 8 * 3_600_000;
      const times = [-1, 0, 1].map((n) => START_TIME + n * interval);
      history.project({ seq: 1, time: START_TIME, events: [aFunding(START_TIME, 3_000_000_000n)] });
      history.addGenerated({
        candles: [],
        funding: { ...book, rates: times.map((time) => ({ time, fundingRate: '0.0001' })) },
      });
      const rates = await history.fundingRates({ ...book, skip: 0, limit: 10 });
      assert.deepEqual(
        rates.map(({ fundingRate, fundingRateTimestamp }) => [fundingRate, Number(fundingRateTimestamp)]),
        [
          ['0.003', START_TIME],
          ['0.0001', START_TIME - interval],
        ],
      );
    },
  );

  session('fills of forced closes are public as liquidations, other fills are not', async (history) => {
    const futures = { posSide: PosSide.none, closing: true, pnl: -5n } as const;
    const kinds = [OrderKind.user, OrderKind.liquidation, OrderKind.adl, OrderKind.reduce];
    const events = kinds.map((kind, n) => ({
      type: 'fill' as const,
      fill: aFill({
        execId: 10 + n,
        instrument: PERPETUAL,
        category: Category.usdtFutures,
        time: START_TIME + n,
        futures: { ...futures, kind },
      }),
    }));
    history.project({ seq: 1, time: START_TIME, events });
    const query = { category: 'USDT-FUTURES', startTime: START_TIME, limit: 10 } as const;
    const ids = async (more: object) =>
      (await history.liquidations({ ...query, ...more })).map(({ execId }) => parseId(execId));
    assert.deepEqual(await ids({}), [13, 11]);
    assert.deepEqual(await ids({ symbol: 'BTCUSDT', beforeId: 13 }), [11]);
    assert.deepEqual(await ids({ startTime: START_TIME + 2 }), [13]);
    assert.deepEqual(await ids({ symbol: 'ETHUSDT' }), []);
    const [newest] = await history.liquidations(query);
    // The sale closed what had been bought.
    assert.deepEqual([newest!.side, newest!.price, newest!.amount], ['buy', '60000', '0.001013']);
  });
}
