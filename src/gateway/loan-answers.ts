/** What answers about loans look like (interface 2.12, wire.md 4.6). */
import Type from 'typebox';
import { texts } from './answers.ts';

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

export const ClosedLoan = Type.Object(
  texts(
    'orderId',
    'loanCoin',
    'pledgeCoin',
    'initPledgeAmount',
    'initLoanAmount',
    'hourRate',
    'pledgeDays',
    'daily',
    'borrowTime',
    'status',
  ),
);

const repayment = texts(
  'loanCoin',
  'pledgeCoin',
  'repayAmount',
  'payInterest',
  'repayLoanAmount',
  'repayUnlockAmount',
);
export const Repayment = Type.Object(repayment);
export const RepayRecord = Type.Object({ ...texts('orderId'), ...repayment, ...texts('repayTime') });

export const RevisedPledge = Type.Object(texts('loanCoin', 'pledgeCoin', 'afterPledgeRate'));
export const PledgeRateRecord = Type.Object(
  texts(
    'loanCoin',
    'pledgeCoin',
    'orderId',
    'reviseTime',
    'reviseSide',
    'reviseAmount',
    'afterPledgeRate',
    'beforePledgeRate',
  ),
);

export const ReduceRecord = Type.Object(
  texts(
    'orderId',
    'loanCoin',
    'pledgeCoin',
    'reduceTime',
    'pledgeRate',
    'pledgePrice',
    'status',
    'pledgeAmount',
    'reduceFee',
    'residueAmount',
    'runlockAmount',
    'repayLoanAmount',
  ),
);

const CoinDebts = Type.Array(Type.Object(texts('coin', 'amount', 'amountUsdt')));
export const LoanDebts = Type.Object({ pledgeInfos: CoinDebts, loanInfos: CoinDebts });
