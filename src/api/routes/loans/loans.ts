/** Loans: coins and terms on offer, debts of the caller (interface 4.6, wire 4.6). */

import { hourRate, LoanTerm } from '../../../core/model/loan-terms.ts';
import { formatOrderId } from '../../../core/model/order-id.ts';
import { formatMoney, formatRate, formatUnits } from '../../../core/model/units.ts';
import {
  type CoinDebt,
  loanDebts,
  loanOffers,
  loanQuote,
  ongoingLoans,
} from '../../../core/reads/loan-reads.ts';
import type { State } from '../../../core/state/state.ts';
import { Type } from '../../../validation/schema.ts';
import { percentRate, pledgeRateText } from '../../../views/loan-view.ts';
import { type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { CoinName, findCoin, moneyOf, unknownCoin } from '../../wire/money-input.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import { WireError } from '../../wire/wire-error.ts';
import { coinChoice, Daily, findPair, LOANS, loanIdOf, termOf } from './loan-input.ts';
import * as responses from './loan-responses.ts';

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

export const loanRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/loan/coins',
    summary: 'Coins that can be borrowed with their rates, and coins that can be pledged with their levels',
    ...LOANS,
    access: 'mgt_read',
    query: Type.Object({ coin: Type.Optional(CoinName) }),
    data: responses.LoanCoins,
    handle: ({ sequencer: { state }, query }) => {
      const named = query.coin === undefined ? undefined : findCoin(state, query.coin);
      return query.coin !== undefined && named === undefined ? unknownCoin() : coins(state, named?.index);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/loan/interest',
    summary: 'What could be borrowed for a pledge, and what an hour of it would cost',
    ...LOANS,
    access: 'mgt_read',
    query: Type.Object({
      loanCoin: CoinName,
      pledgeCoin: CoinName,
      daily: Daily,
      pledgeAmount: fields.Decimal,
    }),
    data: responses.LoanInterest,
    handle: ({ sequencer: { state }, query }) => {
      const pair = findPair(state, query);
      if (pair instanceof WireError) return pair;
      const pledgeAmount = moneyOf(query.pledgeAmount, 'pledgeAmount');
      if (pledgeAmount instanceof WireError) return pledgeAmount;
      const [loanCoin, pledgeCoin] = [pair.loan.index, pair.pledge.index];
      const request = { loanCoin, pledgeCoin, loanAmount: 0n, pledgeAmount };
      const quote = loanQuote(state, request, termOf(query.daily));
      if ('rejectReason' in quote) return rejectError(state, quote);
      return { hourInterest: formatMoney(quote.hourInterest), loanAmount: formatMoney(quote.loan) };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/loan/borrow-ongoing',
    summary: 'Loans that are not paid back, newest first; rates in percent, expireTime 0 for flexible ones',
    ...LOANS,
    access: 'mgt_read',
    query: Type.Object({
      orderId: Type.Optional(fields.OrderId),
      loanCoin: Type.Optional(CoinName),
      pledgeCoin: Type.Optional(CoinName),
    }),
    data: Type.Array(responses.OngoingLoan),
    handle: ({ sequencer: { state }, caller, query }) => {
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
    method: 'GET',
    path: '/api/v3/loan/debts',
    summary: 'Per coin, what ongoing loans owe (loanInfos) and what is pledged for them (pledgeInfos)',
    ...LOANS,
    access: 'mgt_read',
    data: responses.LoanDebts,
    handle: ({ sequencer: { state }, caller }) => {
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
