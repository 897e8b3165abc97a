/** When timed work is due next (rules 9.3), for readers. */
import { INTEREST_MS, mayBearInterest } from '../borrowing/interest.ts';
import type { State } from '../state/state.ts';

/** Infinity for what is not to come. */
export interface NextInstants {
  /** Of any perpetual. */
  readonly funding: number;
  /** The full hour at which debts bear interest, or an hour of a pledge loan. */
  readonly interest: number;
  readonly delivery: number;
  /** The earliest of all of these that concerns anybody, of changes of listings and of countdowns. */
  readonly any: number;
}

export function nextInstants(state: State, now: number): NextInstants {
  const { nextFunding: funding, nextDelivery: delivery } = state;
  const hour = (Math.floor(now / INTEREST_MS) + 1) * INTEREST_MS;
  const loan = state.loans.nextInstant();
  const debts = mayBearInterest(state) ? hour : Number.POSITIVE_INFINITY;
  const any = Math.min(funding, delivery, loan, debts, state.nextCalendarTime, state.nextCountdown);
  return { funding, interest: Math.min(hour, loan), delivery, any };
}

/** How many hours of pledge loans and countdowns are due until a time; counts no more than so many of each. */
export function countDue(state: State, time: number, most: number): number {
  const countdowns = state.countdowns.upTo(time, most)?.length ?? most;
  return state.loans.hoursUntil(time, most) + countdowns;
}
