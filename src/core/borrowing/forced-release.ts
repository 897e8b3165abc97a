/**
 * Pledges pay what an account still owes when its funding wallet is empty too (rules 17.1): first what loans can spare of
 * them, then loans are closed by force for what that gives back.
 */

import { liquidateLoan } from '../loan/liquidate-loan.ts';
import { releasePledge } from '../loan/revise.ts';
import { forcePrices, releasedByForce, sparePledge } from '../margin/pledges.ts';
import type { Loan } from '../model/loan.ts';
import { assert, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { debtOf, inOrderOfPayment, liquidateCollateral } from './conversion.ts';
import { hasCrossed, type Means, payFrom, wouldPay } from './forced-payment.ts';

/** Would a pledge pay anything? */
export function hasForcedRelease(state: State, account: Account): boolean {
  if (!isBehindDebts(state, account)) return false;
  return wouldPay(state, account, spareOf(state, account)) || nextLoan(state, account) !== undefined;
}

export function payFromPledges(state: State, account: Account, enough: () => boolean): void {
  if (!isBehindDebts(state, account)) return;
  payFrom(state, account, spareOf(state, account), enough);
  while (!enough()) {
    const loan = nextLoan(state, account);
    if (loan === undefined) return;
    liquidateLoan(state, loan, pricesOf(state, loan));
    // Not only until the account is healthy: who could not pay does not go on with a debt.
    liquidateCollateral(state, account, () => false);
  }
}

function isBehindDebts({ rules, loans }: State, account: Account): boolean {
  return rules.pledgePayment && loans.countOf(account.index) > 0 && !hasCrossed(account);
}

/** What loans can spare of their pledges, of the oldest first. */
function spareOf(state: State, account: Account): Means {
  const loansIn = (coin: number) =>
    state.loans.of(account.index).filter(({ pledgeCoin }) => pledgeCoin === coin);
  return {
    held: (coin) => loansIn(coin).reduce((sum, loan) => sum + sparePledge(state, loan), 0n),
    take: (coin, amount) => {
      let left = amount;
      for (const loan of loansIn(coin)) {
        const part = smaller(left, sparePledge(state, loan));
        if (part === 0n) continue;
        releasePledge(state, loan, part, pricesOf(state, loan));
        left -= part;
      }
    },
  };
}

/** The loan to close next: a pledge in a coin that is owed, else in the order of payments; of a coin the oldest. */
function nextLoan(state: State, account: Account): Loan | undefined {
  const loans = state.loans.of(account.index).filter((loan) => releasedByForce(state, loan) > 0n);
  if (loans.length === 0) return undefined;
  const of = (coin: number) => loans.find(({ pledgeCoin }) => pledgeCoin === coin);
  const owed = loans.find(({ pledgeCoin }) => debtOf(state, account, pledgeCoin) > 0n);
  const [first] = inOrderOfPayment(state, account, (coin) => (of(coin) === undefined ? 0n : 1n));
  return owed ?? (first === undefined ? undefined : of(first));
}

function pricesOf(state: State, { loanCoin, pledgeCoin }: Loan) {
  const prices = forcePrices(state, loanCoin, pledgeCoin);
  assert(prices !== undefined, 'a pledge pays at firm prices');
  return prices;
}
