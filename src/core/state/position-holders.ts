/** Positions in a contract with their accounts. */

import { PosSide } from '../model/enums.ts';
import type { Position } from '../model/position.ts';
import { positionKey } from '../model/position.ts';
import type { Account } from './account.ts';
import type { State } from './state.ts';

export interface Holder {
  readonly account: Account;
  readonly position: Position;
}

const SIDES = [PosSide.none, PosSide.long, PosSide.short];

/** Ascending uid, older position first: the order in which rounding falls is part of the rules. */
export function holdersOf(state: State, instrument: number): Holder[] {
  const holders: Holder[] = [];
  for (const account of state.market(state.instruments[instrument]!).holders) {
    for (const side of SIDES) {
      const position = account.positions.get(positionKey(instrument, side));
      if (position !== undefined) holders.push({ account, position });
    }
  }
  return holders.sort((a, b) => a.account.uid - b.account.uid || a.position.id - b.position.id);
}

/** Every account with a position once, in no particular order. */
export function eachHolder(state: State, visit: (account: Account) => void): void {
  for (const { holders, instrument } of state.markets) {
    for (const account of holders) if (isFirstOf(account, instrument)) visit(account);
  }
}

/** Is the account's oldest position in this contract? */
function isFirstOf({ positions }: Account, instrument: number): boolean {
  if (positions.size === 1) return true;
  for (const position of positions.values()) return position.instrument === instrument;
  return false;
}
