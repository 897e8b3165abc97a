/** Recorded market data of every format, packed or not, and rows that cannot be read. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { instantOf } from '../../src/simulator/recording/formats.ts';
import { pairOf, pairOfFile } from '../../src/simulator/recording/pair-names.ts';
import {
  type ReadOptions,
  readRecording,
  recordingStart,
} from '../../src/simulator/recording/read-recording.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const folder = temporaryDirectory();
const DAY = Date.UTC(2026, 0, 1);

function file(name: string, contents: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, contents);
  return path;
}

async function rowsOf(path: string, options: ReadOptions = {}) {
  const { start, times, pairs, prices, sizes, sides, names } = await readRecording(path, options);
  return [...times].map((time, n) => ({
    time: start + time,
    pair: names[pairs[n]!],
    price: prices[n],
    ...(sizes[n] !== 0 && { size: sizes[n], side: sides[n] === 1 ? 'buy' : 'sell' }),
  }));
}

/** As archivers write it: local headers, data, the list, its end. */
function zip(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text);
    const packed = deflateRawSync(data);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(8, 8);
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(crc32(data), 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(data.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    parts.push(head, Buffer.from(name), packed);
    list.push(entry, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  const listBytes = list.reduce((sum, part) => sum + part.length, 0);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(listBytes, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...list, end]);
}

const TRADES = `1,60000.50,0.25,15000.1,${DAY}000,True,True\n2,60001,0.5,30000.5,${DAY + 1500}000,False,True\n`;
const AS_TRADES = [
  { time: DAY, pair: 'BTC/USDT', price: 60_000.5, size: 0.25, side: 'sell' },
  { time: DAY + 1500, pair: 'BTC/USDT', price: 60_001, size: 0.5, side: 'buy' },
];

describe('a recording', () => {
  it('of trades is read from every venue and package', async () => {
    assert.deepEqual(await rowsOf(file('BTCUSDT-trades-2026-01-01.csv', TRADES)), AS_TRADES, 'µs, no header');
    const futures = `id,price,qty,quote_qty,time,is_buyer_maker\n1,60000.50,0.25,1,${DAY},true\n2,60001,0.5,1,${DAY + 1500},false\n`;
    assert.deepEqual(await rowsOf(file('BTCUSDT-trades-2026-01.csv', futures)), AS_TRADES, 'ms, header');
    const aggregated = `7,60000.50,0.25,1,2,${DAY},True,True\n8,60001,0.5,3,9,${DAY + 1500},False,True\n`;
    assert.deepEqual(await rowsOf(file('BTCUSDT-aggTrades-2026-01.csv', aggregated)), AS_TRADES);
    const aggregatedFutures = `agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker\n7,60000.5,0.25,1,2,${DAY},true\n8,60001,0.5,3,9,${DAY + 1500},false\n`;
    assert.deepEqual(await rowsOf(file('BTCUSDT-aggTrades-f.csv', aggregatedFutures)), AS_TRADES);
    const tardis = `exchange,symbol,timestamp,local_timestamp,id,side,price,amount\nbinance,BTCUSDT,${DAY}900,${DAY}000,1,sell,60000.5,0.25\nbinance,BTCUSDT,${DAY}100,${DAY + 1500}000,2,buy,60001,0.5\n`;
    assert.deepEqual(
      await rowsOf(file('binance_trades.csv.gz', gzipSync(tardis))),
      AS_TRADES,
      'in order of arrival',
    );
    assert.deepEqual(
      await rowsOf(file('any.zip', zip({ 'BTCUSDT-trades-2026-01-01.csv': TRADES }))),
      AS_TRADES,
    );
    const own = `time,pair,price,size,side\n${DAY},BTC/USDT,60000.5,0.25,sell\n${DAY + 1500},BTC/USDT,60001,0.5,buy\n`;
    assert.deepEqual(await rowsOf(file('own.csv', own)), AS_TRADES);
  });

  it('of candles becomes four prices each', async () => {
    const row = (n: number) =>
      `${DAY + n * 60_000},100,110,95,${n === 0 ? 105 : 98},7,${DAY + n * 60_000 + 59_999},1,1,1,1,0\n`;
    const expected = [100, 95, 110, 105, 100, 110, 95, 98].map((price, n) => ({
      time: DAY + n * 15_000,
      pair: 'ETH/USDT',
      price,
    }));
    assert.deepEqual(await rowsOf(file('ETHUSDT-1m-2026-01.csv', row(0) + row(1))), expected);
    const header =
      'open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\n';
    assert.deepEqual(await rowsOf(file('ETHUSDT-1m-f.csv', header + row(0) + row(1))), expected);
    const candles = [
      [DAY, 100, 110, 95, 105, 7],
      [DAY + 60_000, 100, 110, 95, 98, null],
    ];
    assert.deepEqual(await rowsOf(file('ETH_USDT-1m.json', JSON.stringify(candles))), expected);
    assert.deepEqual(await rowsOf(file('ETH-USDT.json', JSON.stringify(candles, null, 2))), expected);
    const lines = candles.map((candle) => JSON.stringify(candle)).join('\n');
    assert.deepEqual(await rowsOf(file('x.json', lines), { as: 'ccxt-ohlcv:ETH/USDT' }), expected);
  });

  it('of changes of a book is the book after them, at most ten times a second', async () => {
    const head = 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount';
    const row = (ms: number, isSnapshot: boolean, side: string, price: number, amount: number) =>
      `binance,BTCUSDT,${DAY + ms}000,${DAY + ms}000,${isSnapshot},${side},${price},${amount}`;
    const rows = [
      row(0, true, 'bid', 60_000, 2),
      row(0, true, 'bid', 59_990, 1),
      row(0, true, 'ask', 60_010, 1),
      row(150, false, 'bid', 60_000, 0),
      // Within a tenth of a second of what was told last: it waits.
      row(190, false, 'ask', 60_010, 0.5),
      row(190, false, 'ask', 60_030, 4),
      // A venue that is behind shows both sides crossed for a moment.
      row(500, false, 'bid', 60_040, 1),
      row(700, false, 'bid', 60_040, 0),
      row(900, true, 'ask', 61_000, 3),
      row(900, true, 'bid', 60_900, 3),
    ];
    const { times, prices, books } = await readRecording(file('l2.csv', `${head}\n${rows.join('\n')}\n`));
    assert.deepEqual(
      [...times].map((time, n) => [time, prices[n], books[n]!.bids, [...books[n]!.values]]),
      [
        [0, 60_005, 2, [60_000, 2, 59_990, 1, 60_010, 1]],
        [150, 60_000, 1, [59_990, 1, 60_010, 1]],
        [700, 60_000, 1, [59_990, 1, 60_010, 0.5, 60_030, 4]],
        [900, 60_950, 1, [60_900, 3, 61_000, 3]],
      ],
    );
    const wrong = (line: string) => readRecording(file('wrong.csv', `${head}\n${line}\n`));
    await assert.rejects(wrong(row(0, true, 'buy', 1, 1)), /line 2: side "buy" must be bid or ask/);
    await assert.rejects(wrong(row(0, true, 'bid', 1, -1)), /amount "-1" must be a decimal above zero/);
    await assert.rejects(
      wrong(row(0, true, 'bid', 1, 1).replace('true', '')),
      /is_snapshot "" must be true or false/,
    );
  });

  it('of quotes, books and tickers is the price between, or the index', async () => {
    const head = 'exchange,symbol,timestamp,local_timestamp';
    const cells = `deribit,BTC-PERPETUAL,${DAY}000,${DAY}000`;
    const at = (price: number) => [{ time: DAY, pair: 'BTC/USD', price }];
    const quotes = `${head},ask_amount,ask_price,bid_price,bid_amount\n${cells},1,60010,60000,2\n${cells},,,,\n`;
    assert.deepEqual(await rowsOf(file('quotes.csv', quotes)), at(60_005));
    const book = `${head},asks[0].price,asks[0].amount,bids[0].price,bids[0].amount\n${cells},60020,1,60000,2\n`;
    assert.deepEqual(await rowsOf(file('book.csv', book)), at(60_010));
    const names =
      'funding_timestamp,funding_rate,predicted_funding_rate,open_interest,last_price,index_price,mark_price';
    const ticker = `${head},${names}\n${cells},,0.0001,,1,60000,60001,60002\n${cells},,,,,,,\n`;
    assert.deepEqual(await rowsOf(file('ticker.csv', ticker)), at(60_001));
  });

  it('of several files and pairs is one, in order of time', async () => {
    const one = file('BTCUSDT-trades-a.csv', TRADES);
    const two = file('ETHUSDT-trades-a.csv', TRADES.replaceAll(`${DAY}000`, `${DAY + 1000}000`));
    const rows = await rowsOf(`${one},${two}`);
    assert.deepEqual(
      rows.map(({ time, pair }) => [time - DAY, pair]),
      [
        [0, 'BTC/USDT'],
        [1000, 'ETH/USDT'],
        [1500, 'BTC/USDT'],
        [1500, 'ETH/USDT'],
      ],
    );
    assert.equal(await recordingStart(`${two},${one}`), DAY + 1000);
  });

  it('tells milli-, micro- and nanoseconds apart, and pairs as venues write them', () => {
    for (const text of [`${DAY}`, `${DAY}000`, `${DAY}000000`, '2026-01-01T00:00:00Z'])
      assert.equal(instantOf(text), DAY, text);
    assert.equal(instantOf(`${DAY}250`), DAY + 0.25);
    for (const [symbol, pair] of [
      ['BTCUSDT', 'BTC/USDT'],
      ['btc-usd', 'BTC/USD'],
      ['XBTUSD', 'BTC/USD'],
      ['ETH/BTC', 'ETH/BTC'],
      ['SOLFDUSD', 'SOL/FDUSD'],
      ['BTC-PERPETUAL', 'BTC/USD'],
      ['ETH-USDT-SWAP', 'ETH/USDT'],
      ['WHAT', undefined],
    ] as const)
      assert.equal(pairOf(symbol), pair, symbol);
    assert.equal(pairOfFile('BTC_USDT-1m.json'), 'BTC/USDT');
    assert.equal(pairOfFile('prices.csv'), undefined);
  });

  it('is refused with file, line and reason, or goes on without so many bad rows', async () => {
    const bad = `${TRADES}3,0,1,1,${DAY + 2000}000,True,True\n4,60002,1,1,${DAY}000,True,True\n`;
    const path = file('BTCUSDT-trades-bad.csv', bad);
    await assert.rejects(
      readRecording(path),
      /BTCUSDT-trades-bad\.csv, line 3: price "0" must be a decimal above zero/,
    );
    await assert.rejects(
      readRecording(path, { skipBad: 1 }),
      /line 4: times must not go back \(1 bad rows were left out/,
    );
    const { times, skipped } = await readRecording(path, { skipBad: 2 });
    assert.deepEqual([times.length, skipped], [2, 2]);
    for (const [name, contents, options, says] of [
      [
        'what.csv',
        'a,b,c\n1,2,3\n',
        {},
        /line 1: the first line must name the columns .*--as names it: one of prices/,
      ],
      ['what.csv', TRADES, {}, /line 1: the pair is not known: .*--as binance-trades:BTC\/USDT/],
      ['what.csv', TRADES, { as: 'binance-trades:WHAT' }, /--as must be one of/],
      ['what.csv', TRADES, { as: 'tape' }, /--as must be one of/],
      ['BTCUSDT-k.csv', TRADES, { as: 'binance-klines' }, /line 1: close "\d+" must be a decimal above zero/],
      ['ETHUSDT-j.json', '[[1,2,3', {}, /line 1: must be an array/],
      ['BTCUSDT-e.csv', '# nothing\n', {}, /has no rows/],
      ['BTCUSDT-g.csv.gz', gzipSync(TRADES).subarray(0, 40), {}, /cannot be read: unexpected end of file/],
      ['BTCUSDT-g.csv.gz', 'plain', {}, /cannot be read: incorrect header check/],
      ['no.zip', 'plain text', {}, /is not a zip archive/],
      [
        'cut.zip',
        zip({ 'BTCUSDT-t.csv': TRADES }).subarray(0, 90),
        {},
        /not a zip archive, or its end is missing/,
      ],
    ] as const)
      await assert.rejects(
        readRecording(file(name, contents), options),
        says,
        `${name} ${JSON.stringify(options)}`,
      );
    const damaged = zip({ 'BTCUSDT-t.csv': TRADES });
    damaged[45] = damaged[45]! ^ 0xff;
    await assert.rejects(readRecording(file('damaged.zip', damaged)), /cannot be read|line 1/);
    const other = zip({ 'BTCUSDT-t.csv': TRADES });
    other[other.length - 22 - 'BTCUSDT-t.csv'.length - 46 + 16]! ^= 1;
    await assert.rejects(readRecording(file('other.zip', other)), /cannot be read: its check sum is another/);
    await assert.rejects(readRecording(join(folder, 'missing.csv')), /missing\.csv does not exist/);
    assert.equal((await rowsOf(file('what.csv', TRADES), { as: 'binance-trades:BTC/USDT' })).length, 2);
  });
});
