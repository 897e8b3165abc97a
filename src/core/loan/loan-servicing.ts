/** Timed work of loans: hourly interest, warnings of owners, forced closes (rules 7.3, 7.5). */

import { forcePrices } from '../margin/pledges.ts';
import type { Loan } from '../model/loan.ts';
import { hourRate, LoanTerm } from '../model/loan-terms.ts';
import { shownRate } from '../model/ltv.ts';
import { assert } from '../model/units.ts';
import { digestAmount } from '../state/ledger-lines.ts';
import type { State } from '../state/state.ts';
import { liquidateLoan } from './liquidate-loan.ts';
import { about, emit } from './loan-events.ts';

/** Charges the hours that begin now, each once, and marks loans whose term has ended. */
export function accrueDue(state: State): void {
  const { loans, now } = state;
  // Loans that are due together are mostly of one coin.
  let coin = -1;
  let rate = 0n;
  for (let loan = dueLoan(state); loan !== undefined; loan = dueLoan(state)) {
    if (loan.expireTime !== 0 && !loan.overdue && loan.expireTime < now) {
      loan.overdue = true;
      emit(state, { type: 'loanNotice', ...about(state, loan), kind: 'overdue', rate: 0n });
    }
    if (loan.nextHour() <= now) {
      if (loan.loanCoin !== coin) {
        coin = loan.loanCoin;
        rate = hourRate(state.coins[coin]!.loan!, LoanTerm.flexible);
      }
      state.keepForReads(loan.account);
      digestAmount(state, loan.chargeHour(rate));
    }
    loans.changed(loan);
  }
}

function dueLoan({ loans, now }: State): Loan | undefined {
  return loans.nextInstant() <= now ? loans.next() : undefined;
}

/** Undefined when all are looked at with one command. Since the ninth edition they count twice as much (rules 19.3). */
function loanPortion({ rules, portion }: State): number | undefined {
  if (!rules.riskPortions) return undefined;
  return rules.smallerPortions ? Math.ceil(portion / 2) : portion;
}

/**
 * After prices, hours or pledges have changed: warns owners and closes loans at or above the force level. A stale price
 * neither warns nor closes, as it liquidates nobody (rules 5.14). What exceeds a portion waits for the next tick (rules 18.2).
 */
export function checkLoans(state: State): void {
  const { loans } = state;
  state.loanChecksPending = false;
  if (loans.size === 0) return;
  const pricesOf = (loanCoin: number, pledgeCoin: number) => forcePrices(state, loanCoin, pledgeCoin);
  const { warned, forced, complete } = loans.crossings(pricesOf, loanPortion(state));
  state.loanChecksPending = !complete;
  for (const loan of warned) {
    const prices = pricesOf(loan.loanCoin, loan.pledgeCoin)!;
    const rate = shownRate(loan.debt(), loan.pledge, prices);
    emit(state, { type: 'loanNotice', ...about(state, loan), kind: 'supplement', rate });
  }
  for (const loan of forced) {
    const prices = pricesOf(loan.loanCoin, loan.pledgeCoin);
    assert(prices !== undefined, 'a loan is closed at firm prices');
    liquidateLoan(state, loan, prices);
  }
}
