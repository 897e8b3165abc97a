/** Coins in custody of the venue: it lends and pays out no more than it holds (rules 13.5). */
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { divFloor, larger, RATE_ONE, smaller } from '../model/units.ts';
import type { State } from '../state/state.ts';

/** Everything that came in from the outside world and has not gone back. */
export function custodyOf({ ledger }: State, coin: number): bigint {
  return -ledger.balanceOf(SystemAccount.external, coin, Bucket.cash);
}

/** Less pending withdrawals. */
export function freeCustody(state: State, coin: number): bigint {
  return custodyOf(state, coin) - state.withdrawals.pendingOf(coin);
}

/** Does custody cover the payout of an amount? The first edition did not check it. */
export function isInCustody(state: State, coin: number, amount: bigint): boolean {
  return !state.rules.custodyLimits || amount <= freeCustody(state, coin);
}

/** What all accounts together may owe of a coin by borrowing it. */
export function lendingLimit(state: State, coin: number): bigint {
  const { poolLimit, lendShare } = state.lending[coin]!.terms;
  if (!state.rules.custodyLimits) return poolLimit;
  return smaller(poolLimit, larger(0n, divFloor(freeCustody(state, coin) * lendShare, RATE_ONE)));
}
