/** The ledger for readers outside the core: one bucket, or all rows. */
import type { Bucket } from '../model/ledger-accounts.ts';
import type { ConsistentLedgerRead, RowVisit } from '../state/consistent-ledger-read.ts';
import type { State } from '../state/state.ts';

export type { RowVisit };

/** One bucket of an account, which is named by its number in the ledger. */
export function bucketBalance(state: State, account: number, coin: number, bucket: Bucket): bigint {
  return state.ledger.balanceOf(account, coin, bucket);
}

/** Coins that the account has ever held, ascending. */
export function coinsEverHeld(state: State, account: number): readonly number[] {
  return state.ledger.coinsOf(account);
}

/** Visits every row: account ascending, coin ascending. */
export function eachLedgerRow(state: State, visit: RowVisit): void {
  state.ledger.eachRow(visit);
}

/** A read of the ledger as it is now, which may span many commands; the reader must close it. */
export function beginLedgerRead(state: State): ConsistentLedgerRead {
  return state.ledger.beginRead();
}
