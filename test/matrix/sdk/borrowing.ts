/** The SDK's methods about borrowed money: debts of the unified account, and loans against collateral. */
import assert from 'node:assert/strict';
import { positive } from '../checks.ts';
import { type Row, SWAP, type World } from '../world.ts';

const LOAN = { loanCoin: 'USDT', pledgeCoin: 'ETH', daily: 'FLEXIBLE' } as const;
const loan = { orderId: '' };

const coinsOf = (list: readonly { coin: string }[]) => list.map(({ coin }) => coin);

export const BORROWING_CALLS: Readonly<Record<string, Row<World>>> = {
  getMarginLoans: {
    checks: 'interest and limits of a coin',
    call: async ({ bot }) =>
      positive((await bot.getMarginLoans({ coin: 'BTC' })).data.dailyInterest, 'interest'),
  },
  getRiskReserve: {
    checks: 'days of the insurance fund',
    call: async ({ bot }) => assert.equal((await bot.getRiskReserve(SWAP)).data.coin, 'USDT'),
  },
  getRiskReserveHour: {
    checks: 'hours of the insurance fund',
    call: async ({ bot }) => assert.equal((await bot.getRiskReserveHour(SWAP)).data.coin, 'USDT'),
  },
  preSetLeverage: {
    checks: 'what a leverage would allow',
    call: async ({ bot }) => {
      const asked = { ...SWAP, marginMode: 'cross', leverage: '20' } as const;
      positive((await bot.preSetLeverage(asked)).data.estMaxOpen, 'estMaxOpen');
    },
  },
  getRepayableCoins: {
    checks: 'the coin that a margin order borrowed',
    call: async ({ bot }) => {
      const order = {
        category: 'MARGIN',
        symbol: 'BTCUSDT',
        side: 'sell',
        orderType: 'market',
        qty: '2.1',
      } as const;
      await bot.submitNewOrder(order);
      assert.deepEqual(coinsOf((await bot.getRepayableCoins()).data.repayableCoinList), ['BTC']);
    },
  },
  getPaymentCoins: {
    checks: 'coins that can repay',
    call: async ({ bot }) => {
      assert.ok(coinsOf((await bot.getPaymentCoins()).data.paymentCoinList).includes('USDT'));
    },
  },
  getLoanData: {
    checks: 'the debt and its rate',
    call: async ({ bot }) => {
      const [debt] = (await bot.getLoanData()).data.debtCoinList;
      assert.equal(debt!.coin, 'BTC');
      positive(debt!.debt, 'debt');
    },
  },
  submitRepay: {
    checks: 'repaid with another coin',
    call: async ({ bot }) => {
      const asked = { repayableCoinList: ['BTC'], paymentCoinList: ['USDT'] };
      assert.equal((await bot.submitRepay(asked)).data.result, 'YES');
      assert.deepEqual((await bot.getRepayableCoins()).data.repayableCoinList, []);
    },
  },
  getConvertRecords: {
    checks: 'the conversion that repaid',
    call: async ({ bot }) => {
      const [record] = (await bot.getConvertRecords({})).data.list;
      assert.deepEqual([record!.fromCoin, record!.toCoin], ['USDT', 'BTC']);
    },
  },

  getLoanCoins: {
    checks: 'coins to borrow and to pledge',
    call: async ({ bot }) => {
      const { loanInfos, pledgeInfos } = (await bot.getLoanCoins({})).data;
      assert.ok(coinsOf(loanInfos).includes('USDT') && coinsOf(pledgeInfos).includes('ETH'));
    },
  },
  getLoanInterest: {
    checks: 'what a pledge would bring and cost',
    call: async ({ bot }) => {
      positive((await bot.getLoanInterest({ ...LOAN, pledgeAmount: '1' })).data.loanAmount, 'loanAmount');
    },
  },
  loanBorrow: {
    checks: 'a loan',
    call: async ({ bot }) => {
      loan.orderId = (await bot.loanBorrow({ ...LOAN, pledgeAmount: '1' })).data.orderId;
      assert.match(loan.orderId, /^[0-9]+$/);
    },
  },
  getLoanBorrowOngoing: {
    checks: 'it is listed',
    call: async ({ bot }) => {
      assert.equal((await bot.getLoanBorrowOngoing({})).data[0]!.orderId, loan.orderId);
    },
  },
  getLoanDebts: {
    checks: 'what is owed and what is pledged',
    call: async ({ bot }) => {
      const { loanInfos, pledgeInfos } = (await bot.getLoanDebts()).data;
      assert.deepEqual([coinsOf(loanInfos), coinsOf(pledgeInfos)], [['USDT'], ['ETH']]);
    },
  },
  loanRevisePledge: {
    checks: 'more collateral',
    call: async ({ bot }) => {
      const asked = { orderId: loan.orderId, amount: '0.5', pledgeCoin: 'ETH', reviseType: 'IN' } as const;
      positive((await bot.loanRevisePledge(asked)).data.afterPledgeRate, 'rate');
    },
  },
  getLoanPledgeRateHistory: {
    checks: 'the change',
    call: async (w) =>
      assert.equal((await w.bot.getLoanPledgeRateHistory(w.lately())).data[0]!.reviseSide, 'down'),
  },
  loanRepay: {
    checks: 'repaid whole',
    call: async ({ bot }) => {
      const asked = {
        orderId: loan.orderId,
        method: 'borrowed_coin',
        repayAll: 'yes',
        repayUnlock: 'yes',
      } as const;
      positive((await bot.loanRepay(asked)).data.repayAmount, 'repaid');
    },
  },
  getLoanRepayHistory: {
    checks: 'the repayment',
    call: async (w) =>
      assert.equal((await w.bot.getLoanRepayHistory(w.lately())).data[0]!.orderId, loan.orderId),
  },
  getLoanBorrowHistory: {
    checks: 'the loan that was',
    call: async (w) => assert.equal((await w.bot.getLoanBorrowHistory(w.lately())).data[0]!.status, 'REPAY'),
  },
  getLoanReduces: {
    checks: 'a list',
    call: async (w) => assert.deepEqual((await w.bot.getLoanReduces(w.lately())).data, []),
  },
};
