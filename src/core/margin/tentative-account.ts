/**
 * An account as it would stand after fills that have not happened (rules 13.1): other balances, other positions. Money,
 * orders and positions of the account itself are not touched.
 */

import { Bucket } from '../model/ledger-accounts.ts';
import type { Position } from '../model/position.ts';
import { assert } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { countsAsMargin, hasUnreliablePrice, isUnreliable } from './collateral.ts';
import { balanceOf, type SpotIntent } from './debts.ts';
import { computeRisk, type Intent, type Risk } from './margin.ts';
import { bufferAfter, bufferOf, type MarginBuffer, positionAfter } from './margin-buffer.ts';

export class TentativeAccount {
  readonly account: Account;
  /** By coin, what has come to the balance (cash and locked) or left it. */
  private readonly coins: Map<number, bigint>;
  /** By key, the positions that are others now, or none. None of them is ever changed, but replaced. */
  private readonly positions: Map<number, Position | undefined>;

  constructor(
    account: Account,
    coins = new Map<number, bigint>(),
    positions = new Map<number, Position | undefined>(),
  ) {
    this.account = account;
    this.coins = coins;
    this.positions = positions;
  }

  copy(): TentativeAccount {
    return new TentativeAccount(this.account, new Map(this.coins), new Map(this.positions));
  }

  position(key: number): Position | undefined {
    return positionAfter(this.account, this.positions, key);
  }

  /** A position without size is none. */
  setPosition(key: number, position: Position): void {
    this.positions.set(key, position.size === 0 ? undefined : position);
  }

  /** Adds to the balance of a coin, or takes from it. */
  receive(coin: number, amount: bigint): void {
    this.coins.set(coin, (this.coins.get(coin) ?? 0n) + amount);
  }

  cash(state: State, coin: number): bigint {
    return state.ledger.balanceOf(this.account.index, coin, Bucket.cash) + (this.coins.get(coin) ?? 0n);
  }

  /** Effective equity and maintenance margin at the present prices, as `computeRisk` has them. */
  marginBuffer(state: State): MarginBuffer {
    const { account, coins, positions } = this;
    const buffer = bufferAfter(state, account, { coins, positions });
    if (buffer !== undefined && !state.verifiesFillChecks) return buffer;
    const whole = bufferOf(state, this.shown(), coins);
    assert(
      buffer === undefined ||
        (buffer.effective === whole.effective && buffer.maintenance === whole.maintenance),
      'I50: what a fill changes and the whole account come to the same margin',
    );
    return whole;
  }

  /** The same with initial margin: `filled` is the order that trades, `rest` what will be left of it. */
  risk(state: State, filled: number, rest?: { readonly futures?: Intent; readonly spot?: SpotIntent }): Risk {
    return computeRisk(state, this.shown(), rest?.futures, filled, rest?.spot, undefined, this.coins);
  }

  balance(state: State, coin: number): bigint {
    return balanceOf(state, this.account, coin) + (this.coins.get(coin) ?? 0n);
  }

  /** Is a crossed position, or a coin that counts as margin, valued at an unreliable price? */
  awaitsPrice(state: State): boolean {
    for (const { isolated, instrument } of this.shown().positions.values())
      if (!isolated && hasUnreliableIndex(state, instrument)) return true;
    const coins = new Set([...state.ledger.coinsOf(this.account.index), ...this.coins.keys()]);
    for (const coin of coins) {
      const before = balanceOf(state, this.account, coin);
      const after = before + (this.coins.get(coin) ?? 0n);
      const counts = before < 0n || after < 0n || (before + after > 0n && countsAsMargin(state, coin));
      if (counts && hasUnreliablePrice(state, coin)) return true;
    }
    return false;
  }

  private shown(): Account {
    const { account, positions } = this;
    if (positions.size === 0) return account;
    const held = new Map(account.positions);
    for (const [key, position] of positions)
      if (position === undefined) held.delete(key);
      else held.set(key, position);
    return account.withPositions(held);
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
