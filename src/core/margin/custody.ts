/** Nobody lends or pays out what is not there (rules 13.5): what the venue holds of a coin. */
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { divFloor, larger, RATE_ONE, smaller } from '../model/units.ts';
import type { State } from '../state/state.ts';

/** Everything that came in from the outside world and has not gone back. */
export function custodyOf({ ledger }: State, coin: number): bigint {
  return -ledger.balanceOf(SystemAccount.external, coin, Bucket.cash);
}

/** Without what withdrawals under way will take. */
export function freeCustody(state: State, coin: number): bigint {
  return custodyOf(state, coin) - state.withdrawals.pendingOf(coin);
}

/** May so much leave the venue? In the first edition custody was not asked. */
export function isInCustody(state: State, coin: number, amount: bigint): boolean {
  return !state.rules.custodyLimits || amount <= freeCustody(state, coin);
}

/** What all accounts together may owe of a coin by borrowing it. */
export function lendingLimit(state: State, coin: number): bigint {
  const { poolLimit, lendShare } = state.lending[coin]!.terms;
  if (!state.rules.custodyLimits) return poolLimit;
  return smaller(poolLimit, larger(0n, divFloor(freeCustody(state, coin) * lendShare, RATE_ONE)));
}
