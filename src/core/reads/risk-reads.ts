/** How near accounts are to liquidation: of those with a crossed position or a debt, the only ones that can get there. */

import { accountRisk } from '../margin/margin-cache.ts';
import { divCeil, RATE_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { eachHolder, holdersOf } from '../state/position-holders.ts';
import type { State } from '../state/state.ts';

export interface AccountRatio {
  readonly uid: number;
  /** Maintenance margin over collateral, 10^-12; undefined when there is no collateral left. */
  readonly ratio: bigint | undefined;
  /** Dollars, 10^-8. */
  readonly effective: bigint;
  readonly maintenance: bigint;
  readonly positions: number;
}

/** The riskiest first. */
export function marginRatios(state: State): AccountRatio[] {
  const obliged = new Set<Account>();
  for (const index of state.ledger.accountsInDebt()) obliged.add(state.accounts[index]!);
  eachHolder(state, (account) => obliged.add(account));
  return [...obliged].map((account) => ratioOf(state, account)).sort(byRatio);
}

function ratioOf(state: State, account: Account): AccountRatio {
  const { effective, maintenance } = accountRisk(state, account);
  const ratio =
    maintenance === 0n ? 0n : effective > 0n ? divCeil(maintenance * RATE_ONE, effective) : undefined;
  return { uid: account.uid, ratio, effective, maintenance, positions: account.positions.size };
}

function byRatio(a: AccountRatio, b: AccountRatio): number {
  if (a.ratio === b.ratio) return a.uid - b.uid;
  if (a.ratio === undefined) return -1;
  if (b.ratio === undefined) return 1;
  return a.ratio > b.ratio ? -1 : 1;
}

export interface Queue {
  readonly instrument: number;
  readonly long: number;
  readonly short: number;
}

/** Positions on each side of a contract: those that a deleveraging of the other side could close. */
export function deleveragingQueues(state: State): Queue[] {
  return state.markets.flatMap(({ instrument, holders }) => {
    if (holders.size === 0) return [];
    const positions = holdersOf(state, instrument);
    const long = positions.filter(({ position }) => position.long).length;
    return { instrument, long, short: positions.length - long };
  });
}
