/** Questions about loans: what is offered, what is owed and pledged now. Nothing here changes anything. */

import { type CoinBounds, coinBounds, type LoanRequest, offerFor } from '../loan/borrow.ts';
import { usdtPrice } from '../loan/loan-money.ts';
import { pairPrices } from '../margin/pledges.ts';
import type { CommandResult } from '../model/command-result.ts';
import { HOUR_MS, type Loan } from '../model/loan.ts';
import {
  boundsOf,
  hourRate,
  type LoanSpec,
  LoanTerm,
  levelsOf,
  type PledgeLevels,
  type PledgeSpec,
} from '../model/loan-terms.ts';
import { shownRate } from '../model/ltv.ts';
import { divCeil, divHalf, RATE_ONE } from '../model/units.ts';
import type { State } from '../state/state.ts';

export { poolBalance } from '../loan/loan-money.ts';

export interface OngoingLoan {
  readonly loan: Loan;
  readonly levels: PledgeLevels;
  /** Of the hour that runs, 10^-12. */
  readonly hourRate: bigint;
  /** 10^-2 percent; 0 while a price is missing. */
  readonly pledgeRate: bigint;
}

export interface LoanFilter {
  readonly loanId?: number | undefined;
  readonly loanCoin?: number | undefined;
  readonly pledgeCoin?: number | undefined;
}

/** Newest first. */
export function ongoingLoans(state: State, uid: number, filter: LoanFilter = {}): OngoingLoan[] {
  const { loanId, loanCoin, pledgeCoin } = filter;
  return ownLoans(state, uid)
    .filter(
      (loan) =>
        (loanId === undefined || loan.id === loanId) &&
        (loanCoin === undefined || loan.loanCoin === loanCoin) &&
        (pledgeCoin === undefined || loan.pledgeCoin === pledgeCoin),
    )
    .reverse()
    .map((loan) => {
      const prices = pairPrices(state, loan.loanCoin, loan.pledgeCoin);
      return {
        loan,
        levels: levelsOf(state.coins[loan.pledgeCoin]!.pledge!),
        hourRate: presentRate(state, loan),
        pledgeRate: prices === undefined ? 0n : shownRate(loan.debt(), loan.pledge, prices),
      };
    });
}

export interface CoinDebt {
  readonly coin: number;
  readonly amount: bigint;
  /** 10^-2 USDT. */
  readonly usdt: bigint;
}

/** Per coin, what all ongoing loans of an account owe and what is pledged for them (rules 7.7). */
export function loanDebts(state: State, uid: number): { loans: CoinDebt[]; pledges: CoinDebt[] } {
  const owed = new Map<number, bigint>();
  const pledged = new Map<number, bigint>();
  for (const loan of ownLoans(state, uid)) {
    owed.set(loan.loanCoin, (owed.get(loan.loanCoin) ?? 0n) + loan.debt());
    pledged.set(loan.pledgeCoin, (pledged.get(loan.pledgeCoin) ?? 0n) + loan.pledge);
  }
  return { loans: inUsdt(state, owed), pledges: inUsdt(state, pledged) };
}

export interface LoanQuote {
  readonly loan: bigint;
  readonly pledge: bigint;
  /** Interest of the first hour. */
  readonly hourInterest: bigint;
}

/** What a loan would be and cost, or why there is none. */
export function loanQuote(state: State, request: LoanRequest, term: LoanTerm): LoanQuote | CommandResult {
  const offer = offerFor(state, request);
  if ('rejectReason' in offer) return offer;
  const { loan, pledge, spec } = offer;
  return { loan, pledge, hourInterest: divCeil(loan * hourRate(spec, term), RATE_ONE) };
}

export interface Offered<Spec> {
  readonly coin: number;
  readonly spec: Spec;
  /** In the coin, at present prices. */
  readonly bounds: CoinBounds;
}

/** Everything that can be borrowed and pledged, or one coin of it. */
export function loanOffers(
  state: State,
  only?: number,
): { loans: Offered<LoanSpec>[]; pledges: Offered<PledgeSpec>[] } {
  const loans: Offered<LoanSpec>[] = [];
  const pledges: Offered<PledgeSpec>[] = [];
  for (const [coin, { loan, pledge }] of state.coins.entries()) {
    if (only !== undefined && only !== coin) continue;
    if (loan !== undefined) loans.push({ coin, spec: loan, bounds: coinBounds(state, coin, boundsOf(loan)) });
    if (pledge !== undefined)
      pledges.push({ coin, spec: pledge, bounds: coinBounds(state, coin, boundsOf(pledge)) });
  }
  return { loans, pledges };
}

function ownLoans(state: State, uid: number): Loan[] {
  const account = state.accountByUid.get(uid);
  return account === undefined ? [] : state.loans.of(account.index);
}

/** A fixed rate doubles when the term is over; a flexible one is the present rate. */
function presentRate(state: State, loan: Loan): bigint {
  if (loan.term === LoanTerm.flexible) return hourRate(state.coins[loan.loanCoin]!.loan!, loan.term);
  return loan.fixedRate(loan.nextHour() - HOUR_MS);
}

function inUsdt(state: State, amounts: ReadonlyMap<number, bigint>): CoinDebt[] {
  const usdt = usdtPrice(state);
  return [...amounts]
    .sort(([a], [b]) => a - b)
    .map(([coin, amount]) => {
      const price = state.coinPrices[coin] ?? 0n;
      return { coin, amount, usdt: divHalf(amount * price, usdt * 10n ** 6n) };
    });
}
