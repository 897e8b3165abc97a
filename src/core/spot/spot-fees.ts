/** Fees of spot and margin trades (rules 4.3): each side pays from what it receives. */

import { divTrunc, RATE_ONE } from '../model/units.ts';
import type { State } from '../state/state.ts';

/** Fee rate of one side; a negative rate is a rebate. */
export function feeRateOf(state: State, slot: number, taker: boolean): bigint {
  const own = state.instrumentOf(slot);
  const rates = state.accountOf(slot).fees.get(own.index) ?? own;
  return taker ? rates.takerRate : rates.makerRate;
}

/** Truncated in favour of the payer. */
export function feeOn(received: bigint, rate: bigint): bigint {
  return divTrunc(received * rate, RATE_ONE);
}
