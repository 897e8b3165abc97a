/** Closing a loan by force (rules 7.5): collateral is sold for the debt and a fee, the rest goes back. */
import { drawLendingFund } from '../margin/insurance-fund.ts';
import { forcedSale } from '../margin/pledges.ts';
import type { Loan } from '../model/loan.ts';
import { type PairPrices, pairPrice, shownRate } from '../model/ltv.ts';
import { smaller } from '../model/units.ts';
import { type Posting, post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';
import { about, emit, emitLoan } from './loan-events.ts';
import { type LoanCells, loanCells, payingCollateral, unpledging } from './loan-money.ts';

export function liquidateLoan(state: State, loan: Loan, prices: PairPrices): void {
  state.settleOpenWork(state.accounts[loan.account]!);
  const debt = loan.debt();
  const owed = loan.interestOwed();
  const rate = shownRate(debt, loan.pledge, prices);
  const { selling, sold, proceeds } = forcedSale(state, loan);
  const paid = smaller(debt, proceeds);
  const interest = smaller(paid, owed);
  const fee = proceeds - paid;
  const unlocked = loan.pledge - sold;
  const cells = loanCells(state, loan);
  post(
    state,
    [
      ...payingCollateral(cells, sold, interest, paid - interest),
      { from: cells.converted, to: state.rules.fundReach ? cells.insurance : cells.fee, amount: fee },
      coverShortage(state, cells, loan, loan.principal - (paid - interest)),
      unpledging(cells, loan, unlocked),
    ],
    sold + paid,
  );
  loan.pledge = 0n;
  loan.principal = 0n;
  state.loans.remove(loan);
  const price = pairPrice(selling);
  const reduceId = state.nextId();
  emit(state, {
    type: 'loanReduced',
    reduceId,
    ...about(state, loan),
    rate,
    price,
    sold,
    fee,
    unlocked,
    paid,
  });
  emitLoan(state, loan, 'FORCE');
}

/** Principal that the collateral did not bring in: the lending fund pays what it may, the pool bears the rest. */
function coverShortage(state: State, cells: LoanCells, { loanCoin }: Loan, missing: bigint): Posting {
  const paid = drawLendingFund(state, loanCoin, missing);
  state.loans.lose(loanCoin, missing - paid);
  return { from: cells.insurance, to: cells.pool, amount: paid };
}
