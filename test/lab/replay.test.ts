/** Recorded data on the exchange: prices that follow it, trades that happen again beside the orders of users. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { Rng } from '../../src/simulator/rng.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { type Flags, startInMemory, stopAll } from '../memory/in-process.ts';
import { Lab, spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

after(stopAll);

const BEGIN = Date.UTC(2026, 0, 5, 12);
const PLACE = '/api/v3/trade/place-order';

interface Trade {
  readonly second: number;
  readonly price: number;
  readonly size: number;
  readonly side: 'buy' | 'sell';
}

function recorded(trades: readonly Trade[]): string {
  const path = join(temporaryDirectory(), 'BTCUSDT-trades-2026-01-05.csv');
  const rows = trades.map(
    ({ second, price, size, side }, n) =>
      `${n},${price},${size},1,${BEGIN + second * 1000}000,${side === 'sell' ? 'True' : 'False'},True`,
  );
  writeFileSync(path, `${rows.join('\n')}\n`);
  return path;
}

/** Its clock begins with the file. */
const start = async (trades: readonly Trade[], flags: Flags = {}) =>
  new Lab(
    await startInMemory({
      ...{ feed: `replay:${recorded(trades)}`, depth: 'tape', market: 'quiet' },
      ...{ clock: 'manual', instruments: 'SPOT:BTCUSDT', ...flags },
    }),
  );

const publicTrades = async (lab: Lab, category = 'SPOT') => {
  const { data } = await lab
    .client('alice')
    .get('/api/v3/market/fills', { category, symbol: 'BTCUSDT', limit: '100' });
  return (data as { price: string; size: string; side: string; ts: string }[])
    .map(({ price, size, side, ts }) => [Number(price), Number(size), side, (Number(ts) - BEGIN) / 1000])
    .reverse();
};

const bookOf = async (lab: Lab) => (await lab.ask('GET', '/lab/replay')).books[0];

describe('a tape', () => {
  it('happens again, trade by trade, from the time of its first row on', async () => {
    const lab = await start([
      { second: 0, price: 60_000, size: 0.5, side: 'buy' },
      { second: 2, price: 60_010, size: 0.25, side: 'buy' },
      { second: 2, price: 60_010, size: 0.25, side: 'buy' },
      { second: 3, price: 59_990.5, size: 1, side: 'sell' },
      { second: 3, price: 59_990.5, size: 0.0000001, side: 'buy' },
    ]);
    assert.equal(lab.exchange.sequencer.clock.now(), BEGIN);
    await lab.advance('5s');
    assert.deepEqual(await publicTrades(lab), [
      [60_000, 0.5, 'buy', 1],
      [60_010, 0.5, 'buy', 2],
      [59_990.5, 1, 'sell', 3],
    ]);
    const book = await bookOf(lab);
    assert.deepEqual(book.recorded, { trades: 5, volume: 2.0000001 });
    assert.deepEqual([book.traded.volume, book.withUsers.volume, book.tooSmall.trades], [2, 0, 1]);
    assert.deepEqual([book.lastTraded, book.distanceBps], [59_990.5, 0]);
    const { data } = await lab
      .client('alice')
      .get('/api/v3/market/orderbook', { category: 'SPOT', symbol: 'BTCUSDT' });
    assert.deepEqual(
      [data.a[0], data.b[0]],
      [
        ['60010', '0.5'],
        ['59990.5', '1'],
      ],
    );
    await lab.stop();
  });

  it('meets orders of users first where they are better or waited, and tells how far that bent it', async () => {
    const lab = await start([
      { second: 0, price: 60_000, size: 0.5, side: 'buy' },
      { second: 5, price: 59_990, size: 0.3, side: 'sell' },
      { second: 8, price: 60_020, size: 0.4, side: 'buy' },
    ]);
    await lab.advance('2s');
    const alice = lab.client('alice');
    const bid = await alice.post(PLACE, spotOrder('buy', '59990', '0.1'));
    const ask = await alice.post(PLACE, spotOrder('sell', '60015', '0.1'));
    const taken = await alice.post(PLACE, { ...spotOrder('buy', '60000', '0.2'), timeInForce: 'ioc' });
    await lab.advance('4s');
    const filled = async (id: string) => {
      const { data } = await alice.get('/api/v3/trade/order-info', { orderId: id });
      return [data.orderStatus, Number(data.cumExecQty), Number(data.avgPrice)];
    };
    assert.deepEqual(
      await filled(taken.data.orderId),
      ['filled', 0.2, 60_000],
      'the last price of the tape is offered',
    );
    assert.deepEqual(await filled(bid.data.orderId), ['filled', 0.1, 59_990], 'it waited at the price');
    await lab.advance('4s');
    assert.deepEqual(await filled(ask.data.orderId), ['filled', 0.1, 60_015], 'it was better');
    const book = await bookOf(lab);
    assert.equal(book.recorded.volume, 1.2);
    assert.deepEqual(book.withUsers, { trades: 3, volume: 0.4 });
    // The tape's own trades: all of the first, and what users left of the others.
    assert.equal(book.traded.volume, 1.4);
    assert.equal(book.lastTraded, 60_020);
    const { data } = await alice.get('/api/v3/market/orderbook', { category: 'SPOT', symbol: 'BTCUSDT' });
    assert.deepEqual(data.a, [['60020', '0.4']], 'what nobody took is withdrawn');
    await lab.stop();
  });

  it('plays on futures as well, gathers no position, and comes to the same state twice, also from a snapshot', async () => {
    const rng = new Rng(3, 'tape');
    let price = 60_000;
    const trades: Trade[] = Array.from({ length: 400 }, (_, n) => {
      price += Math.round(rng.between(-30, 30)) / 10;
      const side = rng.chance(0.8) ? 'buy' : 'sell';
      return {
        second: Math.floor(n / 8),
        price: Math.round(price * 10) / 10,
        size: Math.ceil(rng.between(1, 4000)) / 1000,
        side,
      };
    });
    const run = async (flags: Flags = {}) => {
      const lab = await start(trades, { instruments: 'BTCUSDT', ...flags });
      await lab.advance('20s');
      await lab.snapshot('middle');
      const goOn = async () => {
        await lab.client('alice').post(PLACE, spotOrder('buy', String(Math.floor(price)), '0.1'));
        await lab.advance('40s');
        return stateHash(lab.exchange.sequencer.state);
      };
      const once = await goOn();
      const report = (await lab.ask('GET', '/lab/replay')).books;
      await lab.revert('middle');
      assert.equal(await goOn(), once, 'from the snapshot');
      const { accountByUid } = lab.exchange.sequencer.state;
      const positions = [...accountByUid.values()]
        .filter(({ house }) => house)
        .flatMap(({ positions: held }) => [...held.values()].map(({ size }) => Math.abs(size)));
      await lab.stop();
      return { once, report, positions };
    };
    const first = await run();
    const volume = trades.filter(({ second }) => second > 20).reduce((sum, { size }) => sum + size, 0);
    assert.deepEqual(first.report.map(({ category }: { category: string }) => category).sort(), [
      'SPOT',
      'USDT-FUTURES',
    ]);
    for (const { recorded: told, traded } of first.report) {
      assert.ok(Math.abs(told.volume - volume) < 1e-6);
      assert.ok(Math.abs(traded.volume - volume) < volume / 100, JSON.stringify([traded, volume]));
    }
    assert.ok(Math.max(...first.positions) <= 40_000, String(first.positions));
    assert.equal((await run()).once, first.once, 'the same file, the same state');
  });

  it('needs trades with sizes, and a file that can be read', async () => {
    const prices = join(temporaryDirectory(), 'prices.csv');
    writeFileSync(prices, `time,pair,price\n${BEGIN},BTC/USDT,60000\n`);
    const flags = { market: 'quiet', clock: 'manual', instruments: 'SPOT:BTCUSDT' } as const;
    await assert.rejects(
      startInMemory({ ...flags, feed: `replay:${prices}`, depth: 'tape' }),
      /prices\.csv has no trades with sizes/,
    );
    const lab = await Lab.start({ ...flags, feed: `replay:${prices}` });
    const replay = await lab.ask('GET', '/lab/replay');
    assert.deepEqual([replay.depth, replay.rows, replay.books], ['price', 1, []]);
    await lab.stop();
    const none = await Lab.start();
    assert.equal((await none.refused('GET', '/lab/replay'))[0], 422);
    await none.stop();
    await assert.rejects(startInMemory({ ...flags, as: 'tape' }), /--as/);
  });
});

/** Rows of `book_snapshot`: bids and asks as price and size, best first. */
function recordedBook(rows: readonly { second: number; bids: number[][]; asks: number[][] }[]): string {
  const path = join(temporaryDirectory(), 'binance_book_snapshot_5.csv');
  const columns = (side: string) => [0, 1, 2].flatMap((n) => [`${side}[${n}].price`, `${side}[${n}].amount`]);
  const header = `exchange,symbol,timestamp,local_timestamp,${[...columns('asks'), ...columns('bids')].join(',')}`;
  const side = (levels: number[][]) => [0, 1, 2].flatMap((n) => (levels[n] ?? ['', '']).map(String));
  const lines = rows.map(({ second, bids, asks }) => {
    const time = `${BEGIN + second * 1000}000`;
    return ['binance', 'BTCUSDT', time, time, ...side(asks), ...side(bids)].join(',');
  });
  writeFileSync(path, `${[header, ...lines].join('\n')}\n`);
  return path;
}

describe('a recorded book', () => {
  const ROWS = [
    {
      second: 0,
      bids: [
        [59_990, 2],
        [59_980, 3],
      ],
      asks: [
        [60_000, 1.5],
        [60_010, 4],
      ],
    },
    { second: 5, bids: [[59_990, 1.25]], asks: [[60_000, 1.75]] },
    { second: 10, bids: [[59_970, 1]], asks: [[59_985, 0.5]] },
  ];
  const PART = { market: 'quiet', clock: 'manual', instruments: 'SPOT:BTCUSDT' } as const;
  const bookNow = async (lab: Lab) => {
    const { data } = await lab
      .client('bob')
      .get('/api/v3/market/orderbook', { category: 'SPOT', symbol: 'BTCUSDT' });
    const numbers = (levels: string[][]) => levels.map((level) => level.map(Number));
    return { bids: numbers(data.b), asks: numbers(data.a) };
  };

  it('is kept up level by level, and orders of users wait in its queues', async () => {
    const trade = recorded([{ second: 7, price: 59_990, size: 1.3, side: 'sell' }]);
    const feed = `replay:${recordedBook(ROWS)},${trade}`;
    const lab = new Lab(await startInMemory({ ...PART, feed, depth: 'book' }));
    await lab.advance('2s');
    assert.deepEqual(await bookNow(lab), { bids: ROWS[0]!.bids, asks: ROWS[0]!.asks });
    const alice = lab.client('alice');
    const filled = async (id: string) =>
      Number((await alice.get('/api/v3/trade/order-info', { orderId: id })).data.cumExecQty);
    const behind = await alice.post(PLACE, spotOrder('buy', '59990', '0.2'));
    await lab.advance('4s');
    assert.deepEqual(await bookNow(lab), { bids: [[59_990, 1.45]], asks: [[60_000, 1.75]] });
    await lab.advance('2s');
    // 1.25 lie before hers: of the 1.3 that were sold she gets the rest.
    assert.equal(await filled(behind.data.orderId), 0.05);
    await lab.advance('4s');
    assert.equal(await filled(behind.data.orderId), 0.2, 'the book has moved through her price');
    const after = await bookNow(lab);
    assert.deepEqual(after, { bids: [[59_970, 1]], asks: [[59_985, 0.35]] });
    const report = (await lab.ask('GET', '/lab/replay')).books[0];
    assert.deepEqual([report.recorded.volume, report.withUsers.volume], [1.3, 0.2]);
    await lab.stop();
  });

  it('is there before the trades of its instant, and the same file comes to the same state', async () => {
    const trade = recorded([{ second: 0, price: 60_000, size: 0.5, side: 'buy' }]);
    const feed = `replay:${recordedBook(ROWS)},${trade}`;
    const run = async () => {
      const lab = new Lab(await startInMemory({ ...PART, feed, depth: 'book' }));
      await lab.advance('1s');
      assert.deepEqual(await publicTrades(lab), [[60_000, 0.5, 'buy', 1]]);
      await lab.advance('12s');
      const hash = stateHash(lab.exchange.sequencer.state);
      await lab.stop();
      return hash;
    };
    assert.equal(await run(), await run());
  });

  it('needs books, in which bids are below asks', async () => {
    const trades = recorded([{ second: 0, price: 60_000, size: 1, side: 'buy' }]);
    await assert.rejects(startInMemory({ ...PART, feed: `replay:${trades}`, depth: 'book' }), /has no books/);
    const crossed = recordedBook([{ second: 0, bids: [[60_001, 1]], asks: [[60_000, 1]] }]);
    await assert.rejects(
      startInMemory({ ...PART, feed: `replay:${crossed}`, depth: 'book' }),
      /line 2: the best bid must be below the best ask/,
    );
  });
});
