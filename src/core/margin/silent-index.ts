/**
 * Coin-margined contracts are paused while their index is stale or silent (rules 13.2 (f)). Profits in dollars are paid in
 * coin at the mark, which does not move then: a trader who knows the outside price could choose what to realise at it.
 */

import type { State } from '../state/state.ts';

/** Sets or clears `paused`, each second after the marks were updated from the indices. */
export function updatePaused(state: State, second: number): void {
  if (!state.rules.silentIndex) return;
  for (const { instrument, index } of state.coinMargined) {
    const paused = index.price !== 0n && (index.stale || index.isSilent(second));
    if (instrument.paused === paused) continue;
    instrument.paused = paused;
    state.emit({ type: 'instrument', instrument: instrument.index });
  }
}
