/** ccxt's methods about the market: what anybody may ask. */
import assert from 'node:assert/strict';
import { positive } from '../checks.ts';
import { type Calls, row, SPOT, SWAP } from './world.ts';

interface NetworkFees {
  readonly networks: Readonly<Record<string, { readonly withdraw: { readonly fee: number } }>>;
}

/** Of prices that move while they are asked for. */
const about = (value: unknown, expected: unknown, what: string) =>
  assert.ok(
    Math.abs(Number(value) / Number(expected) - 1) < 0.02,
    `${what}: ${String(value)} for ${String(expected)}`,
  );

export const MARKET_CALLS: Calls = {
  fetchTime: row('the time', async ({ me, world }) =>
    assert.ok(Math.abs(Number(await me.fetchTime()) - world.now()) < 60_000),
  ),
  fetchMarkets: row('spot, swap and future markets', async ({ me }) => {
    const kinds = new Set((await me.fetchMarkets()).map((market) => market!.type));
    assert.deepEqual(kinds, new Set(['spot', 'swap', 'future']));
  }),
  fetchCurrencies: row('coins with their networks', async ({ me }) => {
    assert.ok(Object.keys((await me.fetchCurrencies()).USDT!.networks).length > 0);
  }),
  fetchCurrenciesWs: row('the same', async ({ me }) => {
    const { BTC } = await me.fetchCurrenciesWs();
    assert.deepEqual([BTC!.code, Object.keys(BTC!.networks).length > 0], ['BTC', true]);
  }),
  fetchDepositWithdrawFees: row('fees of every network', async ({ me }) => {
    const fees = (await me.fetchDepositWithdrawFees(['USDT'])).USDT as unknown as NetworkFees;
    const { networks } = (await me.fetchCurrencies()).USDT!;
    assert.deepEqual(Object.keys(fees.networks).sort(), Object.keys(networks).sort());
    for (const { withdraw } of Object.values(fees.networks)) assert.ok(Number(withdraw.fee) >= 0);
  }),
  fetchDepositWithdrawFee: row('fees of one coin', async ({ me }) => {
    const { networks } = (await me.fetchDepositWithdrawFee('BTC')) as unknown as NetworkFees;
    positive(Object.values(networks)[0]!.withdraw.fee, 'fee');
  }),
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
  fetchL2OrderBook: row('the same', async ({ me }) => {
    const { asks, bids } = await me.fetchL2OrderBook(SPOT);
    assert.ok(Number(asks[0]![0]) > Number(bids[0]![0]));
  }),
  fetchTrades: row('trades of the market', async ({ me }) =>
    positive((await me.fetchTrades(SPOT))[0]!.price, 'price'),
  ),
  fetchOHLCV: row('candles', async ({ me }) => positive((await me.fetchOHLCV(SPOT, '1m'))[0]![1], 'open')),
  fetchMarkOHLCV: row('candles of the mark price', async ({ me }) => {
    const [last] = (await me.fetchMarkOHLCV(SWAP, '1m')).slice(-1);
    about(last![4], (await me.fetchMarkPrice(SWAP)).markPrice, 'mark');
  }),
  fetchIndexOHLCV: row('candles of the index', async ({ me }) => {
    const [last] = (await me.fetchIndexOHLCV(SWAP, '1m')).slice(-1);
    about(last![4], (await me.fetchTicker(SWAP)).indexPrice, 'index');
  }),
  fetchFundingRate: row('rate and next settlement', async ({ me, world }) => {
    assert.ok((await me.fetchFundingRate(SWAP)).fundingTimestamp! >= world.fundingTime);
  }),
  fetchFundingRates: row('every swap', async ({ me }) => {
    const { fundingRate } = (await me.fetchFundingRates())[SWAP]!;
    assert.ok(Math.abs(Number(fundingRate)) < 0.01, String(fundingRate));
  }),
  fetchFundingInterval: row('eight hours', async ({ me }) =>
    assert.equal((await me.fetchFundingInterval(SWAP)).interval, '8h'),
  ),
  fetchFundingIntervals: row('every swap', async ({ me }) => {
    const swaps = Object.values(await me.fetchFundingIntervals());
    assert.ok(swaps.length > 5 && swaps.every(({ interval }) => interval === '8h'));
  }),
  fetchOpenInterest: row('contracts held', async ({ me }) => {
    positive((await me.fetchOpenInterest(SWAP)).openInterestAmount, 'open interest');
  }),
  fetchMarketLeverageTiers: row('tiers with falling leverage, one after the other', async ({ me }) => {
    const tiers = await me.fetchMarketLeverageTiers(SWAP);
    for (const [n, tier] of tiers.slice(1).entries()) {
      assert.equal(tier.minNotional, tiers[n]!.maxNotional);
      assert.ok(tier.maxLeverage! < tiers[n]!.maxLeverage!);
    }
    assert.ok(tiers.length > 1);
  }),
  fetchCrossBorrowRate: row('daily interest', async ({ me }) =>
    positive((await me.fetchCrossBorrowRate('USDT')).rate, 'rate'),
  ),
};
