/** Finds a loan of the account that sends the command. */

import { type CommandResult, rejected } from '../model/command-result.ts';
import type { Loan } from '../model/loan.ts';
import { RejectReason } from '../model/reject-reason.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

export function findLoan(
  state: State,
  { uid, loanId }: { readonly uid: number; readonly loanId: number },
): { readonly account: Account; readonly loan: Loan } | CommandResult {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  if (account.liquidating) return rejected(RejectReason.accountLiquidating);
  const loan = state.loans.loans.get(loanId);
  if (loan === undefined || loan.uid !== uid) return rejected(RejectReason.unknownLoan);
  return { account, loan };
}
