/** How near accounts are to liquidation: what the monitor of liquidations knows, without a look at every account. */

import type { LiquidationMonitor } from '../liquidation/liquidation-monitor.ts';
import { isolatedInQuote, maintenanceAt, markTicks, unrealisedOf } from '../margin/margin.ts';
import { accountRisk } from '../margin/margin-cache.ts';
import { divCeil, RATE_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** What has the highest ratio in an account: its crossed part, or one of its isolated positions. */
interface NearestPart {
  /** The contract of an isolated position; undefined for the crossed part. */
  readonly isolated: number | undefined;
  /** Maintenance margin over collateral, 10^-12; undefined when there is no collateral left. */
  readonly ratio: bigint | undefined;
  /** Dollars, 10^-8; of an isolated position in its quote coin. */
  readonly effective: bigint;
  readonly maintenance: bigint;
}

export interface AccountRatio extends NearestPart {
  readonly uid: number;
  /** The least relative move of all prices that could bring it to liquidation, 10^-9; Infinity = none can. */
  readonly move: number;
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
    const { ratio } = nearestPart(state, account);
    if (ratio === undefined || ratio >= RATE_ONE) due++;
  }
  const warned = monitor.warnedAccounts.size - due;
  const below = limits.map((limit) => monitor.countToCheckWithin(limit));
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
    const { uid, positions } = account;
    return { ...nearestPart(state, account), uid, move, positions: positions.size };
  });
}

function nearestPart(state: State, account: Account): NearestPart {
  const { effective, maintenance } = accountRisk(state, account);
  let nearest = partOf(undefined, effective, maintenance);
  for (const position of account.positions.values()) {
    if (!position.isolated) continue;
    const instrument = state.instruments[position.instrument]!;
    const part = partOf(
      instrument.index,
      isolatedInQuote(state, position) + unrealisedOf(state, position),
      maintenanceAt(instrument, markTicks(state, instrument), position.lots),
    );
    if (isNearer(part.ratio, nearest.ratio)) nearest = part;
  }
  return nearest;
}

function partOf(isolated: number | undefined, effective: bigint, maintenance: bigint): NearestPart {
  return { isolated, ratio: ratioOf(effective, maintenance), effective, maintenance };
}

function ratioOf(effective: bigint, maintenance: bigint): bigint | undefined {
  if (maintenance === 0n) return 0n;
  return effective > 0n ? divCeil(maintenance * RATE_ONE, effective) : undefined;
}

function isNearer(ratio: bigint | undefined, other: bigint | undefined): boolean {
  return other !== undefined && (ratio === undefined || ratio > other);
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
