import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { MarketInterface, OHLCV } from 'ccxt';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { type CcxtClient, ccxtClient, ccxtClients, type SdkClient, sdkClient } from './clients.ts';

interface Listing {
  readonly symbol: string;
  readonly baseCoin: string;
  readonly quoteCoin: string;
  readonly pricePrecision: string;
  readonly quantityPrecision: string;
  readonly minOrderQty: string;
  readonly maxOrderQty: string;
  readonly minOrderAmount: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
  readonly futures?: { readonly type: string; readonly deliveryTime: string; readonly maxLeverage: string };
}

const CATALOGUE = join(import.meta.dirname, '../../catalogue');
const listed = <T = Listing>(name: string): T[] => JSON.parse(readFileSync(join(CATALOGUE, name), 'utf8'));
const SPOT = listed('spot.json');
const LISTINGS = {
  SPOT,
  MARGIN: listed('margin.json'),
  'USDT-FUTURES': listed('usdt-futures.json'),
  'COIN-FUTURES': listed('coin-futures.json'),
  'USDC-FUTURES': listed('usdc-futures.json'),
} as const;
const COINS = listed<{ coin: string; chains: { chain: string; withdrawFee: string }[] }>('coins.json');

let server: TestServer;
let alice: CcxtClient;
let bob: CcxtClient;
let sdk: SdkClient;
let openedAt: number;

/** Three trades in BTCUSDT (0.5 at 60000, 0.25 at 60300, 0.25 at 59700) and a book of two levels a side. */
before(async () => {
  server = await startHostedInMemory();
  openedAt = Date.now();
  [alice, bob] = (await ccxtClients(server.url, [server.account('alice'), server.account('bob')])) as [
    CcxtClient,
    CcxtClient,
  ];
  sdk = sdkClient(server.url, server.account('alice'));
  await bob.createOrder('BTC/USDT', 'limit', 'sell', 0.5, 60000);
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.5, 60000);
  await bob.createOrder('BTC/USDT', 'limit', 'sell', 0.25, 60300);
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.25, 60300);
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.25, 59700);
  await bob.createOrder('BTC/USDT', 'limit', 'sell', 0.25, 59700);
  await bob.createOrder('BTC/USDT', 'limit', 'sell', 0.1, 60100);
  await bob.createOrder('BTC/USDT', 'limit', 'sell', 0.2, 60100);
  await bob.createOrder('BTC/USDT', 'limit', 'sell', 0.05, 60150.5);
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.04, 59600);
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 0.03, 59650.25);
});

after(() => server.stop());

function marketsOf(client: CcxtClient): MarketInterface[] {
  return Object.values(client.markets as Record<string, MarketInterface>);
}

test('ccxt finds every instrument of the catalogue that it can trade, as the kind it is', () => {
  const markets = marketsOf(alice);
  const futures = [...LISTINGS['USDT-FUTURES'], ...LISTINGS['COIN-FUTURES'], ...LISTINGS['USDC-FUTURES']].map(
    (listing) => listing.futures!.type,
  );
  assert.equal(markets.filter((market) => market.spot).length, SPOT.length);
  assert.equal(
    markets.filter((market) => market.swap).length,
    futures.filter((type) => type === 'perpetual').length,
  );
  assert.equal(
    markets.filter((market) => market.future).length,
    futures.filter((type) => type === 'delivery').length,
  );
  assert.equal(markets.length, SPOT.length + futures.length);
});

test('a spot market in ccxt has the precision and the limits of the catalogue', () => {
  for (const listing of SPOT) {
    const market = alice.market(`${listing.baseCoin}/${listing.quoteCoin}`);
    assert.equal(market.id, listing.symbol);
    assert.equal(market.active, true);
    assert.equal(market.precision.price, Number(`1e-${listing.pricePrecision}`), listing.symbol);
    assert.equal(market.precision.amount, Number(`1e-${listing.quantityPrecision}`), listing.symbol);
    assert.equal(market.limits.amount!.min, Number(listing.minOrderQty), listing.symbol);
    assert.equal(market.limits.amount!.max, undefined, listing.symbol);
    assert.equal(market.limits.cost!.min, Number(listing.minOrderAmount), listing.symbol);
  }
});

test('futures in ccxt settle in the right coin, deliver on the right day and are not open for trading yet', () => {
  const linear = alice.market('BTC/USDT:USDT');
  const [btc] = LISTINGS['USDT-FUTURES'];
  assert.equal(linear.linear, true);
  assert.equal(linear.settle, 'USDT');
  assert.equal(linear.active, false);
  assert.equal(linear.precision.price, 0.1);
  assert.equal(linear.limits.amount!.max, Number(btc!.maxOrderQty));
  assert.equal(linear.limits.leverage!.max, Number(btc!.futures!.maxLeverage));
  assert.equal(linear.taker, Number(btc!.takerFeeRate));
  assert.equal(linear.maker, Number(btc!.makerFeeRate));

  assert.equal(alice.market('BTC/USD:BTC').inverse, true);
  assert.equal(alice.market('ETH/USDC:USDC').id, 'ETHPERP');
  for (const listing of LISTINGS['COIN-FUTURES'].filter((each) => each.futures!.type === 'delivery')) {
    const market = marketsOf(alice).find((each) => each.id === listing.symbol)!;
    assert.equal(market.expiry, Number(listing.futures!.deliveryTime));
    assert.equal(market.settle, listing.baseCoin);
  }
});

test('the SDK reads all five categories with every field as text', async () => {
  for (const [category, listings] of Object.entries(LISTINGS)) {
    const { data } = await sdk.getInstruments({ category: category as 'SPOT' });
    assert.deepEqual(
      data.map((instrument) => instrument.symbol),
      listings.map((listing) => listing.symbol),
    );
    for (const [n, instrument] of data.entries()) {
      assert.equal(instrument.category, category);
      assert.equal(instrument.minOrderQty, listings[n]!.minOrderQty);
      for (const value of Object.values(instrument)) assert.equal(typeof value, 'string');
    }
  }
  const { data } = await sdk.getInstruments({ category: 'SPOT', symbol: 'ETHBTC' });
  assert.deepEqual(
    data.map(({ symbol, quotePrecision, minOrderAmount }) => [symbol, quotePrecision, minOrderAmount]),
    [['ETHBTC', '8', '0.00002']],
  );
});

test('ccxt knows the coins and their networks', () => {
  assert.deepEqual(Object.keys(alice.currencies).sort(), COINS.map(({ coin }) => coin).sort());
  for (const { coin, chains } of COINS) {
    const networks = Object.values(alice.currencies[coin]!.networks) as { fee?: number }[];
    assert.deepEqual(
      networks.map(({ fee }) => fee),
      chains.map(({ withdrawFee }) => Number(withdrawFee)),
      coin,
    );
  }
});

test('both clients read the clock of the venue', async () => {
  for (const ask of [() => alice.fetchTime(), () => sdk.fetchServerTime()]) {
    const before = Date.now();
    const time = (await ask())!;
    assert.ok(time > before - 1_000 && time < Date.now() + 1_000);
  }
});

test('a ticker tells the last price, the range of the day, the change and the best prices', async () => {
  const ticker = await alice.fetchTicker('BTC/USDT');
  assert.deepEqual(
    [ticker.open, ticker.high, ticker.low, ticker.last, ticker.close],
    [60000, 60300, 59700, 59700, 59700],
  );
  assert.deepEqual(
    [ticker.bid, ticker.bidVolume, ticker.ask, ticker.askVolume],
    [59650.25, 0.03, 60100, 0.3],
  );
  assert.equal(ticker.percentage, -0.5);
  assert.equal(ticker.baseVolume, 1);
  assert.equal(ticker.quoteVolume, 0.5 * 60000 + 0.25 * 60300 + 0.25 * 59700);
  assert.ok(ticker.timestamp! >= openedAt);

  const { data } = await sdk.getTickers({ category: 'SPOT', symbol: 'BTCUSDT' });
  assert.equal(data.length, 1);
  assert.equal(data[0]!.lastPrice, '59700');
  assert.equal(data[0]!.price24hPcnt, '-0.005');
  assert.equal(data[0]!.turnover24h, '60000');
});

test('tickers of several symbols or of a category come with all their symbols', async () => {
  const spot = await alice.fetchTickers(['BTC/USDT', 'ETH/USDT']);
  assert.deepEqual(Object.keys(spot).sort(), ['BTC/USDT', 'ETH/USDT']);
  assert.equal(spot['ETH/USDT']!.baseVolume, 0);
  assert.equal(spot['ETH/USDT']!.bid, undefined);

  const futures = await alice.fetchTickers();
  assert.equal(Object.keys(futures).length, LISTINGS['USDT-FUTURES'].length);
  for (const category of ['SPOT', 'COIN-FUTURES', 'USDC-FUTURES'] as const) {
    assert.equal((await sdk.getTickers({ category })).data.length, LISTINGS[category].length);
  }
});

test('the order book adds up the orders of a level, best level first', async () => {
  const book = await bob.fetchOrderBook('BTC/USDT');
  assert.deepEqual(book.asks, [
    [60100, 0.3],
    [60150.5, 0.05],
  ]);
  assert.deepEqual(book.bids, [
    [59650.25, 0.03],
    [59600, 0.04],
  ]);
  const top = await bob.fetchOrderBook('BTC/USDT', 1);
  assert.deepEqual([top.asks.length, top.bids.length], [1, 1]);

  const { data } = await sdk.getOrderBook({ category: 'SPOT', symbol: 'BTCUSDT', limit: '200' });
  assert.deepEqual(data.b, [
    ['59650.25', '0.03'],
    ['59600', '0.04'],
  ]);
});

test('public trades show price, size and the side of the taker', async () => {
  const trades = await alice.fetchTrades('BTC/USDT');
  assert.deepEqual(
    trades.map(({ price, amount, side, cost }) => [price, amount, side, cost]),
    [
      [60000, 0.5, 'buy', 30000],
      [60300, 0.25, 'buy', 15075],
      [59700, 0.25, 'sell', 14925],
    ],
  );
  const { data } = await sdk.getFills({ category: 'SPOT', symbol: 'BTCUSDT', limit: '2' });
  assert.deepEqual(
    data.map(({ price, side }) => [price, side]),
    [
      ['59700', 'sell'],
      ['60300', 'buy'],
    ],
  );
  assert.equal(data[0]!.execId, trades.at(-1)!.id);
});

/** First open, highest high, lowest low, last close and the whole volume: the same on both sides of a minute. */
function overall(candles: readonly OHLCV[]): unknown[] {
  return [
    candles[0]![1],
    Math.max(...candles.map((candle) => candle[2]!)),
    Math.min(...candles.map((candle) => candle[3]!)),
    candles.at(-1)![4],
    candles.reduce((sum, candle) => sum + candle[5]!, 0),
  ];
}

test('candles of every width hold the trades of the day and open on their own grid', async () => {
  const widthsMs = { '1m': 60_000, '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '4h': 14_400_000 };
  for (const [timeframe, widthMs] of Object.entries(widthsMs)) {
    const candles = await alice.fetchOHLCV('BTC/USDT', timeframe);
    assert.deepEqual(overall(candles), [60000, 60300, 59700, 59700, 1], timeframe);
    for (const candle of candles) assert.equal(candle[0]! % widthMs, 0, timeframe);
  }
  for (const timeframe of ['12h', '1d', '1w', '1M']) {
    const candles = await alice.fetchOHLCV('BTC/USDT', timeframe);
    assert.deepEqual(overall(candles), [60000, 60300, 59700, 59700, 1], timeframe);
  }
  const { data } = await sdk.getCandles({ category: 'SPOT', symbol: 'BTCUSDT', interval: '1D' });
  const day = data.at(-1)!;
  assert.equal((Number(day[0]) + 8 * 3_600_000) % 86_400_000, 0, 'days begin at 16:00 UTC');
  assert.equal(day[6], '60000', 'turnover in quote coin');
});

test('candles since a time begin there, and a market without trades has none', async () => {
  const [first] = await alice.fetchTrades('BTC/USDT');
  const since = Math.floor(first!.timestamp! / 60_000) * 60_000;
  const candles = await alice.fetchOHLCV('BTC/USDT', '1m', since, 3);
  assert.equal(candles[0]![0], since);
  assert.deepEqual(await alice.fetchOHLCV('SOL/USDT', '1m'), []);
});

test('fee rates are the same for both clients and follow the instrument', async () => {
  const one = await alice.fetchTradingFee('BTC/USDT');
  assert.deepEqual([one.maker, one.taker], [0.001, 0.001]);
  const all = await alice.fetchTradingFees();
  assert.equal(Object.keys(all).length, SPOT.length);
  assert.deepEqual([all['USDC/USDT']!.maker, all['USDC/USDT']!.taker], [0.0002, 0.0002]);
  const future = await sdk.getFeeRate({ category: 'USDT-FUTURES', symbol: 'BTCUSDT' });
  assert.deepEqual(future.data, { makerFeeRate: '0.0002', takerFeeRate: '0.0006' });
  const coin = await sdk.getAllFeeRates({ category: 'COIN-FUTURES' });
  assert.equal(coin.data.length, LISTINGS['COIN-FUTURES'].length);
});

test('ccxt without the uta option finds out by itself that this is a unified account', async () => {
  const undecided = ccxtClient(server.url, server.account('bot'), { options: {} });
  undecided.setMarketsFromExchange(alice);
  assert.equal((await undecided.fetchBalance()).BTC!.total, 2);
  const { data } = await sdk.getAccountSettings();
  assert.deepEqual(
    [data.uid, data.accountMode, data.holdMode],
    [String(server.account('alice').uid), 'unified', 'one_way_mode'],
  );
});
