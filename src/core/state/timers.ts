/** The next instants of timed work, computed again after a change of what they depend on. */
import { InstrumentStatus } from '../model/enums.ts';
import type { State } from './state.ts';

/** The earliest delivery that is still to come. */
export function scheduleDelivery(state: State): void {
  state.nextDelivery = Number.POSITIVE_INFINITY;
  for (const { futures, instrument } of state.markets) {
    const time = futures?.terms.delivery?.time;
    if (time === undefined || state.instruments[instrument]!.status === InstrumentStatus.offline) continue;
    if (time < state.nextDelivery) state.nextDelivery = time;
  }
}

/** The earliest settlement of any perpetual. */
export function scheduleFunding(state: State): void {
  state.nextFunding = Number.POSITIVE_INFINITY;
  for (const { futures } of state.markets) {
    if (futures !== undefined && futures.nextFunding < state.nextFunding)
      state.nextFunding = futures.nextFunding;
  }
}

/** UTC multiples of the interval; delivery contracts have none. */
export function nextFundingTime(intervalMs: number, now: number): number {
  return intervalMs === 0 ? Number.POSITIVE_INFINITY : (Math.floor(now / intervalMs) + 1) * intervalMs;
}
