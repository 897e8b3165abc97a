/** Accounts that limits count together (rules 13.9, 13.10 (f)). */

import type { Account } from './account.ts';
import { PartySums } from './party-sums.ts';
import type { State } from './state.ts';

/**
 * The accounts of one owner, the main account first. Sub-accounts of a broker belong to different people, and house
 * accounts to the venue: each of these is alone.
 */
export function partyOf(state: State, account: Account): readonly Account[] {
  const main = state.accounts[account.party]!;
  if (account.house || main.broker) return [account];
  return [main, ...main.subAccounts].filter(({ house }) => !house);
}

/** The sums of an account's party; undefined when it is alone. */
export function partySums(state: State, account: Account): PartySums | undefined {
  const main = state.accounts[account.party]!;
  if (main.subAccounts.length === 0 || main.broker || account.house) return undefined;
  const known = main.partySums;
  if (known !== undefined) return known;
  const sums = new PartySums(partyOf(state, account));
  for (const member of sums.members) member.partySums = sums;
  main.partySums = sums;
  return sums;
}

/** An account has joined, or the main account has become a broker or ceased to be one. */
export function forgetPartySums(main: Account): void {
  main.partySums = undefined;
  for (const sub of main.subAccounts) sub.partySums = undefined;
}
