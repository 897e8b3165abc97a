/** ccxt's methods about the market: what anybody may ask. */
import assert from 'node:assert/strict';
import { positive, some } from '../checks.ts';
import { type Calls, row, SPOT, SWAP } from './world.ts';

export const MARKET_CALLS: Calls = {
  fetchTime: row('the time', async ({ me, world }) =>
    assert.ok(Math.abs(Number(await me.fetchTime()) - world.now()) < 60_000),
  ),
  fetchMarkets: row('spot, swap and future markets', async ({ me }) => {
    const kinds = new Set((await me.fetchMarkets()).map((market) => market!.type));
    assert.deepEqual(kinds, new Set(['spot', 'swap', 'future']));
  }),
  fetchCurrencies: row('coins with their networks', async ({ me }) => {
    assert.ok(Object.keys((await me.fetchCurrencies())!.USDT!.networks).length > 0);
  }),
  fetchCurrenciesWs: row('the same', async ({ me }) => assert.ok((await me.fetchCurrenciesWs())!.BTC)),
  fetchDepositWithdrawFees: row('fees of every network', async ({ me }) => {
    assert.ok((await me.fetchDepositWithdrawFees(['USDT'])).USDT);
  }),
  fetchDepositWithdrawFee: row('fees of one coin', async ({ me }) =>
    assert.ok(await me.fetchDepositWithdrawFee('USDT')),
  ),
  fetchTicker: row('a traded price', async ({ me }) => positive((await me.fetchTicker(SPOT)).last, 'last')),
  fetchTickers: row('all swaps, or those named', async ({ me }) => {
    assert.ok(Object.keys(await me.fetchTickers()).length > 5);
    positive((await me.fetchTickers([SPOT]))[SPOT]!.last, 'last');
  }),
  fetchMarkPrice: row('mark and index price', async ({ me }) =>
    positive((await me.fetchMarkPrice(SWAP)).markPrice, 'mark'),
  ),
  fetchOrderBook: row('levels of both sides', async ({ me }) => {
    const { asks, bids } = await me.fetchOrderBook(SPOT, 20);
    assert.ok(asks.length > 3 && Number(asks[0]![0]) > Number(bids[0]![0]));
  }),
  fetchL2OrderBook: row('the same', async ({ me }) => some((await me.fetchL2OrderBook(SPOT)).asks, 'asks')),
  fetchTrades: row('trades of the market', async ({ me }) =>
    positive((await me.fetchTrades(SPOT))[0]!.price, 'price'),
  ),
  fetchOHLCV: row('candles', async ({ me }) => positive((await me.fetchOHLCV(SPOT, '1m'))[0]![1], 'open')),
  fetchMarkOHLCV: row('candles of the mark price', async ({ me }) =>
    some(await me.fetchMarkOHLCV(SWAP, '1m'), 'candles'),
  ),
  fetchIndexOHLCV: row('candles of the index', async ({ me }) =>
    some(await me.fetchIndexOHLCV(SWAP, '1m'), 'candles'),
  ),
  fetchFundingRate: row('rate and next settlement', async ({ me, world }) => {
    assert.ok((await me.fetchFundingRate(SWAP)).fundingTimestamp! >= world.fundingTime);
  }),
  fetchFundingRates: row('every swap', async ({ me }) => assert.ok((await me.fetchFundingRates())[SWAP])),
  fetchFundingInterval: row('eight hours', async ({ me }) =>
    assert.equal((await me.fetchFundingInterval(SWAP)).interval, '8h'),
  ),
  fetchFundingIntervals: row('every swap', async ({ me }) =>
    assert.ok((await me.fetchFundingIntervals())[SWAP]),
  ),
  fetchOpenInterest: row('contracts held', async ({ me }) => {
    positive((await me.fetchOpenInterest(SWAP)).openInterestAmount, 'open interest');
  }),
  fetchMarketLeverageTiers: row('tiers', async ({ me }) =>
    some(await me.fetchMarketLeverageTiers(SWAP), 'tiers'),
  ),
  fetchCrossBorrowRate: row('daily interest', async ({ me }) =>
    positive((await me.fetchCrossBorrowRate('USDT')).rate, 'rate'),
  ),
};
