/** Schemas of loan responses (interface 2.12, wire 4.6). */
import { Type } from '../../../validation/schema.ts';
import {
  BORROW_FIELDS,
  PLEDGE_RATE_FIELDS,
  REDUCE_FIELDS,
  REPAY_FIELDS,
  REPAYMENT_FIELDS,
} from '../../../views/loan-view.ts';
import { texts } from '../../wire/responses.ts';

export const LoanCoins = Type.Object({
  loanInfos: Type.Array(
    Type.Object(
      texts(
        'coin',
        'hourRateFlexible',
        'rateFlexible',
        'hourRate7D',
        'rate7D',
        'hourRate30D',
        'rate30D',
        'minBorrowAmount',
        'maxBorrowAmount',
        'minBorrowLimit',
        'maxBorrowLimit',
      ),
    ),
    { description: 'yearly and hourly rates as fractions; amounts in USDT, limits in the coin' },
  ),
  pledgeInfos: Type.Array(
    Type.Object(texts('coin', 'initRate', 'supRate', 'forceRate', 'minPledgeAmount', 'maxPledgeAmount')),
    { description: 'rates as fractions; amounts in USDT' },
  ),
});

export const LoanInterest = Type.Object(texts('hourInterest', 'loanAmount'));
export const LoanId = Type.Object(texts('orderId'));

export const OngoingLoan = Type.Object(
  texts(
    'orderId',
    'loanCoin',
    'loanAmount',
    'interestAmount',
    'hourInterestRate',
    'pledgeCoin',
    'pledgeAmount',
    'pledgeRate',
    'supRate',
    'forceRate',
    'borrowTime',
    'expireTime',
  ),
);

export const ClosedLoan = Type.Object(texts(...BORROW_FIELDS));
export const Repayment = Type.Object(texts(...REPAYMENT_FIELDS));
export const RepayRecord = Type.Object(texts(...REPAY_FIELDS));
export const RevisedPledge = Type.Object(texts('loanCoin', 'pledgeCoin', 'afterPledgeRate'));
export const PledgeRateRecord = Type.Object(texts(...PLEDGE_RATE_FIELDS));
export const ReduceRecord = Type.Object(texts(...REDUCE_FIELDS));

const CoinDebts = Type.Array(Type.Object(texts('coin', 'amount', 'amountUsdt')));
export const LoanDebts = Type.Object({ pledgeInfos: CoinDebts, loanInfos: CoinDebts });
