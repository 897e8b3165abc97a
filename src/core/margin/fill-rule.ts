/** When a resting order may open something (rules 13.1 a, f): the account must be able to carry what the fill leaves. */

import type { State } from '../state/state.ts';
import type { SpotIntent } from './debts.ts';
import type { Intent } from './margin.ts';
import type { Cushion, TentativeAccount } from './tentative-account.ts';

/** Above the rounding of all coins and contracts of an account together, in 10^-8. */
export const CUSHION_DUST = 1000;

/** Is it far enough from liquidation? The same in numbers, where NaN is never enough. */
export function isFar({ effective, maintenance }: Cushion): boolean {
  return effective * 9n >= maintenance * 10n;
}

export function isFarNumber(effective: number, maintenance: number): boolean {
  return effective * 9 - CUSHION_DUST >= maintenance * 10;
}

/** A crossed account before and after a fill: it is far from liquidation, or no nearer than it was. */
export function bearsFill(state: State, before: TentativeAccount, after: TentativeAccount): boolean {
  const result = after.cushion(state);
  if (isFar(result)) return true;
  const start = before.cushion(state);
  return result.effective - result.maintenance >= start.effective - start.maintenance;
}

/** At a price that nobody vouches for: there must be initial margin for everything, and no other way. */
export function bearsFillAtOldPrice(
  state: State,
  after: TentativeAccount,
  filled: number,
  rest: { readonly futures?: Intent; readonly spot?: SpotIntent },
): boolean {
  const { effective, initial } = after.risk(state, filled, rest);
  return effective >= initial;
}
