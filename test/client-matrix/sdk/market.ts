/** The SDK's methods about the market: what anybody may ask. */
import assert from 'node:assert/strict';
import { verifyProof } from '../../../src/reserves/merkle-sum-tree.ts';
import { positive, some, until } from '../checks.ts';
import { type Row, SPOT, SWAP, type World } from '../world.ts';

export const MARKET_CALLS: Readonly<Record<string, Row<World>>> = {
  getServerTime: {
    checks: 'the time, within a second of ours',
    call: async (w) => {
      const { serverTime } = (await w.alice.getServerTime()).data;
      assert.ok(Math.abs(Number(serverTime) - w.now()) < 60_000);
    },
  },
  fetchServerTime: {
    checks: 'the same as a number',
    call: async (w) => assert.ok(Math.abs((await w.alice.fetchServerTime()) - w.now()) < 60_000),
  },
  getInstruments: {
    checks: 'all five categories',
    call: async ({ alice }) => {
      for (const category of ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const) {
        const list = (await alice.getInstruments({ category })).data;
        some(list, category);
        assert.ok(list.every((each) => each.category === category && each.baseCoin !== ''));
      }
    },
  },
  getTickers: {
    checks: 'a traded price and both sides of the book',
    call: async ({ alice }) => {
      const [ticker] = (await alice.getTickers(SPOT)).data;
      positive(ticker!.lastPrice, 'lastPrice');
      assert.ok(Number(ticker!.ask1Price) > Number(ticker!.bid1Price));
    },
  },
  getOrderBook: {
    checks: 'levels sorted from the best',
    call: async ({ alice }) => {
      const { a, b } = (await alice.getOrderBook({ ...SPOT, limit: '20' })).data;
      assert.ok(a.length > 3 && b.length > 3);
      assert.ok(Number(a[0]![0]) < Number(a[1]![0]) && Number(b[0]![0]) > Number(b[1]![0]));
    },
  },
  getFills: {
    checks: 'trades of the market',
    call: async ({ alice }) =>
      positive((await alice.getFills({ ...SPOT, limit: '5' })).data[0]!.price, 'price'),
  },
  getCandles: {
    checks: 'candles of seven fields, also of mark and index prices',
    call: async ({ alice }) => {
      assert.equal((await alice.getCandles({ ...SPOT, interval: '1m', limit: '10' })).data[0]!.length, 7);
      for (const type of ['MARK', 'INDEX'] as const) {
        const [last] = (await alice.getCandles({ ...SWAP, interval: '1m', type })).data.slice(-1);
        const [ticker] = (await alice.getTickers(SWAP)).data;
        assert.ok(Math.abs(Number(last![4]) / Number(ticker!.lastPrice) - 1) < 0.02, `${type} ${last![4]}`);
      }
    },
  },
  getHistoryCandles: {
    checks: 'the past before the exchange began',
    call: async ({ alice, server }) => {
      const isGenerated = () => server.log().includes('generated 2 days');
      await until('the past is generated', async () => isGenerated() || undefined);
      const endTime = String(Date.now() - 86_400_000);
      const candles = (await alice.getHistoryCandles({ ...SPOT, interval: '1H', endTime, limit: '5' })).data;
      assert.equal(candles.length, 5);
      for (const [n, [time, open]] of candles.entries()) {
        assert.equal(Number(time), Number(candles[0]![0]) + n * 3_600_000);
        positive(open, 'open');
      }
    },
  },
  getOpenInterest: {
    checks: 'contracts that are held',
    call: async ({ alice }) =>
      positive((await alice.getOpenInterest(SWAP)).data.list[0]!.openInterest, 'open interest'),
  },
  getCurrentFundingRate: {
    checks: 'rate, bounds and the next settlement',
    call: async (w) => {
      const [rate] = (await w.alice.getCurrentFundingRate({ symbol: 'BTCUSDT' })).data;
      assert.ok(Number(rate!.nextUpdate) >= w.fundingTime);
    },
  },
  getPositionTier: {
    checks: 'tiers with falling leverage',
    call: async ({ alice }) => {
      const tiers = (await alice.getPositionTier(SWAP)).data;
      assert.ok(Number(tiers[0]!.leverage) > Number(tiers.at(-1)!.leverage));
    },
  },
  getDiscountRate: {
    checks: 'collateral rates by coin',
    call: async ({ alice }) => {
      const rates = (await alice.getDiscountRate()).data;
      const first = (name: string) => rates.find(({ coin }) => coin === name)!.list[0]!.discountRate;
      assert.equal(first('USDT'), '1');
      assert.ok(Number(first('BTC')) > 0 && Number(first('BTC')) <= 1);
    },
  },
  getContractsOi: {
    checks: 'limits of open interest',
    call: async ({ alice }) => {
      const limits = (await alice.getContractsOi({ category: SWAP.category })).data;
      const { notionalValue, totalNotionalValue } = limits.find(({ symbol }) => symbol === SWAP.symbol)!;
      assert.equal(totalNotionalValue, notionalValue, 'with its sub-accounts');
      assert.equal(notionalValue, (await alice.getPositionTier(SWAP)).data.at(-1)!.maxTierValue);
    },
  },
  getOpenInterestLimit: {
    checks: 'the end of the last tier',
    call: async ({ alice }) => {
      const { data } = await alice.getOpenInterestLimit(SWAP);
      const tiers = (await alice.getPositionTier(SWAP)).data;
      assert.equal(data.singleUserLimit, tiers.at(-1)!.maxTierValue);
      assert.equal(data.masterSubLimit, data.singleUserLimit);
    },
  },
  getIndexComponents: {
    checks: 'venues with prices and weights',
    call: async ({ alice }) => {
      const { componentList } = (await alice.getIndexComponents({ symbol: 'BTCUSDT' })).data;
      positive(componentList[0]!.equivalentPrice, 'price');
    },
  },
  getLiquidations: {
    checks: 'a position that the operator liquidated',
    call: async (w) => {
      const [category, symbol] = ['USDT-FUTURES', 'SOLUSDT'] as const;
      await w.bob.submitNewOrder({ category, symbol, side: 'buy', orderType: 'market', qty: '1' });
      await w.operator.force('bob');
      const { list } = (await w.alice.getLiquidations({ category, symbol })).data;
      // The side is that of the position (wire 5.3).
      assert.equal(list[0]!.side, 'buy');
      positive(list[0]!.amount, 'amount');
    },
  },
  getRiskReserveAll: {
    checks: 'the insurance fund that the liquidation paid into',
    call: async ({ alice }) => {
      const [fund] = (await alice.getRiskReserveAll({ category: SWAP.category })).data.list;
      assert.ok(fund!.symbols.includes(SWAP.symbol));
      positive(fund!.balance, 'fund');
    },
  },
  getRpiSymbols: {
    checks: 'pairs that take RPI orders',
    call: async ({ alice }) => {
      const pairs = (await alice.getRpiSymbols()).data.map(({ category, symbol }) => `${category} ${symbol}`);
      for (const pair of ['spot BTCUSDT', 'usdt-futures BTCUSDT']) assert.ok(pairs.includes(pair), pair);
    },
  },
  getRpiOrderBook: {
    checks: 'levels of three fields',
    call: async ({ alice }) => assert.equal((await alice.getRpiOrderBook(SPOT)).data.b[0]!.length, 3),
  },
  getProofOfReserves: {
    checks: "the root of the last audit, to which an account's own proof leads",
    call: async ({ alice, operator }) => {
      const root = await operator.auditReserves();
      const { merkleRootHash, list } = (await alice.getProofOfReserves()).data;
      assert.equal(merkleRootHash, root);
      const { totals } = verifyProof(await operator.proveReserves('alice'))!;
      assert.deepEqual(Object.fromEntries(list.map(({ coin, userAssets }) => [coin, userAssets])), totals);
    },
  },
  getMarketFeeGroup: {
    checks: 'every pair is in the group of its rates, and a rate that differs makes a group of its own',
    call: async ({ alice }) => {
      const groups = (await alice.getMarketFeeGroup({ category: 'SPOT' })).data;
      const shown = groups.flatMap(({ labelList, tierList: [tier] }) =>
        labelList.flatMap(({ symbols }) =>
          symbols.map((symbol) => `${symbol} ${tier!.makerFeeRate} ${tier!.takerFeeRate}`),
        ),
      );
      const pairs = (await alice.getAllFeeRates({ category: 'SPOT' })).data;
      const listed = pairs.map((pair) => `${pair.symbol} ${pair.makerFeeRate} ${pair.takerFeeRate}`);
      assert.deepEqual(shown.sort(), listed.sort());
      assert.deepEqual(
        groups.map(({ group }) => group),
        ['DEFAULT', 'GROUP_A'],
      );
      const [named] = (await alice.getMarketFeeGroup({ category: 'SPOT', group: 'GROUP_A' })).data;
      assert.deepEqual(named, groups[1]);
    },
  },
};
