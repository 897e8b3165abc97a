/** Withdrawals under way, client ids of transfers, and loans. */
import { Loan } from '../model/loan.ts';
import { blankWithdrawal, withdrawalFields } from '../model/pending-withdrawal.ts';
import type { RecentClientIds } from '../state/recent-client-ids.ts';
import type { State } from '../state/state.ts';
import { list, mapByNumber, type StateFields } from './fields.ts';

export function walletFields(f: StateFields, state: State): void {
  list(f, [...state.withdrawals.values()], (known) => {
    const withdrawal = known ?? blankWithdrawal();
    withdrawalFields(f, withdrawal);
    if (f.reading) state.withdrawals.set(withdrawal.id, withdrawal);
    return withdrawal;
  });
  clientIdFields(f, state.transferOids);
  clientIdFields(f, state.depositReferences);
}

function clientIdFields(f: StateFields, recent: RecentClientIds): void {
  const ids = list(f, recent.recent(), (id = '') => f.uidText(id));
  if (f.reading) for (const id of ids) recent.remember(id);
}

export function loanFields(f: StateFields, { loans, coins }: State): void {
  list(f, [...loans.loans.values()], (known) => {
    const loan = known ?? new Loan();
    loan.fields(f);
    if (f.reading) loans.add(loan, coins);
    return loan;
  });
  for (const sums of [loans.funded, loans.lost]) {
    const entries = mapByNumber(f, sums, (coin, amount) => [f.u16(coin), f.money(amount ?? 0n)]);
    if (f.reading) for (const [coin, amount] of entries) sums.set(coin, amount);
  }
}
