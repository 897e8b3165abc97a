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
