/**
 * An account as it would stand after fills that have not happened (rules 13.1): other balances, other positions. Money,
 * orders and positions of the account itself are not touched.
 */

import { Bucket } from '../model/ledger-accounts.ts';
import type { Position } from '../model/position.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { coinUsd, countsAsMargin, hasUnreliablePrice, isUnreliable } from './collateral.ts';
import { balanceOf, debtMaintenance, type SpotIntent } from './debts.ts';
import {
  accountEquity,
  computeRisk,
  type Intent,
  inDollars,
  maintenanceAt,
  markTicks,
  type Risk,
} from './margin.ts';

/** The two amounts that the check at the match compares. */
export type MarginBuffer = Pick<Risk, 'effective' | 'maintenance'>;

export class TentativeAccount {
  readonly account: Account;
  /** By coin, what has come to the balance (cash and locked) or left it. */
  private readonly changes: Map<number, bigint>;
  /** The account's own while none has changed. Positions in it are never changed, but replaced. */
  private held: Map<number, Position> | undefined;

  constructor(account: Account, changes = new Map<number, bigint>(), held?: Map<number, Position>) {
    this.account = account;
    this.changes = changes;
    this.held = held;
  }

  copy(): TentativeAccount {
    const held = this.held === undefined ? undefined : new Map(this.held);
    return new TentativeAccount(this.account, new Map(this.changes), held);
  }

  position(key: number): Position | undefined {
    return (this.held ?? this.account.positions).get(key);
  }

  /** A position without size is none. */
  setPosition(key: number, position: Position): void {
    this.held ??= new Map(this.account.positions);
    if (position.size === 0) this.held.delete(key);
    else this.held.set(key, position);
  }

  /** Adds to the balance of a coin, or takes from it. */
  receive(coin: number, amount: bigint): void {
    this.changes.set(coin, (this.changes.get(coin) ?? 0n) + amount);
  }

  cash(state: State, coin: number): bigint {
    return state.ledger.balanceOf(this.account.index, coin, Bucket.cash) + (this.changes.get(coin) ?? 0n);
  }

  /** Effective equity and maintenance margin at the present prices, as `computeRisk` has them. */
  marginBuffer(state: State): MarginBuffer {
    const shown = this.shown();
    const { effective, debts } = accountEquity(state, shown, this.changes);
    let maintenance = 0n;
    for (const [coin, debt] of debts) maintenance += debtMaintenance(state, coin, debt);
    for (const [index, lots] of largerSides(shown)) {
      const instrument = state.instruments[index]!;
      const kept = maintenanceAt(instrument, markTicks(state, instrument), lots);
      maintenance += inDollars(kept, coinUsd(state, instrument.quote));
    }
    return { effective, maintenance };
  }

  /** The same with initial margin: `filled` is the order that trades, `rest` what will be left of it. */
  risk(state: State, filled: number, rest?: { readonly futures?: Intent; readonly spot?: SpotIntent }): Risk {
    return computeRisk(state, this.shown(), rest?.futures, filled, rest?.spot, undefined, this.changes);
  }

  balance(state: State, coin: number): bigint {
    return balanceOf(state, this.account, coin) + (this.changes.get(coin) ?? 0n);
  }

  /** Is a crossed position, or a coin that counts as margin, valued at an unreliable price? */
  awaitsPrice(state: State): boolean {
    for (const { isolated, instrument } of this.shown().positions.values())
      if (!isolated && hasUnreliableIndex(state, instrument)) return true;
    const coins = new Set([...state.ledger.coinsOf(this.account.index), ...this.changes.keys()]);
    for (const coin of coins) {
      const before = balanceOf(state, this.account, coin);
      const after = before + (this.changes.get(coin) ?? 0n);
      const counts = before < 0n || after < 0n || (before + after > 0n && countsAsMargin(state, coin));
      if (counts && hasUnreliablePrice(state, coin)) return true;
    }
    return false;
  }

  private shown(): Account {
    return this.held === undefined ? this.account : this.account.withPositions(this.held);
  }
}

/** Does the mark of a contract follow an unreliable index? */
export function hasUnreliableIndex(state: State, instrument: number): boolean {
  const { futures } = state.market(state.instruments[instrument]!);
  return futures !== undefined && isUnreliable(state, futures.index);
}

/** Is any index unreliable? While none is, no account need be checked for it. */
export function hasAnyUnreliableIndex(state: State): boolean {
  for (const index of state.indices) if (index.price !== 0n && isUnreliable(state, index)) return true;
  return false;
}

/** By contract, the lots of the larger side of the crossed positions: only that one counts (rules 5.5). */
function largerSides(account: Account): Map<number, number> {
  const larger = new Map<number, number>();
  for (const { instrument, isolated, lots } of account.positions.values())
    if (!isolated) larger.set(instrument, Math.max(lots, larger.get(instrument) ?? 0));
  return larger;
}
