/** Paying back (rules 7.6): interest first, then principal, with the borrowed coin or out of the collateral. */
import type { LoanRepay } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { Wallet } from '../model/enums.ts';
import { MONEY_MAX } from '../model/limits.ts';
import type { Loan } from '../model/loan.ts';
import { levelsOf } from '../model/loan-terms.ts';
import { freePledge, soldFor } from '../model/ltv.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { smaller } from '../model/units.ts';
import { digestAmount, emitLedgerLine } from '../state/ledger-lines.ts';
import type { State } from '../state/state.ts';
import { freeIn, shortOf } from '../wallet/wallet.ts';
import { about, emit, emitLoan } from './loan-events.ts';
import { findLoan } from './loan-lookup.ts';
import { firmPrices, loanCells } from './loan-money.ts';

export function repay(state: State, command: LoanRepay): CommandResult {
  const found = findLoan(state, command);
  if ('rejectReason' in found) return found;
  const { account, loan } = found;
  if (!command.all && (command.amount <= 0n || command.amount > MONEY_MAX))
    return rejected(RejectReason.amountOutOfRange);
  // Interest may have grown since the client asked: nobody pays more than is owed.
  const amount = command.all ? loan.debt() : smaller(command.amount, loan.debt());
  // Who pays with the borrowed coin needs no price; what could be unlocked stays while there is no firm one.
  const prices = firmPrices(state, loan.loanCoin, loan.pledgeCoin);
  if (command.fromPledge && prices === undefined) return rejected(RejectReason.noCoinPrice);
  const sold = command.fromPledge && prices !== undefined ? soldFor(amount, prices) : 0n;
  if (sold > loan.pledge) return shortOf(loan.pledgeCoin, loan.pledge);
  const free = freeIn(state, account, loan.loanCoin, Wallet.unified);
  if (!command.fromPledge && free < amount) return shortOf(loan.loanCoin, free);

  const interest = smaller(amount, loan.interestOwed());
  const principal = amount - interest;
  if (command.fromPledge) payFromPledge(state, loan, sold, interest, principal);
  else payFromCash(state, loan, interest, principal);
  loan.interestPaid += interest;
  loan.principal -= principal;
  const done = loan.principal === 0n && loan.interestOwed() === 0n;
  const { init } = levelsOf(state.coins[loan.pledgeCoin]!.pledge!);
  const unlocked = done
    ? loan.pledge
    : command.unlock && prices !== undefined
      ? freePledge(loan.debt(), loan.pledge, init, prices)
      : 0n;
  release(state, loan, unlocked);
  digestAmount(state, amount + unlocked);
  emit(state, {
    type: 'loanRepaid',
    repayId: state.nextId(),
    ...about(state, loan),
    interest,
    principal,
    unlocked,
  });
  if (done) {
    state.loans.remove(loan);
    emitLoan(state, loan, 'REPAY');
  } else state.loans.changed(loan);
  return { ...OK, orderId: loan.id, repaid: { interest, principal, unlocked } };
}

function payFromCash(state: State, loan: Loan, interest: bigint, principal: bigint): void {
  const cells = loanCells(state, loan);
  const account = state.accounts[loan.account]!;
  const pay = (to: number, kind: 'loanInterest' | 'loanOut', amount: bigint) => {
    if (amount === 0n) return;
    state.ledger.move(cells.cash, to, amount);
    emitLedgerLine(state, account, Wallet.unified, loan.loanCoin, kind, -amount, String(loan.id));
  };
  pay(cells.interest, 'loanInterest', interest);
  pay(cells.pool, 'loanOut', principal);
}

/** The house buys the collateral at the index price and pays the debt with what it is worth. */
export function payFromPledge(
  state: State,
  loan: Loan,
  sold: bigint,
  interest: bigint,
  principal: bigint,
): void {
  const cells = loanCells(state, loan);
  state.ledger.move(cells.pledge, cells.sold, sold);
  loan.pledge -= sold;
  state.ledger.move(cells.converted, cells.interest, interest);
  state.ledger.move(cells.converted, cells.pool, principal);
}

/** Gives collateral back to its owner's cash. */
export function release(state: State, loan: Loan, amount: bigint): void {
  if (amount === 0n) return;
  const cells = loanCells(state, loan);
  state.ledger.move(cells.pledge, cells.pledgeCash, amount);
  loan.pledge -= amount;
  const account = state.accounts[loan.account]!;
  emitLedgerLine(state, account, Wallet.unified, loan.pledgeCoin, 'pledgeIn', amount, String(loan.id));
}
