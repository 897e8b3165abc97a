/**
 * What the check at the match compares (rules 13.1): effective equity and maintenance margin, of an account with other balances
 * and other positions. A fill changes one contract and one or two coins of an account that may have dozens: what these were
 * worth is taken off the kept sums, and what they would be worth is added, rounded as the whole is.
 */

import { PosSide } from '../model/enums.ts';
import { type Position, positionKey } from '../model/position.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { coinUsd } from './collateral.ts';
import { debtMaintenance } from './debts.ts';
import {
  accountEquity,
  coinEquity,
  collateralValueOf,
  inDollars,
  inSettleCoin,
  maintenanceAt,
  markTicks,
  type Risk,
  unrealisedOf,
} from './margin.ts';
import { currentMaintenance } from './margin-cache.ts';

export type MarginBuffer = Pick<Risk, 'effective' | 'maintenance'>;

/** How an account would differ. */
export interface AccountChange {
  /** By coin, what has come to the balance (cash and locked) or left it. */
  readonly coins: ReadonlyMap<number, bigint>;
  /** By key, positions that have become others or, undefined, none. */
  readonly positions: ReadonlyMap<number, Position | undefined>;
}

const POSITION_SIDES = [PosSide.none, PosSide.long, PosSide.short];

/** Undefined where the kept sums are not exact. */
export function bufferAfter(state: State, account: Account, change: AccountChange): MarginBuffer | undefined {
  const margin = currentMaintenance(state, account);
  if (Number.isNaN(margin.effective + margin.maintenance)) return undefined;
  let effective = BigInt(margin.effective);
  let maintenance = BigInt(margin.maintenance);
  for (const [coin, difference] of coinChanges(state, account, change)) {
    if (difference === 0n) continue;
    const n = margin.findCoin(coin);
    const known = n < 0 ? Number.NaN : margin.balanceOf(n) + margin.profitOf(n);
    const before = Number.isSafeInteger(known) ? BigInt(known) : coinEquity(state, account, coin);
    const after = before + difference;
    effective +=
      collateralValueOf(state, coin, after).counted - collateralValueOf(state, coin, before).counted;
    maintenance += debtMargin(state, coin, after) - debtMargin(state, coin, before);
  }
  for (const instrument of contractsOf(account, change))
    maintenance +=
      contractMargin(state, instrument, (key) => positionAfter(account, change.positions, key)) -
      contractMargin(state, instrument, (key) => account.positions.get(key));
  return { effective, maintenance };
}

/** The same as the rule has it: everything that the account holds, in big integers. */
export function bufferOf(state: State, account: Account, changes: ReadonlyMap<number, bigint>): MarginBuffer {
  const { effective, debts } = accountEquity(state, account, changes);
  let maintenance = 0n;
  for (const [coin, debt] of debts) maintenance += debtMaintenance(state, coin, debt);
  for (const [index, lots] of largerSides(account)) maintenance += contractMaintenance(state, index, lots);
  return { effective, maintenance };
}

export function positionAfter(
  account: Account,
  positions: AccountChange['positions'],
  key: number,
): Position | undefined {
  return positions.has(key) ? positions.get(key) : account.positions.get(key);
}

/** By coin, how its balance and the profit of crossed positions would change together. */
function coinChanges(
  state: State,
  account: Account,
  { coins, positions }: AccountChange,
): ReadonlyMap<number, bigint> {
  if (positions.size === 0) return coins;
  const changes = new Map(coins);
  const add = (position: Position | undefined, sign: bigint) => {
    if (position === undefined || position.isolated) return;
    const instrument = state.instruments[position.instrument]!;
    const { settle } = instrument.futures!;
    const profit = inSettleCoin(state, instrument, unrealisedOf(state, position));
    changes.set(settle, (changes.get(settle) ?? 0n) + sign * profit);
  };
  for (const [key, position] of positions) {
    add(account.positions.get(key), -1n);
    add(position, 1n);
  }
  return changes;
}

function contractsOf(account: Account, { positions }: AccountChange): ReadonlySet<number> {
  const contracts = new Set<number>();
  for (const [key, position] of positions) {
    const known = position ?? account.positions.get(key);
    if (known !== undefined) contracts.add(known.instrument);
  }
  return contracts;
}

function debtMargin(state: State, coin: number, amount: bigint): bigint {
  return amount < 0n ? debtMaintenance(state, coin, -amount) : 0n;
}

function contractMargin(
  state: State,
  instrument: number,
  positionOf: (key: number) => Position | undefined,
): bigint {
  let lots = 0;
  for (const side of POSITION_SIDES) {
    const position = positionOf(positionKey(instrument, side));
    if (position !== undefined && !position.isolated) lots = Math.max(lots, position.lots);
  }
  return lots === 0 ? 0n : contractMaintenance(state, instrument, lots);
}

function contractMaintenance(state: State, index: number, lots: number): bigint {
  const instrument = state.instruments[index]!;
  const kept = maintenanceAt(instrument, markTicks(state, instrument), lots);
  return inDollars(kept, coinUsd(state, instrument.quote));
}

/** By contract, the lots of the larger side of the crossed positions: only that one counts (rules 5.5). */
function largerSides(account: Account): Map<number, number> {
  const sides = new Map<number, number>();
  for (const { instrument, isolated, lots } of account.positions.values())
    if (!isolated) sides.set(instrument, Math.max(lots, sides.get(instrument) ?? 0));
  return sides;
}
