/** More or less collateral for a loan (rules 7.4). Its owner may always add, and remove down to the initial rate. */
import { freshPrices, pairPrices } from '../margin/pledges.ts';
import type { LoanRevise } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { Wallet } from '../model/enums.ts';
import { MONEY_MAX } from '../model/limits.ts';
import type { Loan } from '../model/loan.ts';
import { levelsOf } from '../model/loan-terms.ts';
import { freePledge, type PairPrices, shownRate } from '../model/ltv.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';
import { freeIn, insufficientBalance } from '../wallet/wallet.ts';
import { about, emit } from './loan-events.ts';
import { findLoan } from './loan-lookup.ts';
import { loanCells, pledging, unpledging } from './loan-money.ts';

export function revisePledge(state: State, command: LoanRevise): CommandResult {
  const found = findLoan(state, command);
  if ('rejectReason' in found) return found;
  const { account, loan } = found;
  const { amount, into } = command;
  if (command.pledgeCoin !== loan.pledgeCoin) return rejected(RejectReason.otherPledgeCoin);
  if (amount <= 0n || amount > MONEY_MAX) return rejected(RejectReason.amountOutOfRange);
  // Collateral can be added at stale prices too; the reported rates are those of the last prices.
  const prices = (into ? pairPrices : freshPrices)(state, loan.loanCoin, loan.pledgeCoin);
  if (prices === undefined) return rejected(RejectReason.noCoinPrice);
  const { init } = levelsOf(state.coins[loan.pledgeCoin]!.pledge!);
  if (into) {
    const free = freeIn(state, account, loan.pledgeCoin, Wallet.unified);
    if (free < amount) return insufficientBalance(loan.pledgeCoin, free);
  } else {
    const free = freePledge(loan.debt(), loan.pledge, init, prices);
    if (amount > free)
      return { ...rejected(RejectReason.pledgeNeeded), coin: loan.pledgeCoin, available: free };
  }

  return { ...OK, orderId: loan.id, pledgeRate: change(state, loan, into, amount, prices) };
}

/** Collateral that its loan can spare goes back without being asked for (rules 17.1). */
export function releasePledge(state: State, loan: Loan, amount: bigint, prices: PairPrices): void {
  change(state, loan, false, amount, prices);
}

/** Returns the pledge rate that it leaves. */
function change(state: State, loan: Loan, into: boolean, amount: bigint, prices: PairPrices): bigint {
  const before = shownRate(loan.debt(), loan.pledge, prices);
  const cells = loanCells(state, loan);
  post(state, into ? pledging(cells, loan, amount) : unpledging(cells, loan, amount));
  loan.pledge += into ? amount : -amount;
  state.loans.changed(loan);
  const after = shownRate(loan.debt(), loan.pledge, prices);
  const reviseId = state.nextId();
  emit(state, { type: 'pledgeRevised', reviseId, ...about(state, loan), into, amount, before, after });
  return after;
}
