/** The insurance fund of a coin pays what it has and never more (rules 5.11, I03). */
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { larger } from '../model/units.ts';
import type { State } from '../state/state.ts';

/** Amount that the fund can pay now. */
export function fundBalance({ ledger }: State, coin: number): bigint {
  return larger(0n, ledger.peek(SystemAccount.insurance, coin, Bucket.cash));
}
