/** The margin that an account must have after a fill of a resting order that opens (rules 13.1 a, f). */

import type { State } from '../state/state.ts';
import type { SpotIntent } from './debts.ts';
import type { Intent } from './margin.ts';
import type { MarginBuffer } from './margin-buffer.ts';
import type { TentativeAccount } from './tentative-account.ts';

/** More than the sum of all roundings of the coins and contracts of an account, in 10^-8. */
export const ROUNDING_TOLERANCE = 1000;

/** Does effective equity exceed maintenance margin by a ninth? */
export function isFarFromLiquidation({ effective, maintenance }: MarginBuffer): boolean {
  return effective * 9n >= maintenance * 10n;
}

/** The same in numbers; false for NaN. */
export function isFarFromLiquidationNumber(effective: number, maintenance: number): boolean {
  return effective * 9 - ROUNDING_TOLERANCE >= maintenance * 10;
}

/** A crossed account before and after a fill: it is far from liquidation, or no nearer than it was. */
export function bearsFill(state: State, before: TentativeAccount, after: TentativeAccount): boolean {
  const result = after.marginBuffer(state);
  if (isFarFromLiquidation(result)) return true;
  const start = before.marginBuffer(state);
  return result.effective - result.maintenance >= start.effective - start.maintenance;
}

/** At an unreliable price the account must have initial margin for everything it holds after the fill. */
export function bearsFillAtUnreliablePrice(
  state: State,
  after: TentativeAccount,
  filled: number,
  rest: { readonly futures?: Intent; readonly spot?: SpotIntent },
): boolean {
  const { effective, initial } = after.risk(state, filled, rest);
  return effective >= initial;
}
