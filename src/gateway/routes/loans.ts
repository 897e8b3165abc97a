/** The loan desk: what it offers, borrowing and paying back, and the records of it (interface 4.6, wire.md 4.6). */
import Type, { type Static } from 'typebox';
import { type CoinDebt, loanDebts, loanOffers, loanQuote, ongoingLoans } from '../../core/loan/loan-reads.ts';
import { hourRate, LoanTerm } from '../../core/loan/loan-terms.ts';
import { formatOrderId } from '../../core/orders/order-id.ts';
import { Refusal } from '../../core/refusal.ts';
import type { State } from '../../core/state.ts';
import { formatMoney, formatRate, formatUnits } from '../../core/units.ts';
import { percentRate, pledgeRateText, REDUCE_COMPLETE, repaymentView } from '../../record/loan-view.ts';
import * as fields from '../fields.ts';
import * as answers from '../loan-answers.ts';
import { coinFields, readLoanRecords, recordFields } from '../loan-history.ts';
import { coinChoice, Daily, findPair, loanIdOf, statusOf, termOf } from '../loan-input.ts';
import { refusalError } from '../refusal-message.ts';
import { type Call, type Route, route } from '../route.ts';
import { CoinName, findCoin, moneyOf, unknownCoin } from '../wallet-input.ts';
import { WireError, wireError } from '../wire-error.ts';

const group = 'Loans';
const PER_SECOND = 10;
const CLOSED_STATUSES = ['ROLLBACK', 'FORCE', 'REPAY'];
const REDUCE_STATUSES = [REDUCE_COMPLETE, 'WAIT'];

const Status = Type.String({ maxLength: 16, description: 'in any letter case' });

const BorrowBody = Type.Object({
  loanCoin: CoinName,
  pledgeCoin: CoinName,
  daily: Daily,
  pledgeAmount: Type.Optional(fields.Decimal),
  loanAmount: Type.Optional(fields.Decimal),
});

const RepayBody = Type.Object({
  orderId: fields.OrderId,
  method: Type.Enum(['borrowed_coin', 'collateral'] as const),
  repayAll: fields.YesNo,
  amount: Type.Optional(
    Type.String({
      ...fields.Decimal,
      description: 'of the borrowed coin, unless repayAll; at most the debt is taken',
    }),
  ),
  repayUnlock: Type.Optional(fields.YesNo),
});

const ReviseBody = Type.Object({
  orderId: fields.OrderId,
  amount: fields.Decimal,
  pledgeCoin: CoinName,
  reviseType: Type.Optional(
    Type.Enum(['IN', 'OUT'] as const, { description: 'add collateral (the default) or take it out' }),
  ),
});

function coins(state: State, only: number | undefined) {
  const { loans, pledges } = loanOffers(state, only);
  const name = (coin: number) => state.coins[coin]!.coin;
  return {
    loanInfos: loans.map(({ coin, spec, bounds }) => ({
      coin: name(coin),
      hourRateFlexible: formatRate(hourRate(spec, LoanTerm.flexible)),
      rateFlexible: spec.flexibleRate,
      hourRate7D: formatRate(hourRate(spec, LoanTerm.sevenDays)),
      rate7D: spec.sevenDayRate,
      hourRate30D: formatRate(hourRate(spec, LoanTerm.thirtyDays)),
      rate30D: spec.thirtyDayRate,
      minBorrowAmount: spec.minUsdt,
      maxBorrowAmount: spec.maxUsdt,
      minBorrowLimit: formatMoney(bounds.min),
      maxBorrowLimit: formatMoney(bounds.max),
    })),
    pledgeInfos: pledges.map(({ coin, spec }) => ({
      coin: name(coin),
      initRate: spec.initRate,
      supRate: spec.supRate,
      forceRate: spec.forceRate,
      minPledgeAmount: spec.minUsdt,
      maxPledgeAmount: spec.maxUsdt,
    })),
  };
}

async function borrow({ venue, caller, body }: Call<unknown, Static<typeof BorrowBody>>) {
  const pair = findPair(venue.state, body);
  if (pair instanceof WireError) return pair;
  if (body.loanAmount === undefined && body.pledgeAmount === undefined)
    return wireError('40019', 'loanAmount or pledgeAmount must be given');
  const loanAmount = moneyOf(body.loanAmount ?? '0', 'loanAmount');
  if (loanAmount instanceof WireError) return loanAmount;
  const pledgeAmount = moneyOf(body.pledgeAmount ?? '0', 'pledgeAmount');
  if (pledgeAmount instanceof WireError) return pledgeAmount;
  const outcome = await venue.submit({
    type: 'loanBorrow',
    time: 0,
    uid: caller.user.uid,
    loanCoin: pair.loan.index,
    pledgeCoin: pair.pledge.index,
    term: termOf(body.daily),
    loanAmount,
    pledgeAmount,
  });
  if (outcome.refusal !== Refusal.none) return refusalError(venue.state, outcome);
  return { orderId: formatOrderId(outcome.orderId) };
}

/** Coins of a loan before a command may have closed it. */
function coinsOf(state: State, uid: number, loanId: number) {
  const [ongoing] = ongoingLoans(state, uid, { loanId });
  if (ongoing === undefined) return undefined;
  const { loanCoin, pledgeCoin } = ongoing.loan;
  return { loanCoin: state.coins[loanCoin]!.coin, pledgeCoin: state.coins[pledgeCoin]!.coin };
}

async function repay({ venue, caller, body }: Call<unknown, Static<typeof RepayBody>>) {
  const all = body.repayAll === 'yes';
  if (!all && body.amount === undefined)
    return wireError('40019', 'parameter amount must not be empty when repayAll is no');
  const amount = moneyOf(body.amount ?? '0', 'amount');
  if (amount instanceof WireError) return amount;
  const { uid } = caller.user;
  const loanId = loanIdOf(body.orderId);
  const named = coinsOf(venue.state, uid, loanId);
  const outcome = await venue.submit({
    type: 'loanRepay',
    time: 0,
    uid,
    loanId,
    fromPledge: body.method === 'collateral',
    all,
    amount,
    unlock: body.repayUnlock === 'yes',
  });
  if (outcome.repaid === undefined || named === undefined) return refusalError(venue.state, outcome);
  return repaymentView(outcome.repaid, named.loanCoin, named.pledgeCoin);
}

async function revisePledge({ venue, caller, body }: Call<unknown, Static<typeof ReviseBody>>) {
  const pledge = findCoin(venue.state, body.pledgeCoin);
  if (pledge === undefined) return unknownCoin('pledgeCoin');
  const amount = moneyOf(body.amount, 'amount');
  if (amount instanceof WireError) return amount;
  const { uid } = caller.user;
  const loanId = loanIdOf(body.orderId);
  const named = coinsOf(venue.state, uid, loanId);
  const outcome = await venue.submit({
    type: 'loanRevise',
    time: 0,
    uid,
    loanId,
    pledgeCoin: pledge.index,
    into: body.reviseType !== 'OUT',
    amount,
  });
  if (outcome.pledgeRate === undefined) return refusalError(venue.state, outcome);
  return { ...named, afterPledgeRate: pledgeRateText(outcome.pledgeRate) };
}

export const loanRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/loan/coins',
    summary: 'Coins that can be borrowed with their rates, and coins that can be pledged with their levels',
    group,
    access: 'mgt_read',
    perSecond: PER_SECOND,
    query: Type.Object({ coin: Type.Optional(CoinName) }),
    data: answers.LoanCoins,
    handle: ({ venue: { state }, query }) => {
      const named = query.coin === undefined ? undefined : findCoin(state, query.coin);
      return query.coin !== undefined && named === undefined ? unknownCoin() : coins(state, named?.index);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/loan/interest',
    summary: 'What could be borrowed for a pledge, and what an hour of it would cost',
    group,
    access: 'mgt_read',
    perSecond: PER_SECOND,
    query: Type.Object({
      loanCoin: CoinName,
      pledgeCoin: CoinName,
      daily: Daily,
      pledgeAmount: fields.Decimal,
    }),
    data: answers.LoanInterest,
    handle: ({ venue: { state }, query }) => {
      const pair = findPair(state, query);
      if (pair instanceof WireError) return pair;
      const pledgeAmount = moneyOf(query.pledgeAmount, 'pledgeAmount');
      if (pledgeAmount instanceof WireError) return pledgeAmount;
      const [loanCoin, pledgeCoin] = [pair.loan.index, pair.pledge.index];
      const wish = { loanCoin, pledgeCoin, loanAmount: 0n, pledgeAmount };
      const quote = loanQuote(state, wish, termOf(query.daily));
      if ('refusal' in quote) return refusalError(state, quote);
      return { hourInterest: formatMoney(quote.hourInterest), loanAmount: formatMoney(quote.loan) };
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/loan/borrow',
    summary:
      'Borrows one coin for a pledge of another, by either amount; a loan that cannot be made ends as ROLLBACK',
    group,
    access: 'mgt_write',
    perSecond: PER_SECOND,
    body: BorrowBody,
    data: answers.LoanId,
    handle: borrow,
  }),

  route({
    method: 'GET',
    path: '/api/v3/loan/borrow-ongoing',
    summary: 'Loans that are not paid back, newest first; rates in percent, expireTime 0 for flexible ones',
    group,
    access: 'mgt_read',
    perSecond: PER_SECOND,
    query: Type.Object({
      orderId: Type.Optional(fields.OrderId),
      loanCoin: Type.Optional(CoinName),
      pledgeCoin: Type.Optional(CoinName),
    }),
    data: Type.Array(answers.OngoingLoan),
    handle: ({ venue: { state }, caller, query }) => {
      const filter = {
        loanId: query.orderId === undefined ? undefined : loanIdOf(query.orderId),
        loanCoin: coinChoice(state, query.loanCoin),
        pledgeCoin: coinChoice(state, query.pledgeCoin),
      };
      return ongoingLoans(state, caller.user.uid, filter).map(
        ({ loan, levels, hourRate: present, pledgeRate }) => ({
          orderId: formatOrderId(loan.id),
          loanCoin: state.coins[loan.loanCoin]!.coin,
          loanAmount: formatMoney(loan.principal),
          interestAmount: formatMoney(loan.interestOwed()),
          hourInterestRate: percentRate(present),
          pledgeCoin: state.coins[loan.pledgeCoin]!.coin,
          pledgeAmount: formatMoney(loan.pledge),
          pledgeRate: pledgeRateText(pledgeRate),
          supRate: percentRate(levels.supplement),
          forceRate: percentRate(levels.force),
          borrowTime: String(loan.borrowTime),
          expireTime: String(loan.expireTime),
        }),
      );
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/loan/repay',
    summary:
      'Pays back a loan in part or whole, interest first, with the borrowed coin or out of its collateral',
    group,
    access: 'mgt_write',
    perSecond: PER_SECOND,
    body: RepayBody,
    data: answers.Repayment,
    handle: repay,
  }),

  route({
    method: 'POST',
    path: '/api/v3/loan/revise-pledge',
    summary: 'Adds collateral to a loan, or takes out what the first rate does not need',
    group,
    access: 'mgt_write',
    perSecond: PER_SECOND,
    body: ReviseBody,
    data: answers.RevisedPledge,
    handle: revisePledge,
  }),

  route({
    method: 'GET',
    path: '/api/v3/loan/borrow-history',
    summary: 'Loans that have ended, newest first',
    group,
    access: 'mgt_read',
    perSecond: PER_SECOND,
    query: Type.Object({ ...recordFields, ...coinFields, status: Type.Optional(Status) }),
    data: Type.Array(answers.ClosedLoan),
    handle: (call) => {
      const status = statusOf(call.query.status, CLOSED_STATUSES);
      return status instanceof WireError ? status : readLoanRecords(call, 'borrow', status);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/loan/repay-history',
    summary: 'Repayments, newest first',
    group,
    access: 'mgt_read',
    perSecond: PER_SECOND,
    query: Type.Object({ ...recordFields, ...coinFields }),
    data: Type.Array(answers.RepayRecord),
    handle: (call) => readLoanRecords(call, 'repay'),
  }),

  route({
    method: 'GET',
    path: '/api/v3/loan/pledge-rate-history',
    summary:
      'Collateral that was added (down) or taken out (up) with the pledge rates before and after, newest first',
    group,
    access: 'mgt_read',
    perSecond: PER_SECOND,
    query: Type.Object({ ...recordFields, reviseSide: Type.Optional(Type.Enum(['down', 'up'] as const)) }),
    data: Type.Array(answers.PledgeRateRecord),
    handle: (call) => readLoanRecords(call, 'pledgeRate', call.query.reviseSide),
  }),

  route({
    method: 'GET',
    path: '/api/v3/loan/reduces',
    summary: 'Loans closed by force, newest first',
    group,
    access: 'mgt_read',
    perSecond: PER_SECOND,
    query: Type.Object({ ...recordFields, ...coinFields, status: Type.Optional(Status) }),
    data: Type.Array(answers.ReduceRecord),
    handle: (call) => {
      const status = statusOf(call.query.status, REDUCE_STATUSES);
      return status instanceof WireError ? status : readLoanRecords(call, 'reduce', status);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/loan/debts',
    summary: 'Per coin, what ongoing loans owe (loanInfos) and what is pledged for them (pledgeInfos)',
    group,
    access: 'mgt_read',
    perSecond: PER_SECOND,
    data: answers.LoanDebts,
    handle: ({ venue: { state }, caller }) => {
      const { loans, pledges } = loanDebts(state, caller.user.uid);
      const view = ({ coin, amount, usdt }: CoinDebt) => ({
        coin: state.coins[coin]!.coin,
        amount: formatMoney(amount),
        amountUsdt: formatUnits(usdt, 2),
      });
      return { pledgeInfos: pledges.map(view), loanInfos: loans.map(view) };
    },
  }),
];
