/** More or less collateral for a loan (rules 7.4). Adding is always allowed, taking out down to the first rate. */
import type { LoanRevise } from '../model/command.ts';
import { MONEY_MAX } from '../model/limits.ts';
import { DONE, type Outcome, refused } from '../model/command-result.ts';
import { Refusal } from '../model/reject-reason.ts';
import type { State } from '../state/state.ts';
import { Wallet } from '../model/enums.ts';
import { emitLine, foldMoney, freeIn, shortOf } from '../wallet/wallet.ts';
import { findLoan } from './loan-lookup.ts';
import { firmPrices, loanCells, pairPrices } from './loan-money.ts';
import { about, emit } from './loan-events.ts';
import { levelsOf } from '../model/loan-terms.ts';
import { freePledge, shownRate } from '../model/ltv.ts';
import { release } from './repay.ts';

export function revisePledge(state: State, command: LoanRevise): Outcome {
  const found = findLoan(state, command);
  if ('refusal' in found) return found;
  const { account, loan } = found;
  const { amount, into } = command;
  if (command.pledgeCoin !== loan.pledgeCoin) return refused(Refusal.otherPledgeCoin);
  if (amount <= 0n || amount > MONEY_MAX) return refused(Refusal.amountOutOfRange);
  // More is always welcome, and its rates are shown at the last prices there were.
  const prices = (into ? pairPrices : firmPrices)(state, loan.loanCoin, loan.pledgeCoin);
  if (prices === undefined) return refused(Refusal.noCoinPrice);
  const { init } = levelsOf(state.coins[loan.pledgeCoin]!.pledge!);
  if (into) {
    const free = freeIn(state, account, loan.pledgeCoin, Wallet.unified);
    if (free < amount) return shortOf(loan.pledgeCoin, free);
  } else {
    const free = freePledge(loan.debt(), loan.pledge, init, prices);
    if (amount > free) return { ...refused(Refusal.pledgeNeeded), coin: loan.pledgeCoin, available: free };
  }

  const before = shownRate(loan.debt(), loan.pledge, prices);
  if (into) {
    const cells = loanCells(state, loan);
    state.ledger.move(cells.pledgeCash, cells.pledge, amount);
    loan.pledge += amount;
    emitLine(state, account, Wallet.unified, loan.pledgeCoin, 'pledgeOut', -amount, String(loan.id));
  } else release(state, loan, amount);
  state.loans.changed(loan);
  foldMoney(state, amount);
  const after = shownRate(loan.debt(), loan.pledge, prices);
  const reviseId = state.nextId();
  emit(state, { type: 'pledgeRevised', reviseId, ...about(state, loan), into, amount, before, after });
  return { ...DONE, orderId: loan.id, pledgeRate: after };
}
