/** The order that is placed or amended, as all steps of order entry see it. */
import type { Instrument } from '../model/instrument.ts';
import type { Account } from '../state/account.ts';
import type { Market } from '../state/market.ts';
import type { State } from '../state/state.ts';

export interface OrderContext {
  readonly state: State;
  /** Owner of the order. */
  readonly account: Account;
  readonly instrument: Instrument;
  /** Market of the instrument; SPOT and MARGIN of a pair share one. */
  readonly market: Market;
}
