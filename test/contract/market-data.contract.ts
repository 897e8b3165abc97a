/** Interface 4.1 with its objects (interface 2.6 to 2.10): public market data. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { CATEGORIES, FUTURES, isFutures, ticker } from './objects.ts';
import { conforms } from './shape.ts';
import {
  COIN,
  type ContractVenue,
  catalogue,
  catalogued,
  DAY_MS,
  type Data,
  DELIVERED,
  LINEAR,
  limit,
  PAST_MS,
  quarterly,
  SPOT,
  USDC,
} from './venue.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const INTERVALS = {
  ...{
    '1m': MINUTE_MS,
    '3m': 3 * MINUTE_MS,
    '5m': 5 * MINUTE_MS,
    '15m': 15 * MINUTE_MS,
    '30m': 30 * MINUTE_MS,
  },
  ...{ '1H': HOUR_MS, '4H': 4 * HOUR_MS, '6H': 6 * HOUR_MS, '12H': 12 * HOUR_MS, '1D': DAY_MS },
};
const ON = { category: 'SPOT', symbol: 'BTCUSDT' };
/** Before delivery no new orders are taken (interface 2.7). */
const QUIET_MS = 10 * MINUTE_MS;

/** What the operator has set; everything else trades. */
const STATUSES = [
  ['LTCUSDT', 'limit_open'],
  ['BNBUSDT', 'limit_close'],
  ['ADAUSDT', 'offline'],
  ['LINKUSDT', 'restrictedAPI'],
] as const;

/** What is listed besides the catalogue. */
const ODD: Readonly<Record<string, readonly string[]>> = {
  SPOT: ['OILUSDT', 'AREAUSDT'],
  MARGIN: ['OILUSDT'],
  'USDT-FUTURES': ['METALUSDT', 'EVERY2USDT', 'EVERY4USDT', 'STOCKUSDT'],
  'COIN-FUTURES': ['BTCUSDSOON', 'BTCUSDNOW', 'BTCUSDLAST', 'BTCUSDDUE', 'BTCUSDOPENS', 'BTCUSDQUIET'],
};

/** One of each kind that the catalogue has no example of. */
async function listOddOnes(venue: ContractVenue): Promise<void> {
  const { operator } = venue;
  const now = venue.now();
  const linear = catalogued('usdt-futures', 'LINKUSDT');
  const spot = catalogued('spot', 'ADAUSDT');
  const stock = { ...linear.futures, isRwa: 'YES', isReality: 'yes', fundInterval: '1', maxLeverage: '50' };
  await operator.list({ ...linear, symbol: 'METALUSDT', symbolType: 'metal' });
  for (const fundInterval of ['2', '4']) {
    const futures = { ...linear.futures, fundInterval };
    await operator.list({ ...linear, symbol: `EVERY${fundInterval}USDT`, futures });
  }
  await operator.list({ ...linear, symbol: 'STOCKUSDT', symbolType: 'stock', futures: stock });
  await operator.list({ ...spot, symbol: 'OILUSDT', symbolType: 'commodity' });
  await operator.list({ ...spot, symbol: 'AREAUSDT', areaSymbol: 'YES' });
  const margin = catalogued('margin', 'ADAUSDT');
  // A listing of before isolated spot margin was known not to be offered.
  const borrowable = { isIsolatedBaseBorrowable: 'YES', isIsolatedQuotedBorrowable: 'YES' };
  const area = { symbol: 'OILUSDT', areaSymbol: 'YES' };
  await operator.list({ ...margin, ...area, margin: { ...margin.margin, ...borrowable } });
  const contracts: [symbol: string, start: number, delivery: number, period: string][] = [
    ['BTCUSDSOON', now + DAY_MS, now + 90 * DAY_MS, 'next_quarter'],
    ['BTCUSDNOW', now - DAY_MS, now + 30 * DAY_MS, 'this_quarter'],
    ['BTCUSDLAST', now - DAY_MS, now + 300_000, 'this_quarter'],
    ['BTCUSDDUE', now - DAY_MS, now + 3_000, 'this_quarter'],
    ['BTCUSDOPENS', now + 3_000, now + 30 * DAY_MS, 'this_quarter'],
    ['BTCUSDQUIET', now - DAY_MS, now + 3_000 + QUIET_MS, 'this_quarter'],
  ];
  for (const contract of contracts) await operator.list(quarterly(...contract));
  for (const [symbol, status] of STATUSES) await operator.setStatus('SPOT', symbol, status);
}

export function marketData(venue: ContractVenue): void {
  const { nobody, alice } = venue;

  describe('interface 4.1: market data', () => {
    before(async () => {
      await listOddOnes(venue);
      await venue.trade(alice, limit(SPOT, 'buy', '0.01', '60100'));
      await venue.trade(alice, limit(SPOT, 'sell', '0.01', '60000'));
      for (const where of [LINEAR, COIN, USDC])
        await venue.trade(alice, limit(where, 'buy', '0.01', '60000'));
    });

    it('interface 2.6, 4.1 instruments: each category lists its instruments with its fields and no others', async () => {
      for (const category of CATEGORIES) {
        const list = await nobody.get('market/instruments', { category });
        assert.ok(list.length > 0, category);
        for (const record of list) {
          assert.equal(record.category, category);
          if (!isFutures(category)) continue;
          const step = (precision: string) =>
            precision === '0' ? '1' : `0.${'0'.repeat(Number(precision) - 1)}1`;
          assert.equal(record.priceMultiplier, step(record.pricePrecision), `2.6: ${record.symbol}`);
          assert.equal(record.quantityMultiplier, step(record.quantityPrecision), `2.6: ${record.symbol}`);
        }
      }
    });

    it('interface 2.6: an instrument tells what it was listed with', async () => {
      for (const category of CATEGORIES) {
        const list: Data[] = await nobody.get('market/instruments', { category });
        const names = list.map(({ symbol }) => symbol);
        assert.equal(new Set(names).size, names.length, `interface 2.6: each symbol of ${category} once`);
        for (const odd of ODD[category] ?? []) assert.ok(names.includes(odd), `interface 2.6: ${odd}`);
        for (const listed of catalogue(category)) {
          const {
            status: _now,
            deliveryPeriod: _moves,
            ...record
          } = list.find(({ symbol }) => symbol === listed.symbol);
          const told = { areaSymbol: 'NO', ...listed, ...listed.futures, ...listed.margin };
          for (const [field, value] of Object.entries(record)) {
            assert.equal(value, told[field], `interface 2.6: ${field} of ${category} ${listed.symbol}`);
          }
        }
      }
    });

    it('interface 2.6: an instrument tells the status that it has', async () => {
      const list: Data[] = await nobody.get('market/instruments', { category: 'SPOT' });
      const special = list.filter(({ status }) => status !== 'online');
      for (const [category, symbol] of [LINEAR, COIN, USDC]) {
        const contracts: Data[] = await nobody.get('market/instruments', { category });
        // The operator has opened one, the exchange what follows a delivered one; the others wait.
        const waits = ({ symbol: name, type }: Data) =>
          name !== symbol &&
          (type === 'perpetual' || catalogue(category).some((each) => each.symbol === name));
        for (const record of contracts) {
          const expected = record.symbol === DELIVERED ? 'offline' : waits(record) ? 'listed' : 'online';
          assert.equal(record.status, expected, `interface 2.6: status of ${category} ${record.symbol}`);
        }
      }
      assert.deepEqual(
        new Map(special.map(({ symbol, status }) => [symbol, status])),
        new Map<string, string>(STATUSES),
        'interface 2.6: status',
      );
    });

    it('interface 2.6: areaSymbol is returned only for spot pairs where it is YES', async () => {
      const list: Data[] = await nobody.get('market/instruments', { category: 'SPOT' });
      const area = list.filter((record) => record.areaSymbol !== undefined);
      assert.deepEqual(
        area.map(({ symbol, areaSymbol }) => [symbol, areaSymbol]),
        [['AREAUSDT', 'YES']],
      );
    });

    it('interface 2.6: every margin pair tells its areaSymbol, and that no isolated margin is lent', async () => {
      const list: Data[] = await nobody.get('market/instruments', { category: 'MARGIN' });
      assert.ok(list.length > 1);
      for (const record of list) {
        const area = record.symbol === 'OILUSDT' ? 'YES' : 'NO';
        assert.equal(record.areaSymbol, area, `interface 2.6: ${record.symbol}`);
        assert.equal(record.isIsolatedBaseBorrowable, 'NO', `interface 2.6: ${record.symbol}`);
        assert.equal(record.isIsolatedQuotedBorrowable, 'NO', `interface 2.6: ${record.symbol}`);
      }
    });

    it('interface 4.1 instruments: symbol asks for one, category is required', async () => {
      const list = await nobody.get('market/instruments', ON);
      assert.deepEqual(
        list.map(({ symbol }: Data) => symbol),
        ['BTCUSDT'],
      );
      assert.match((await nobody.refusedGet('market/instruments')).msg, /category/);
      assert.match((await nobody.refusedGet('market/instruments', { category: 'OPTIONS' })).msg, /category/);
      assert.equal(
        (await nobody.refusedGet('market/instruments', { ...ON, symbol: 'NOPEUSDT' })).code,
        '25100',
      );
    });

    it('interface 2.7, 4.1 tickers: each category with its fields, delivery contracts with theirs', async () => {
      for (const category of ['SPOT', ...FUTURES]) {
        const instruments: Data[] = await nobody.get('market/instruments', { category });
        const delivery = new Set(
          instruments.filter(({ type }) => type === 'delivery').map((each) => each.symbol),
        );
        const list: Data[] = await nobody.get('market/tickers', { category });
        for (const [n, record] of list.entries()) {
          conforms(ticker(category, delivery.has(record.symbol)), record);
          const { symbol, deliveryTime, deliveryStartTime } = instruments[n];
          assert.deepEqual(
            [record.category, record.symbol, record.deliveryTime, record.deliveryStartTime, record.ts],
            [category, symbol, deliveryTime, deliveryStartTime, String(venue.now())],
            'interface 2.7: a ticker for each instrument, of now',
          );
        }
        assert.equal(list.length, instruments.length);
      }
      assert.match((await nobody.refusedGet('market/tickers', { category: 'MARGIN' })).msg, /category/);
      assert.match((await nobody.refusedGet('market/tickers')).msg, /category/);
      assert.equal((await nobody.refusedGet('market/tickers', { ...ON, symbol: 'NOPEUSDT' })).code, '25100');
    });

    it('interface 2.7: a ticker tells the last price, the day, and the best of the book', async () => {
      await venue.maker.post('trade/place-order', limit(SPOT, 'sell', '0.3', '61000'));
      await venue.maker.post('trade/place-order', limit(SPOT, 'buy', '0.2', '59000'));
      const [record] = await nobody.get('market/tickers', ON);
      const { lastPrice, highPrice24h, lowPrice24h, ask1Price, ask1Size, bid1Price, bid1Size } = record;
      assert.deepEqual([lastPrice, highPrice24h, lowPrice24h], ['60000', '60100', '60000']);
      assert.deepEqual([ask1Price, ask1Size, bid1Price, bid1Size], ['61000', '0.3', '59000', '0.2']);
      assert.deepEqual([record.volume24h, record.turnover24h], ['0.02', '1201']);
      const { openPrice24h, price24hPcnt } = record;
      assert.equal(Number(price24hPcnt), Number((60000 / Number(openPrice24h) - 1).toFixed(5)));
      await venue.maker.post('trade/cancel-symbol-order', ON);
      const other = { category: 'SPOT', symbol: 'SOLUSDT' };
      for (const price of ['150', '150.1']) {
        await venue.trade(venue.bob, limit(['SPOT', 'SOLUSDT'], 'buy', '0.3', price));
      }
      const [moved] = await nobody.get('market/tickers', other);
      assert.deepEqual(
        [moved.openPrice24h, moved.lastPrice, moved.price24hPcnt],
        ['150', '150.1', '0.00067'],
        'interface 2.7: 0.1 / 150, to five decimals',
      );
    });

    it('interface 2.7, 2.10: what no venue has told a price of has none', async () => {
      const unpriced = { category: 'USDT-FUTURES', symbol: 'METALUSDT' };
      const [{ indexPrice, markPrice }] = await nobody.get('market/tickers', unpriced);
      assert.deepEqual([indexPrice, markPrice], ['', ''], 'interface 2.7');
      const { componentList } = await nobody.get('market/index-components', { symbol: 'METALUSDT' });
      const told = componentList.map(({ equivalentPrice }: Data) => equivalentPrice);
      assert.deepEqual(new Set(told), new Set(['']), 'interface 2.10');
    });

    it('interface 2.7: a contract’s ticker, field by field, in every category', async () => {
      for (const where of [LINEAR, COIN, USDC]) {
        const [category, symbol] = where;
        await venue.maker.post('trade/place-order', limit(where, 'sell', '0.3', '61000'));
        await venue.maker.post('trade/place-order', limit(where, 'buy', '0.2', '59000'));
        const [{ fundingRate, ...record }] = await nobody.get('market/tickers', { category, symbol });
        assert.deepEqual(
          record,
          {
            ...{ category, symbol, ts: String(venue.now()) },
            // One trade, the first: the day opened with it.
            ...{ lastPrice: '60000', openPrice24h: '60000', highPrice24h: '60000', lowPrice24h: '60000' },
            ...{ ask1Price: '61000', ask1Size: '0.3', bid1Price: '59000', bid1Size: '0.2' },
            ...{ price24hPcnt: '0', volume24h: '0.01', turnover24h: '600' },
            ...{ indexPrice: '60000', markPrice: '60000', openInterest: '0.01' },
          },
          `interface 2.7: ${category}`,
        );
        const [current] = await nobody.get('market/current-fund-rate', { symbol });
        assert.equal(fundingRate, current.fundingRate, `interface 2.7: fundingRate of ${category}`);
        await venue.maker.post('trade/cancel-symbol-order', { category });
      }
    });

    it('interface 2.7: a contract tells its index, mark, funding rate and open interest as well', async () => {
      const [before] = await nobody.get('market/tickers', { category: 'USDC-FUTURES', symbol: USDC[1] });
      assert.deepEqual([before.indexPrice, before.markPrice], ['60000', '60000']);
      assert.match(before.fundingRate, /^-?0(\.[0-9]+)?$/, 'interface 2.7: a decimal fraction');
      await venue.trade(venue.bot, limit(USDC, 'buy', '0.01', '60000'));
      const [after] = await nobody.get('market/tickers', { category: 'USDC-FUTURES', symbol: USDC[1] });
      assert.deepEqual(
        [before.openInterest, after.openInterest],
        ['0.01', '0.02'],
        'interface 2.7: what buyers have opened against sellers',
      );
      assert.equal(after.ts, String(venue.now()), 'interface 2.7: time of data generation');
    });

    it('interface 2.7: a delivery contract goes through its four states by the clock', async () => {
      const statusOf = async (symbol: string) => {
        const [record] = await nobody.get('market/tickers', { category: 'COIN-FUTURES', symbol });
        return record.deliveryStatus;
      };
      assert.equal(await statusOf('BTCUSDSOON'), 'delivery_config_period');
      assert.equal(await statusOf('BTCUSDNOW'), 'delivery_normal');
      assert.equal(await statusOf('BTCUSDLAST'), 'delivery_before');
      const soon = ['BTCUSDDUE', 'BTCUSDOPENS', 'BTCUSDQUIET'];
      const statuses = () => Promise.all(soon.map(statusOf));
      await venue.advance(2000);
      assert.deepEqual(
        await statuses(),
        ['delivery_before', 'delivery_config_period', 'delivery_normal'],
        'interface 2.7: until then',
      );
      await venue.advance(1000);
      assert.deepEqual(
        await statuses(),
        ['delivery_period', 'delivery_normal', 'delivery_before'],
        'interface 2.7: to the millisecond',
      );
    });

    it('interface 2.8, 4.1 candles: seven strings, ascending, in every interval', async () => {
      for (const [interval, width] of Object.entries(INTERVALS)) {
        const candles = await nobody.get('market/candles', { ...ON, interval });
        assert.ok(candles.length > 0, `interface 4.1 candles: interval ${interval}`);
        let last = 0;
        for (const candle of candles) {
          assert.ok(Array.isArray(candle) && candle.length === 7, 'interface 2.8: a candle is an array of 7');
          for (const value of candle) assert.match(value, /^[0-9]+(\.[0-9]+)?$/, 'interface 2.8: of strings');
          const opened = Number(candle[0]);
          assert.ok(last === 0 || opened - last === width, `interface 2.8: ${interval} apart`);
          // Longer ones begin with a day of their own (wire 3.1).
          if (width <= 4 * HOUR_MS) assert.equal(opened % width, 0, `interface 2.8: a full ${interval}`);
          last = opened;
          const [, open, high, low, close] = candle.map(Number) as [number, number, number, number, number];
          assert.ok(low <= Math.min(open, close) && high >= Math.max(open, close), 'interface 2.8: o h l c');
        }
      }
      const [day] = await nobody.get('market/candles', { ...ON, interval: '1D', limit: '1' });
      assert.deepEqual(
        day.slice(2),
        ['60100', '60000', '60000', '0.02', '1201'],
        'interface 2.8: high to turnover',
      );
    });

    it('interface 2.8: volume is in base coin and turnover in quote coin, in every category', async () => {
      for (const [category, symbol] of [LINEAR, COIN, USDC]) {
        const asked = { category, symbol, interval: '1D', limit: '1' };
        const [[, , , , close, volume, turnover]] = await nobody.get('market/candles', asked);
        assert.equal(Number(turnover), Number(volume) * Number(close), `interface 2.8: ${category}`);
        assert.ok(Number(volume) < 1 && Number(turnover) >= 600, `interface 2.8: ${volume} for ${turnover}`);
      }
    });

    it('interface 4.1 candles: category, symbol and interval are required, each of the listed values', async () => {
      const asked = { ...ON, interval: '1m' };
      for (const name of ['category', 'symbol', 'interval'] as const) {
        const { [name]: _left, ...rest } = asked;
        assert.match((await nobody.refusedGet('market/candles', rest)).msg, new RegExp(name));
      }
      assert.match(
        (await nobody.refusedGet('market/candles', { ...asked, category: 'MARGIN' })).msg,
        /category/,
      );
      assert.match((await nobody.refusedGet('market/candles', { ...asked, interval: '7m' })).msg, /interval/);
      assert.match((await nobody.refusedGet('market/candles', { ...asked, type: 'last' })).msg, /type/);
      for (const interval of ['1H', '12H', '1D']) {
        assert.deepEqual(
          await nobody.get('market/candles', { ...ON, interval: interval.toLowerCase(), limit: '3' }),
          await nobody.get('market/candles', { ...ON, interval, limit: '3' }),
          `interface 4.1, wire rule 20: ${interval} in small letters`,
        );
      }
      for (const [category, symbol] of [LINEAR, COIN, USDC]) {
        assert.ok((await nobody.get('market/candles', { category, symbol, interval: '1m' })).length > 0);
      }
    });

    it('interface 4.1 candles: startTime and endTime bound them, limit counts them', async () => {
      const startTime = venue.ago(10 * DAY_MS);
      const endTime = venue.ago(5 * DAY_MS);
      const candles = await nobody.get('market/candles', { ...ON, interval: '1H', startTime, endTime });
      assert.ok(candles.length >= 119 && candles.length <= 121, String(candles.length));
      assert.ok(candles.every(([open]: string[]) => open! >= startTime && open! <= endTime));
      const three = await nobody.get('market/candles', {
        ...ON,
        interval: '1H',
        startTime,
        endTime,
        limit: '3',
      });
      assert.deepEqual(three, candles.slice(-3), 'the newest of the window');
      const since = await nobody.get('market/candles', { ...ON, interval: '1H', startTime, limit: '3' });
      assert.deepEqual(
        since,
        candles.slice(0, 3),
        'interface 4.1 candles: without an end, from the start on',
      );
      const whole = String(Math.ceil(Number(startTime) / HOUR_MS) * HOUR_MS);
      assert.equal(since[0][0], whole, 'interface 4.1 candles: none that began before the start');
      const past = { ...ON, interval: '1H', startTime: venue.ago(PAST_MS + DAY_MS), limit: '3' };
      const [first] = await nobody.get('market/candles', past);
      assert.ok(Number(first[5]) > 0, 'interface 4.1 candles: the first is that of the first trade');
      const future = { ...ON, interval: '1H', endTime: venue.ago(-DAY_MS), limit: '2' };
      const latest = await nobody.get('market/candles', { ...ON, interval: '1H', limit: '2' });
      assert.deepEqual(await nobody.get('market/candles', future), latest, 'none of the future');
    });

    it('interface 4.1 candles: type chooses market, mark, index or premium; market is the default', async () => {
      const [category, symbol] = LINEAR;
      const asked = { category, symbol, interval: '1m', limit: '5' };
      for (const [side, price] of [
        ['buy', '59990'],
        ['sell', '60010'],
      ] as const) {
        await venue.maker.post('trade/place-order', limit(LINEAR, side, '0.1', price));
      }
      await venue.advance(60_000);
      await venue.maker.post('trade/cancel-symbol-order', { category });
      const market = await nobody.get('market/candles', asked);
      assert.deepEqual(await nobody.get('market/candles', { ...asked, type: 'market' }), market);
      for (const type of ['mark', 'index', 'premium']) {
        const candles = await nobody.get('market/candles', { ...asked, type });
        assert.ok(candles.length > 0, `interface 4.1 candles: type ${type}`);
        for (const candle of candles) assert.equal(candle.length, 7, 'interface 2.8');
        if (type !== 'premium')
          assert.equal(candles.at(-1)[4], '60000', `interface 4.1 candles: type ${type}`);
        assert.match(
          (await nobody.refusedGet('market/candles', { ...ON, interval: '1m', type })).msg,
          /type/,
        );
      }
    });

    it('interface 2.9, 4.1 fills: the latest trades of a symbol, newest first, by the taker', async () => {
      const fills = await nobody.get('market/fills', ON);
      assert.deepEqual(
        fills.slice(0, 2).map((fill: Data) => [fill.price, fill.size, fill.side]),
        [
          ['60000', '0.01', 'sell'],
          ['60100', '0.01', 'buy'],
        ],
      );
      assert.equal((await nobody.get('market/fills', { ...ON, limit: '1' })).length, 1);
      assert.match((await nobody.refusedGet('market/fills', { category: 'SPOT' })).msg, /symbol/);
      assert.match((await nobody.refusedGet('market/fills', { symbol: 'BTCUSDT' })).msg, /category/);
      for (const [category, symbol] of [LINEAR, COIN, USDC, ['MARGIN', 'BTCUSDT']] as const) {
        await nobody.get('market/fills', { category, symbol });
      }
    });

    it('interface 2.9: the size of a coin-margined fill is in quote coin, of others in base coin', async () => {
      const sizeOf = async ([category, symbol]: readonly [string, string]) =>
        (await nobody.get('market/fills', { category, symbol }))[0].size;
      assert.deepEqual(
        [await sizeOf(LINEAR), await sizeOf(COIN), await sizeOf(USDC)],
        ['0.01', '600', '0.01'],
      );
    });

    it('interface 2.10, 4.1 index-components: venues, pairs, prices and weights that add up', async () => {
      const record = await nobody.get('market/index-components', { symbol: 'BTCUSDT' });
      assert.equal(record.symbol, 'BTCUSDT');
      assert.deepEqual(
        record.componentList.map(({ equivalentPrice: _now, ...listed }: Data) => listed),
        catalogued('usdt-futures', 'BTCUSDT').indexComponents,
        'interface 2.10: what the index was listed with',
      );
      const weights = record.componentList.map(({ weight }: Data) => Math.round(Number(weight) * 1000));
      assert.equal(
        weights.reduce((sum: number, weight: number) => sum + weight, 0),
        1000,
      );
      assert.ok(record.componentList.every(({ equivalentPrice }: Data) => equivalentPrice === '60000'));
      assert.match((await nobody.refusedGet('market/index-components')).msg, /symbol/);
      assert.equal((await nobody.refusedGet('market/index-components', { symbol: 'NOPE' })).code, '25100');
    });
  });
}
