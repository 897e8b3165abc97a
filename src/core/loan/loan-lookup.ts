/** A loan of the one who asks. */
import type { Account } from '../state/account.ts';
import { type Outcome, refused } from '../model/command-result.ts';
import { Refusal } from '../model/reject-reason.ts';
import type { State } from '../state/state.ts';
import type { Loan } from '../model/loan.ts';

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
