/** Paying back (rules 7.6): interest first, then principal, with the borrowed coin or out of the collateral. */
import { isConvertible } from '../margin/conversion-price.ts';
import { freshPrices, sellingPrices } from '../margin/pledges.ts';
import type { LoanRepay } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { Wallet } from '../model/enums.ts';
import { MONEY_MAX } from '../model/limits.ts';
import { levelsOf } from '../model/loan-terms.ts';
import { freePledge, soldFor } from '../model/ltv.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { smaller } from '../model/units.ts';
import { post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';
import { freeIn, insufficientBalance } from '../wallet/wallet.ts';
import { about, emit, emitLoan } from './loan-events.ts';
import { findLoan } from './loan-lookup.ts';
import { loanCells, payingCash, payingCollateral, unpledging } from './loan-money.ts';

export function repayLoan(state: State, command: LoanRepay): CommandResult {
  const found = findLoan(state, command);
  if ('rejectReason' in found) return found;
  const { account, loan } = found;
  if (!command.all && (command.amount <= 0n || command.amount > MONEY_MAX))
    return rejected(RejectReason.amountOutOfRange);
  // The debt at this instant is the maximum: the client may have read an older one.
  const amount = command.all ? loan.debt() : smaller(command.amount, loan.debt());
  // A repayment in the borrowed coin needs no price, but without firm prices no collateral is returned before the end.
  const prices = freshPrices(state, loan.loanCoin, loan.pledgeCoin);
  if (command.fromPledge && prices === undefined) return rejected(RejectReason.noCoinPrice);
  if (command.fromPledge && !isConvertible(state, loan.loanCoin, loan.pledgeCoin))
    return rejected(RejectReason.conversionPriceOld);
  const sold = command.fromPledge ? soldFor(amount, sellingPrices(state, loan, false)) : 0n;
  if (sold > loan.pledge) return insufficientBalance(loan.pledgeCoin, loan.pledge);
  const free = freeIn(state, account, loan.loanCoin, Wallet.unified);
  if (!command.fromPledge && free < amount) return insufficientBalance(loan.loanCoin, free);

  const interest = smaller(amount, loan.interestOwed());
  const principal = amount - interest;
  state.keepForReads(account.index);
  loan.interestPaid += interest;
  loan.principal -= principal;
  loan.pledge -= sold;
  const done = loan.principal === 0n && loan.interestOwed() === 0n;
  const { init } = levelsOf(state.coins[loan.pledgeCoin]!.pledge!);
  const unlocked = done
    ? loan.pledge
    : command.unlock && prices !== undefined
      ? freePledge(loan.debt(), loan.pledge, init, prices)
      : 0n;
  loan.pledge -= unlocked;
  const cells = loanCells(state, loan);
  const payment = command.fromPledge
    ? payingCollateral(cells, sold, interest, principal)
    : payingCash(cells, loan, interest, principal);
  post(state, [...payment, unpledging(cells, loan, unlocked)], amount + unlocked);
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
