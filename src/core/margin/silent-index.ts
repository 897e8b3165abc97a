/**
 * Coin-margined contracts do not trade while nobody tells their index (rules 13.2 (f)). A profit in dollars becomes coin at
 * the mark, which stands still then, and who knows the price outside knows which profits and losses to realise at it.
 */

import type { State } from '../state/state.ts';

/** Each second, when the marks have followed the indices. */
export function watchSilence(state: State, second: number): void {
  if (!state.rules.silentIndex) return;
  for (const { instrument, index } of state.coinMargined) {
    const paused = index.price !== 0n && (index.stale || index.isUnheard(second));
    if (instrument.paused === paused) continue;
    instrument.paused = paused;
    state.events.push({ type: 'instrument', instrument: instrument.index });
  }
}
