/** Loans and their records on the wire (interface 2.12, wire 4.6). */
import type { LoanChanged, LoanReduced, LoanRepaid, PledgeRevised } from '../core/model/event.ts';
import { LOAN_TERM_DAYS, LOAN_TERM_NAMES, LoanTerm } from '../core/model/loan-terms.ts';
import { formatMoney, formatUnits, RATE_SCALE } from '../core/model/units.ts';
import type { CoinName, StringFields } from './format.ts';
import { formatId } from './format.ts';

const PARTIES = ['orderId', 'loanCoin', 'pledgeCoin'] as const;

/** A closed loan. */
export const BORROW_FIELDS = [
  ...PARTIES,
  'initPledgeAmount',
  'initLoanAmount',
  // Percent, as in all loan records; the list of coins shows fractions (rules 7.3).
  'hourRate',
  // `''` for a flexible loan (wire 3.21).
  'pledgeDays',
  'daily',
  'borrowTime',
  'status',
] as const;
export type BorrowView = StringFields<typeof BORROW_FIELDS>;

export const REPAYMENT_FIELDS = [
  'loanCoin',
  'pledgeCoin',
  'repayAmount',
  'payInterest',
  'repayLoanAmount',
  'repayUnlockAmount',
] as const;
export type RepaymentView = StringFields<typeof REPAYMENT_FIELDS>;

export const REPAY_FIELDS = ['orderId', ...REPAYMENT_FIELDS, 'repayTime'] as const;
export type RepayView = StringFields<typeof REPAY_FIELDS>;

export const PLEDGE_RATE_FIELDS = [
  ...PARTIES,
  'reviseTime',
  // `down`: collateral was added, the rate fell; `up`: the reverse.
  'reviseSide',
  'reviseAmount',
  'afterPledgeRate',
  'beforePledgeRate',
] as const;
export type PledgeRateView = StringFields<typeof PLEDGE_RATE_FIELDS>;

/** A forced close: the pledge is the sum of the amounts sold, still pledged and released. */
export const REDUCE_FIELDS = [
  ...PARTIES,
  'reduceTime',
  'pledgeRate',
  'pledgePrice',
  'status',
  'pledgeAmount',
  'reduceFee',
  'residueAmount',
  'runlockAmount',
  // Interest and principal.
  'repayLoanAmount',
] as const;
export type ReduceView = StringFields<typeof REDUCE_FIELDS>;

/** Forced closes happen at once, so none is pending. */
export const REDUCE_COMPLETE = 'COMPLETE';

export function borrowView(loan: LoanChanged, coinName: CoinName): BorrowView {
  const { term } = loan;
  return {
    ...parties(loan, coinName),
    initPledgeAmount: formatMoney(loan.initPledge),
    initLoanAmount: formatMoney(loan.initLoan),
    hourRate: percentRate(loan.hourRate),
    pledgeDays: term === LoanTerm.flexible ? '' : String(LOAN_TERM_DAYS[term]),
    daily: LOAN_TERM_NAMES[term],
    borrowTime: String(loan.borrowTime),
    status: loan.status,
  };
}

export function repayView(repaid: LoanRepaid, coinName: CoinName): RepayView {
  const { orderId, loanCoin, pledgeCoin } = parties(repaid, coinName);
  return { orderId, ...repaymentView(repaid, loanCoin, pledgeCoin), repayTime: String(repaid.time) };
}

export function repaymentView(
  { interest, principal, unlocked }: Pick<LoanRepaid, 'interest' | 'principal' | 'unlocked'>,
  loanCoin: string,
  pledgeCoin: string,
): RepaymentView {
  return {
    loanCoin,
    pledgeCoin,
    repayAmount: formatMoney(interest + principal),
    payInterest: formatMoney(interest),
    repayLoanAmount: formatMoney(principal),
    repayUnlockAmount: formatMoney(unlocked),
  };
}

export function pledgeRateView(revised: PledgeRevised, coinName: CoinName): PledgeRateView {
  return {
    ...parties(revised, coinName),
    reviseTime: String(revised.time),
    reviseSide: revised.into ? 'down' : 'up',
    reviseAmount: formatMoney(revised.amount),
    afterPledgeRate: pledgeRateText(revised.after),
    beforePledgeRate: pledgeRateText(revised.before),
  };
}

export function reduceView(reduced: LoanReduced, coinName: CoinName): ReduceView {
  return {
    ...parties(reduced, coinName),
    reduceTime: String(reduced.time),
    pledgeRate: pledgeRateText(reduced.rate),
    pledgePrice: formatMoney(reduced.price),
    status: REDUCE_COMPLETE,
    pledgeAmount: formatMoney(reduced.sold),
    reduceFee: formatMoney(reduced.fee),
    residueAmount: '0',
    runlockAmount: formatMoney(reduced.unlocked),
    repayLoanAmount: formatMoney(reduced.paid),
  };
}

/** 10^-2 percent as percent. */
export function pledgeRateText(rate: bigint): string {
  return formatUnits(rate, 2);
}

/** A rate of 10^-12 as percent. */
export function percentRate(rate: bigint): string {
  return formatUnits(rate, RATE_SCALE - 2);
}

function parties(
  { loanId, loanCoin, pledgeCoin }: { loanId: number; loanCoin: number; pledgeCoin: number },
  coinName: CoinName,
): StringFields<typeof PARTIES> {
  return { orderId: formatId(loanId), loanCoin: coinName(loanCoin), pledgeCoin: coinName(pledgeCoin) };
}
