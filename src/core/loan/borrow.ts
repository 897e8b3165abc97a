/** Opening a loan (rules 7.2): a pledge leaves the cash, the borrowed coin comes out of the pool. */

import { owesBeyondMeans } from '../margin/bad-debt.ts';
import { freshPrices } from '../margin/pledges.ts';
import type { LoanBorrow } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { Wallet } from '../model/enums.ts';
import { LOANS_MAX, LOANS_PER_ACCOUNT_MAX, MONEY_MAX } from '../model/limits.ts';
import { expiry, Loan } from '../model/loan.ts';
import {
  boundsOf,
  hourRate,
  type LoanSpec,
  levelsOf,
  type PledgeSpec,
  type UsdtBounds,
} from '../model/loan-terms.ts';
import { loanFor, pledgeFor } from '../model/ltv.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { divCeil, divFloor } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { digestAmount } from '../state/ledger-lines.ts';
import { post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';
import { freeIn } from '../wallet/wallet.ts';
import { emitLoan } from './loan-events.ts';
import { lending, loanCells, pledging, poolBalance, usdtPrice } from './loan-money.ts';

/** Both amounts of a possible loan. */
export interface LoanOffer {
  readonly loan: bigint;
  readonly pledge: bigint;
  readonly spec: LoanSpec;
}

/** The coins and one amount of a loan; the other amount is 0n and follows from it. */
export type LoanRequest = Pick<LoanBorrow, 'loanCoin' | 'pledgeCoin' | 'loanAmount' | 'pledgeAmount'>;

export function borrow(state: State, command: LoanBorrow): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  if (account.liquidating) return rejected(RejectReason.accountLiquidating);
  if (owesBeyondMeans(state, account)) return rejected(RejectReason.insufficientMargin);
  const offer = offerFor(state, command);
  if ('rejectReason' in offer) return offer;
  const most =
    state.loans.countOf(account.index) >= LOANS_PER_ACCOUNT_MAX ? LOANS_PER_ACCOUNT_MAX : LOANS_MAX;
  if (most === LOANS_PER_ACCOUNT_MAX || state.loans.size >= LOANS_MAX)
    return rejected(RejectReason.tooManyLoans, most);

  const loan = newLoan(state, account, command, offer);
  const lendable = poolBalance(state, loan.loanCoin) >= loan.initLoan;
  if (lendable && freeIn(state, account, loan.pledgeCoin, Wallet.unified) >= loan.initPledge) {
    disburse(state, loan, offer);
  } else {
    digestAmount(state, offer.loan);
    emitLoan(state, loan, 'ROLLBACK');
  }
  return { ...OK, orderId: loan.id };
}

/** The amounts at the present prices, or the rejection. */
export function offerFor(state: State, request: LoanRequest): LoanOffer | CommandResult {
  const { loanCoin, pledgeCoin, loanAmount, pledgeAmount } = request;
  const spec = state.coins[loanCoin]?.loan;
  const pledgeSpec = state.coins[pledgeCoin]?.pledge;
  if (spec === undefined) return notOffered(state, loanCoin, 'borrowed');
  if (pledgeSpec === undefined || pledgeCoin === loanCoin) return notOffered(state, pledgeCoin, 'pledged');
  if (loanAmount > 0n === pledgeAmount > 0n) return rejected(RejectReason.oneAmountNeeded);
  if (loanAmount < 0n || loanAmount > MONEY_MAX || pledgeAmount < 0n || pledgeAmount > MONEY_MAX)
    return rejected(RejectReason.amountOutOfRange);
  const prices = freshPrices(state, loanCoin, pledgeCoin);
  if (prices === undefined) return rejected(RejectReason.noCoinPrice);
  const { init } = levelsOf(pledgeSpec);
  const loan = loanAmount > 0n ? loanAmount : loanFor(pledgeAmount, init, prices);
  const pledge = pledgeAmount > 0n ? pledgeAmount : pledgeFor(loanAmount, init, prices);
  return outOfBounds(state, request, loan, pledge, spec, pledgeSpec) ?? { loan, pledge, spec };
}

export interface CoinBounds {
  readonly min: bigint;
  readonly max: bigint;
}

/** The limits of the catalogue in the coin itself, at present prices. */
export function coinBounds(state: State, coin: number, { min, max }: UsdtBounds): CoinBounds {
  const usdt = usdtPrice(state);
  const price = state.coinPrices[coin] ?? 0n;
  if (price === 0n) return { min: 0n, max: 0n };
  return { min: divCeil(min * usdt, price), max: divFloor(max * usdt, price) };
}

function outOfBounds(
  state: State,
  { loanCoin, pledgeCoin }: LoanRequest,
  loan: bigint,
  pledge: bigint,
  spec: LoanSpec,
  pledgeSpec: PledgeSpec,
): CommandResult | undefined {
  const ofLoan = coinBounds(state, loanCoin, boundsOf(spec));
  const ofPledge = coinBounds(state, pledgeCoin, boundsOf(pledgeSpec));
  const beyond = (rejectReason: RejectReason, coin: number, available: bigint) => ({
    ...rejected(rejectReason),
    coin,
    available,
  });
  if (loan < ofLoan.min) return beyond(RejectReason.loanTooSmall, loanCoin, ofLoan.min);
  if (loan > ofLoan.max) return beyond(RejectReason.loanTooLarge, loanCoin, ofLoan.max);
  if (pledge < ofPledge.min) return beyond(RejectReason.pledgeTooSmall, pledgeCoin, ofPledge.min);
  if (pledge > ofPledge.max) return beyond(RejectReason.pledgeTooLarge, pledgeCoin, ofPledge.max);
  return undefined;
}

function notOffered(state: State, coin: number, what: string): CommandResult {
  const name = state.coins[coin]?.coin;
  if (name === undefined) return rejected(RejectReason.unknownCoin);
  return { ...rejected(RejectReason.coinNotOffered), detail: `${name} cannot be ${what} here` };
}

function newLoan(
  state: State,
  account: Account,
  command: LoanBorrow,
  { loan, pledge, spec }: LoanOffer,
): Loan {
  const made = new Loan();
  made.id = state.nextId();
  made.account = account.index;
  made.uid = account.uid;
  made.loanCoin = command.loanCoin;
  made.pledgeCoin = command.pledgeCoin;
  made.term = command.term;
  made.hourRate = hourRate(spec, command.term);
  made.initLoan = loan;
  made.initPledge = pledge;
  made.borrowTime = state.now;
  made.expireTime = expiry(state.now, command.term);
  return made;
}

function disburse(state: State, loan: Loan, { spec }: LoanOffer): void {
  const cells = loanCells(state, loan);
  post(state, [pledging(cells, loan, loan.initPledge), lending(cells, loan)], loan.initLoan);
  loan.principal = loan.initLoan;
  loan.pledge = loan.initPledge;
  loan.chargeHour(hourRate(spec, loan.term));
  state.loans.add(loan, state.coins);
  emitLoan(state, loan, 'ONGOING');
}
