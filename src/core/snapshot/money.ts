/** Withdrawals under way, client ids of transfers, and loans in a snapshot. */
import type { ByteReader, ByteWriter } from '../model/bytes.ts';
import { Loan } from '../model/loan.ts';
import { blankWithdrawal, withdrawalFields } from '../model/pending-withdrawal.ts';
import type { RecentOids } from '../state/recent-client-ids.ts';
import type { State } from '../state/state.ts';

export function saveWallets(w: ByteWriter, state: State): void {
  w.i32(state.withdrawals.size);
  for (const withdrawal of state.withdrawals.values()) withdrawalFields(w, withdrawal);
  saveOids(w, state.transferOids);
  saveOids(w, state.depositReferences);
}

export function saveLoans(w: ByteWriter, { loans }: State): void {
  w.i32(loans.size);
  for (const loan of loans.loans.values()) loan.fields(w);
  for (const sums of [loans.funded, loans.lost]) {
    w.i32(sums.size);
    for (const [coin, amount] of [...sums].sort((a, b) => a[0] - b[0])) {
      w.u16(coin);
      w.money(amount);
    }
  }
}

export function loadLoans(r: ByteReader, { loans, coins }: State): void {
  for (let left = r.i32(0); left > 0; left--) {
    const loan = new Loan();
    loan.fields(r);
    loans.add(loan, coins);
  }
  for (const sums of [loans.funded, loans.lost]) {
    for (let left = r.i32(0); left > 0; left--) sums.set(r.u16(0), r.money(0n));
  }
}

function saveOids(w: ByteWriter, known: RecentOids): void {
  const oids = known.recent();
  w.i32(oids.length);
  for (const oid of oids) w.text(oid);
}

export function loadWallets(r: ByteReader, state: State): void {
  for (let left = r.i32(0); left > 0; left--) {
    const withdrawal = blankWithdrawal();
    withdrawalFields(r, withdrawal);
    state.withdrawals.set(withdrawal.id, withdrawal);
  }
  loadOids(r, state.transferOids);
  loadOids(r, state.depositReferences);
}

function loadOids(r: ByteReader, known: RecentOids): void {
  for (let left = r.i32(0); left > 0; left--) known.remember(r.text(''));
}
