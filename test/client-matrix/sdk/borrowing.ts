/** The SDK's methods about borrowed money: debts of the unified account, and loans against collateral. */
import assert from 'node:assert/strict';
import { near, positive, until } from '../checks.ts';
import { type Row, SWAP, type World } from '../world.ts';

const LOAN = { loanCoin: 'USDT', pledgeCoin: 'ETH', daily: 'FLEXIBLE' } as const;
const loan = { orderId: '', amount: '', repaid: '' };
/** A coin that no other row looks at. */
const FALLING = { loanCoin: 'USDT', pledgeCoin: 'LTC', daily: 'FLEXIBLE' } as const;

const coinsOf = (list: readonly { coin: string }[]) => list.map(({ coin }) => coin);

async function insuranceFund({ bot }: World): Promise<string> {
  const { list } = (await bot.getRiskReserveAll({ category: SWAP.category })).data;
  const { balance } = list.find(({ coin }) => coin === 'USDT')!;
  positive(balance, 'insurance fund');
  return balance;
}

export const BORROWING_CALLS: Readonly<Record<string, Row<World>>> = {
  getMarginLoans: {
    checks: 'interest and limits of a coin',
    call: async ({ bot }) =>
      positive((await bot.getMarginLoans({ coin: 'BTC' })).data.dailyInterest, 'interest'),
  },
  getRiskReserve: {
    checks: 'today of the insurance fund, as it stands',
    call: async (w) => {
      const { coin, riskReserveRecords } = (await w.bot.getRiskReserve(SWAP)).data;
      assert.equal(coin, 'USDT');
      near(riskReserveRecords[0]!.balance, await insuranceFund(w), 'balance');
    },
  },
  getRiskReserveHour: {
    checks: 'this hour of the insurance fund, as it stands',
    call: async (w) => {
      const { coin, riskReserveRecords } = (await w.bot.getRiskReserveHour(SWAP)).data;
      assert.equal(coin, 'USDT');
      near(riskReserveRecords[0]!.balance, await insuranceFund(w), 'balance');
    },
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
      const held = (await bot.getBalances()).data.assets.find(({ coin }) => coin === 'BTC')!;
      await bot.submitNewOrder(order);
      const [owed, ...others] = (await bot.getRepayableCoins()).data.repayableCoinList;
      assert.deepEqual([owed!.coin, others], ['BTC', []]);
      near(owed!.size, Number(order.qty) - Number(held.balance), 'owed');
      positive(owed!.amount, 'dollars');
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
      const [owed] = (await bot.getRepayableCoins()).data.repayableCoinList;
      assert.equal(debt!.coin, 'BTC');
      near(debt!.debt, owed!.size, 'debt');
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
      const before = (await bot.getLoanInterest({ ...LOAN, pledgeAmount: '1' })).data.loanAmount;
      loan.orderId = (await bot.loanBorrow({ ...LOAN, pledgeAmount: '1' })).data.orderId;
      assert.match(loan.orderId, /^[0-9]+$/);
      const [ongoing] = (await bot.getLoanBorrowOngoing({ orderId: loan.orderId })).data;
      loan.amount = ongoing!.loanAmount;
      // The price of the pledge may have moved in between.
      assert.ok(Math.abs(Number(loan.amount) / Number(before) - 1) < 0.01, `${loan.amount} for ${before}`);
    },
  },
  getLoanBorrowOngoing: {
    checks: 'it is listed with its amounts',
    call: async ({ bot }) => {
      const [ongoing] = (await bot.getLoanBorrowOngoing({})).data;
      const { orderId, loanCoin, loanAmount, pledgeCoin, pledgeAmount } = ongoing!;
      assert.deepEqual(
        [orderId, loanCoin, loanAmount, pledgeCoin, pledgeAmount],
        [loan.orderId, 'USDT', loan.amount, 'ETH', '1'],
      );
    },
  },
  getLoanDebts: {
    checks: 'what is owed and what is pledged',
    call: async ({ bot }) => {
      const { loanInfos, pledgeInfos } = (await bot.getLoanDebts()).data;
      assert.deepEqual([coinsOf(loanInfos), coinsOf(pledgeInfos)], [['USDT'], ['ETH']]);
      assert.equal(pledgeInfos[0]!.amount, '1');
      // The hour that runs has cost interest.
      assert.ok(Number(loanInfos[0]!.amount) > Number(loan.amount), loanInfos[0]!.amount);
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
    checks: 'the change and the rates before and after it',
    call: async (w) => {
      const [revised] = (await w.bot.getLoanPledgeRateHistory(w.lately())).data;
      const { orderId, reviseSide, reviseAmount, beforePledgeRate, afterPledgeRate } = revised!;
      assert.deepEqual([orderId, reviseSide, reviseAmount], [loan.orderId, 'down', '0.5']);
      // Half as much again is pledged for the same debt.
      near(Number(afterPledgeRate) * 1.5, beforePledgeRate, 'rates', 1);
    },
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
      const { repayAmount, repayLoanAmount, repayUnlockAmount } = (await bot.loanRepay(asked)).data;
      assert.deepEqual([repayLoanAmount, repayUnlockAmount], [loan.amount, '1.5']);
      loan.repaid = repayAmount;
    },
  },
  getLoanRepayHistory: {
    checks: 'the repayment',
    call: async (w) => {
      const [repaid] = (await w.bot.getLoanRepayHistory(w.lately())).data;
      assert.deepEqual([repaid!.orderId, repaid!.repayAmount], [loan.orderId, loan.repaid]);
    },
  },
  getLoanBorrowHistory: {
    checks: 'the loan that was',
    call: async (w) => {
      const [past] = (await w.bot.getLoanBorrowHistory(w.lately())).data;
      const { orderId, status, initLoanAmount, initPledgeAmount } = past!;
      assert.deepEqual(
        [orderId, status, initLoanAmount, initPledgeAmount],
        [loan.orderId, 'REPAY', loan.amount, '1'],
      );
    },
  },
  getLoanReduces: {
    checks: 'a loan that a fall of its pledge closed: what was sold, paid, taken as a fee and given back',
    call: async (w) => {
      const money = { account: 'bot', coin: 'LTC', amount: '100', reference: 'matrix-pledge' };
      await w.operator.deposit(money);
      const { orderId } = (await w.bot.loanBorrow({ ...FALLING, pledgeAmount: '100' })).data;
      const [ongoing] = (await w.bot.getLoanBorrowOngoing({ orderId })).data;
      // Beyond the level that closes it, and still worth the debt and the fee.
      const level = Number(ongoing!.forceRate) * 1.04;
      await w.operator.shock('LTC', (Number(ongoing!.pledgeRate) / level - 1) * 100);
      const reduced = await until('the loan is closed', async () => {
        return (await w.bot.getLoanReduces(w.lately())).data.find((each) => each.orderId === orderId);
      });
      const { loanCoin, pledgeCoin, status, pledgeRate, pledgePrice } = reduced;
      assert.deepEqual([loanCoin, pledgeCoin, status], ['USDT', 'LTC', 'COMPLETE']);
      assert.ok(Number(pledgeRate) >= Number(ongoing!.forceRate), pledgeRate);
      const { pledgeAmount, residueAmount, runlockAmount, repayLoanAmount, reduceFee } = reduced;
      near(Number(pledgeAmount) + Number(residueAmount) + Number(runlockAmount), 100, 'the pledge');
      assert.ok(Number(repayLoanAmount) > Number(ongoing!.loanAmount), 'the loan and its interest are paid');
      // 2 % of what was repaid, and the collateral sold at the index paid for both (rules 7.5).
      near(reduceFee, Number(repayLoanAmount) * 0.02, 'fee');
      near(Number(pledgeAmount) * Number(pledgePrice), Number(repayLoanAmount) * 1.02, 'sold', 1);
      const [past] = (await w.bot.getLoanBorrowHistory({ ...w.lately(), status: 'FORCE' })).data;
      assert.equal(past!.orderId, orderId);
    },
  },
};
