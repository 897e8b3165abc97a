/** Events of pledge loans: status, repayments, moved collateral, notices and forced closes. */
import type { LoanEvent, LoanStatus } from '../model/event.ts';
import type { Loan } from '../model/loan.ts';
import type { State } from '../state/state.ts';

export function emitLoan(state: State, loan: Loan, status: LoanStatus): void {
  const { id, uid, loanCoin, pledgeCoin, term, hourRate, initLoan, initPledge, borrowTime } = loan;
  emit(state, {
    type: 'loan',
    loanId: id,
    uid,
    loanCoin,
    pledgeCoin,
    term,
    hourRate,
    initLoan,
    initPledge,
    status,
    borrowTime,
    updatedTime: state.now,
  });
}

/** Fields that all events of a loan share. */
export function about(state: State, { id, uid, loanCoin, pledgeCoin }: Loan) {
  return { loanId: id, uid, loanCoin, pledgeCoin, time: state.now };
}

/** Accounts of the house keep no history. */
export function emit(state: State, event: LoanEvent): void {
  if (state.accountByUid.get(event.uid)?.house !== true) state.emit(event);
}
