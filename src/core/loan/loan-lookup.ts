/** A loan of the one who asks. */
import type { Account } from '../account.ts';
import { type Outcome, refused } from '../outcome.ts';
import { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import type { Loan } from './loan.ts';

export function findLoan(
  state: State,
  { uid, loanId }: { readonly uid: number; readonly loanId: number },
): { readonly account: Account; readonly loan: Loan } | Outcome {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return refused(Refusal.unknownAccount);
  if (account.liquidating) return refused(Refusal.accountLiquidating);
  const loan = state.loans.loans.get(loanId);
  if (loan === undefined || loan.uid !== uid) return refused(Refusal.unknownLoan);
  return { account, loan };
}
