/** How far and in which steps a manual clock is to be moved, or why it cannot be. */
import { type Clock, ManualClock, sourceOf } from '../sequencer/clock.ts';
import { formatDuration, parseDuration } from '../sequencer/duration.ts';
import { ADVANCE_STEPS_MAX } from '../sequencer/limits.ts';
import { AdminError } from './admin-error.ts';
import { clockView } from './clock-view.ts';

const DEFAULT_STEP = '1s';
/** Times of the state must stay within their range. */
export const TIME_END = Date.UTC(2100);

export interface Span {
  readonly by?: string;
  readonly to?: string;
  readonly step?: string;
}

export interface AdvancePlan {
  readonly until: number;
  readonly stepMs: number;
}

/** Target and step of an advance, or why it is not possible. */
export function planOf({ by, to, step = DEFAULT_STEP }: Span, now: number): AdvancePlan | AdminError {
  if ((by === undefined) === (to === undefined))
    return new AdminError(
      'invalid_request',
      'give either by, such as 8h, or to, such as 2026-06-26T08:00:00Z',
    );
  const until = by === undefined ? Date.parse(to!) : now + (parseDuration(by) ?? Number.NaN);
  if (Number.isNaN(until)) {
    const wanted =
      by === undefined
        ? 'to must be an instant such as 2026-06-26T08:00:00Z'
        : 'by must be a span such as 8h, 1d12h, 90s';
    return new AdminError('invalid_request', wanted);
  }
  return planUntil(until, now, step);
}

/** The plan of an advance to an instant. */
export function planUntil(until: number, now: number, step = DEFAULT_STEP): AdvancePlan | AdminError {
  if (until < now) return new AdminError('invalid_request', 'time does not go back');
  if (until >= TIME_END) return new AdminError('invalid_request', 'time ends with the year 2099');
  const stepMs = parseDuration(step);
  if (stepMs === undefined || stepMs < 1)
    return new AdminError('invalid_request', 'step must be a span such as 1s or 1m');
  if ((until - now) / stepMs > ADVANCE_STEPS_MAX) {
    const steps = `${formatDuration(until - now)} in steps of ${step} are more than ${ADVANCE_STEPS_MAX} ticks`;
    return new AdminError('invalid_request', `${steps}: give a longer step, such as 1m`);
  }
  return { until, stepMs };
}

/** The clock that an advance would move. */
export function manualClockOf(exchangeClock: Clock): ManualClock | AdminError {
  const clock = sourceOf(exchangeClock);
  if (clock instanceof ManualClock) return clock;
  const running = `the clock is ${clockView(clock).clock} and moves by itself`;
  return new AdminError(
    'not_allowed',
    `${running}: start the exchange with --clock manual, or choose that with bourse lab clock mode manual`,
  );
}
