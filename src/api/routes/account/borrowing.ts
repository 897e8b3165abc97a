/**
 * Debts of the unified account: amounts, interest, repayment, and the coins on offer (interface 4.5, wire 4.2, 4.3).
 */

import { RejectReason } from '../../../core/model/reject-reason.ts';
import { divHalf, formatMoney, formatRate } from '../../../core/model/units.ts';
import {
  type CoinAmount,
  loanData,
  paymentCoins,
  poolLeft,
  repayableCoins,
} from '../../../core/reads/borrowing-reads.ts';
import type { State } from '../../../core/state/state.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { CoinName, findCoin, unknownCoin } from '../../wire/money-input.ts';
import { historyPage } from '../../wire/paging.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import * as responses from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';

const group = 'Borrowing';
const DAYS_A_YEAR = 365n;
/** Coins of one repayment, on either side. */
const SELECTION_MAX = 1;

const CoinSize = Type.Object(responses.texts('coin', 'size', 'amount'));

function coinSizes(state: State, amounts: readonly CoinAmount[]) {
  return amounts.map(({ coin, size, usd }) => ({
    coin: state.coins[coin]!.coin,
    size: formatMoney(size),
    amount: formatMoney(usd),
  }));
}

const RepayBody = Type.Object({
  repayableCoinList: Type.Array(CoinName, {
    maxItems: 50,
    description: 'coins that are owed, one at a time',
  }),
  paymentCoinList: Type.Array(CoinName, { maxItems: 50, description: 'coins to pay with, one at a time' }),
});

/** The only coin of a list. */
function selected(state: State, field: string, names: readonly string[]): number | WireError {
  if (names.length !== SELECTION_MAX) return wireError('40020', `${field} must name ${SELECTION_MAX} coin`);
  return findCoin(state, names[0]!)?.index ?? unknownCoin(field);
}

async function repayDebt(sequencer: Sequencer, uid: number, body: Static<typeof RepayBody>) {
  const { state } = sequencer;
  const debtCoin = selected(state, 'repayableCoinList', body.repayableCoinList);
  if (debtCoin instanceof WireError) return debtCoin;
  const payCoin = selected(state, 'paymentCoinList', body.paymentCoinList);
  if (payCoin instanceof WireError) return payCoin;
  const result = await sequencer.submit({ type: 'repay', uid, debtCoin, payCoin });
  if (result.rejectReason !== RejectReason.none) return rejectError(state, result);
  return { result: 'YES', repayAmount: formatMoney(result.amount ?? 0n) };
}

export const borrowingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/account/repayable-coins',
    summary: 'Coins the account owes; amount is the value in dollars',
    group,
    access: 'mgt_read',
    perSecond: 10,
    data: Type.Object({ repayableCoinList: Type.Array(CoinSize), ...responses.texts('maxSelection') }),
    handle: ({ sequencer: { state }, caller }) => {
      const account = state.accountByUid.get(caller.user.uid);
      const owed = account === undefined ? [] : repayableCoins(state, account);
      return { repayableCoinList: coinSizes(state, owed), maxSelection: String(SELECTION_MAX) };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/payment-coins',
    summary: 'Coins a repayment can be made with; amount is the value in dollars',
    group,
    access: 'mgt_read',
    perSecond: 10,
    data: Type.Object({ paymentCoinList: Type.Array(CoinSize), ...responses.texts('maxSelection') }),
    handle: ({ sequencer: { state }, caller }) => {
      const account = state.accountByUid.get(caller.user.uid);
      const coins = account === undefined ? [] : paymentCoins(state, account);
      return { paymentCoinList: coinSizes(state, coins), maxSelection: String(SELECTION_MAX) };
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/account/repay',
    summary: 'Pay a debt with another coin at index prices, as far as that coin goes',
    group,
    access: 'mgt_write',
    perSecond: 5,
    body: RepayBody,
    data: Type.Object(responses.texts('result', 'repayAmount')),
    handle: ({ sequencer, caller, body }) => repayDebt(sequencer, caller.user.uid, body),
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/convert-records',
    summary: 'Coins sold for debts, by repayment and by liquidation, newest first',
    group,
    access: 'mgt_read',
    perSecond: 20,
    query: Type.Object({
      fromCoin: Type.Optional(CoinName),
      toCoin: Type.Optional(CoinName),
      ...fields.pageFields,
    }),
    data: responses.page(
      Type.Object(responses.texts('fromCoin', 'fromCoinSize', 'toCoin', 'toCoinSize', 'price', 'ts')),
    ),
    handle: async ({ sequencer, clock, caller, query }) => {
      const page = historyPage(query, clock.now());
      if (page instanceof WireError) return page;
      await sequencer.durable();
      const list = await sequencer.history.conversions({
        uid: caller.user.uid,
        ...page,
        ...(query.fromCoin !== undefined && { fromCoin: query.fromCoin.toUpperCase() }),
        ...(query.toCoin !== undefined && { toCoin: query.toCoin.toUpperCase() }),
      });
      return { list, cursor: list.at(-1)?.conversionId ?? '' };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/trade/loan-data',
    summary:
      'Debts with their interest: the total in dollars, what is free, and the rate of the next full hour',
    group,
    access: 'trade_read',
    perSecond: 10,
    data: Type.Object({
      ...responses.texts('currentLoans', 'interestPaymentTime'),
      debtCoinList: Type.Array(
        Type.Object(responses.texts('coin', 'debt', 'interestFreeAmount', 'interestRateNextHour')),
      ),
    }),
    handle: ({ sequencer: { state }, caller }) => {
      const account = state.accountByUid.get(caller.user.uid);
      if (account === undefined) return wireError('25005', 'the account is not open yet');
      const { total, nextPaymentTime, debts } = loanData(state, account);
      return {
        currentLoans: formatMoney(total),
        interestPaymentTime: String(nextPaymentTime),
        debtCoinList: debts.map(({ coin, debt, free, hourRate }) => ({
          coin: state.coins[coin]!.coin,
          debt: formatMoney(debt),
          interestFreeAmount: formatMoney(free),
          interestRateNextHour: formatRate(hourRate),
        })),
      };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/margin-loans',
    summary: 'Interest and limits of borrowing a coin',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object({ coin: CoinName }),
    data: Type.Object(
      responses.texts('dailyInterest', 'annualInterest', 'limit', 'masterSubLimit', 'platformRemaingQuota'),
    ),
    handle: ({ sequencer: { state }, query }) => {
      const coin = findCoin(state, query.coin);
      if (coin === undefined) return unknownCoin();
      const { yearRate, userLimit, masterSubLimit } = state.lending[coin.index]!.terms;
      return {
        dailyInterest: formatRate(divHalf(yearRate, DAYS_A_YEAR)),
        annualInterest: formatRate(yearRate),
        limit: formatMoney(userLimit),
        masterSubLimit: formatMoney(masterSubLimit),
        platformRemaingQuota: formatMoney(poolLeft(state, coin.index)),
      };
    },
  }),
];
