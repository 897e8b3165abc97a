/** The SDK's methods about an account: what it is, holds, pays and has set. */
import assert from 'node:assert/strict';
import { sdkClient } from '../../api/clients.ts';
import { positive, refusedWith } from '../checks.ts';
import { type Row, SPOT, type World } from '../world.ts';

export const ACCOUNT_CALLS: Readonly<Record<string, Row<World>>> = {
  getAccountInfo: {
    checks: 'the caller',
    call: async (w) => assert.equal((await w.alice.getAccountInfo()).data.userId, w.uid('alice')),
  },
  getAccountSettings: {
    checks: 'a unified account',
    call: async ({ alice }) => assert.equal((await alice.getAccountSettings()).data.accountMode, 'unified'),
  },
  getBalances: {
    checks: 'coins and their worth',
    call: async ({ alice }) => {
      const { accountEquity, assets } = (await alice.getBalances()).data;
      const worth = assets.reduce((sum, { usdValue }) => sum + Number(usdValue), 0);
      positive(accountEquity, 'equity');
      assert.ok(Math.abs(worth / Number(accountEquity) - 1) < 1e-6, `${worth} of ${accountEquity}`);
    },
  },
  getFundingAssets: {
    checks: 'the funding wallet: what a transfer brought, and nothing after it went back',
    call: async ({ alice }) => {
      const moved = { amount: '12.5', coin: 'USDT' } as const;
      await alice.submitTransfer({ ...moved, fromType: 'uta', toType: 'spot' });
      const [held, ...others] = (await alice.getFundingAssets()).data;
      assert.deepEqual([held!.coin, held!.available, held!.frozen, others], ['USDT', '12.5', '0', []]);
      await alice.submitTransfer({ ...moved, fromType: 'spot', toType: 'uta' });
      assert.deepEqual((await alice.getFundingAssets()).data, []);
    },
  },
  getFeeRate: {
    checks: 'maker and taker rate',
    call: async ({ alice }) => positive((await alice.getFeeRate(SPOT)).data.takerFeeRate, 'rate'),
  },
  getAllFeeRates: {
    checks: 'a rate for every pair',
    call: async ({ alice }) => {
      const rates = (await alice.getAllFeeRates({ category: 'SPOT' })).data;
      const pairs = (await alice.getInstruments({ category: 'SPOT' })).data;
      assert.deepEqual(rates.map(({ symbol }) => symbol).sort(), pairs.map(({ symbol }) => symbol).sort());
      const { makerFeeRate, takerFeeRate } = (await alice.getFeeRate(SPOT)).data;
      const own = rates.find(({ symbol }) => symbol === SPOT.symbol)!;
      assert.deepEqual([own.makerFeeRate, own.takerFeeRate], [makerFeeRate, takerFeeRate]);
    },
  },
  getUnifiedAccountSwitchStatus: {
    checks: 'every account is unified',
    call: async ({ alice }) =>
      assert.equal((await alice.getUnifiedAccountSwitchStatus()).data.status, 'success'),
  },
  downgradeAccountToClassic: {
    checks: 'refused with 25009: there is no classic account',
    call: ({ alice }) => refusedWith('25009', alice.downgradeAccountToClassic()),
  },
  adjustAccountMode: {
    checks: 'advanced is taken, others are refused with 25009',
    call: async ({ alice }) => {
      await alice.adjustAccountMode({ mode: 'advanced' });
      await refusedWith('25009', alice.adjustAccountMode({ mode: 'isolated' }));
    },
  },
  getEligibleSymbols: {
    checks: 'what is open, not what is closed',
    call: async (w) => {
      const symbols = async () => (await w.alice.getEligibleSymbols({ symbol: 'ADAUSDT' })).data;
      assert.ok((await symbols()).some(({ category }) => category === 'SPOT'));
      await w.operator.setStatus('SPOT', 'ADAUSDT', 'restrictedAPI');
      assert.ok((await symbols()).every(({ category }) => category !== 'SPOT'));
      await w.operator.setStatus('SPOT', 'ADAUSDT', 'online');
    },
  },
  getEligibleMarginTier: {
    checks: 'tiers of a debt with falling leverage',
    call: async ({ alice }) => {
      const [debt] = (await alice.getEligibleMarginTier({ coin: 'USDT' })).data;
      assert.equal(debt!.coin, 'USDT');
      assert.ok(Number(debt!.tiers[0]!.leverage) > Number(debt!.tiers.at(-1)!.leverage));
    },
  },
  getEligibleLoanInfo: {
    checks: 'how much can be borrowed, as margin-loans says',
    call: async ({ alice }) => {
      const [info] = (await alice.getEligibleLoanInfo({ coin: 'BTC' })).data;
      assert.equal(info!.limit, (await alice.getMarginLoans({ coin: 'BTC' })).data.limit);
    },
  },
  getCollateralType: {
    checks: 'all coins',
    call: async ({ alice }) => assert.equal((await alice.getCollateralType()).data.collateralType, 'all'),
  },
  setCollateralType: {
    checks: 'all is taken',
    call: async ({ alice }) =>
      assert.equal((await alice.setCollateralType({ collateralType: 'all' })).data, 'success'),
  },
  getCustomCollateralCoins: {
    checks: 'coins, without a key',
    call: async (w) => {
      const coins = JSON.stringify((await sdkClient(w.server.url).getCustomCollateralCoins()).data);
      for (const coin of ['USDT', 'BTC', 'ETH']) assert.ok(coins.includes(`"${coin}"`), coin);
    },
  },
  getDeltaInfo: {
    checks: 'zero: accounts have no delta-neutral mode',
    call: async ({ alice }) =>
      assert.deepEqual((await alice.getDeltaInfo()).data, {
        deltaEquityRatio: '0',
        deltaThreshold: '0',
        positionThreshold: '0',
        list: [],
      }),
  },
  getDeductInfo: {
    checks: 'off at first',
    call: async ({ alice }) => assert.equal((await alice.getDeductInfo()).data.deduct, 'off'),
  },
  switchDeduct: {
    checks: 'remembered',
    call: async ({ alice }) => {
      await alice.switchDeduct({ deduct: 'on' });
      assert.equal((await alice.getDeductInfo()).data.deduct, 'on');
    },
  },
};
