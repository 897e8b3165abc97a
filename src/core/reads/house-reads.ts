/** What the house stands to lose. */

import { coinShortfall } from '../margin/clearing-shortfall.ts';
import type { State } from '../state/state.ts';

/** What it would lack of a coin if its coin-margined positions were closed now (rules 13.2); 0 in the first edition. */
export function houseShortfall(state: State, coin: number): bigint {
  return state.rules.clearingShortfall ? coinShortfall(state, coin) : 0n;
}

/** Coins of whose contracts some only close, because it lacks too much. */
export function closeOnlyCoins(state: State): number[] {
  const coins = new Set<number>();
  for (const { closeOnly, futures } of state.instruments) if (closeOnly) coins.add(futures!.settle);
  return [...coins].sort((a, b) => a - b);
}
