/** How near accounts are to liquidation: what the monitor of liquidations knows, without a look at every account. */

import type { LiquidationMonitor } from '../liquidation/liquidation-monitor.ts';
import { accountRisk } from '../margin/margin-cache.ts';
import { divCeil, RATE_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

export interface AccountRatio {
  readonly uid: number;
  /** Maintenance margin over collateral, 10^-12; undefined when there is no collateral left. */
  readonly ratio: bigint | undefined;
  /** The least relative move of all prices that could bring it to liquidation, 10^-9; Infinity = none can. */
  readonly move: number;
  /** Dollars, 10^-8. */
  readonly effective: bigint;
  readonly maintenance: bigint;
  readonly positions: number;
}

/** Accounts with positions or debts, each in one of the levels. */
export interface RiskLevels {
  /** At their liquidation level, which waits for a price that can be relied on. */
  readonly due: number;
  /** At their warning level (rules 6.4). */
  readonly warned: number;
  /** The others by how far all prices may move before one can be warned: below each limit, and farther. */
  readonly calm: readonly number[];
}

export function riskLevels(state: State, monitor: LiquidationMonitor, limits: readonly number[]): RiskLevels {
  let due = 0;
  for (const account of monitor.warnedAccounts) {
    const ratio = ratioOf(state, account);
    if (ratio === undefined || ratio >= RATE_ONE) due++;
  }
  const warned = monitor.warnedAccounts.size - due;
  const below = limits.map((limit) => monitor.calmWithin(limit));
  const calm = [...below, monitor.size - due - warned].map((count, n) => count - (below[n - 1] ?? 0));
  return { due, warned, calm };
}

/** The nearest first. */
export function nearestToLiquidation(
  state: State,
  monitor: LiquidationMonitor,
  count: number,
): AccountRatio[] {
  return monitor.nearest(count).map(({ account, move }) => {
    const { effective, maintenance } = accountRisk(state, account);
    const { uid, positions } = account;
    return { uid, ratio: ratioOf(state, account), move, effective, maintenance, positions: positions.size };
  });
}

function ratioOf(state: State, account: Account): bigint | undefined {
  const { effective, maintenance } = accountRisk(state, account);
  if (maintenance === 0n) return 0n;
  return effective > 0n ? divCeil(maintenance * RATE_ONE, effective) : undefined;
}

/** The open positions of a contract, which a deleveraging could close. */
export interface OpenContract {
  readonly instrument: number;
  readonly holders: number;
  readonly openInterestLots: number;
}

export function openContracts(state: State): OpenContract[] {
  return state.markets.flatMap(({ instrument, holders, futures }) =>
    holders.size === 0 ? [] : { instrument, holders: holders.size, openInterestLots: futures!.openInterest },
  );
}
