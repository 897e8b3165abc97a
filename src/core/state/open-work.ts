/** Work that concerns everybody and is done in portions, as far as it is still to do (rules 14). */
import type { State } from './state.ts';

/** A pair that has ended: its orders are cancelled, account by account. */
export interface Ending {
  readonly instrument: number;
  /** The account to go on with. */
  next: number;
}

/** Is there work that the next ticks go on with? */
export function hasOpenWork({ endings }: State): boolean {
  return endings.length !== 0;
}
