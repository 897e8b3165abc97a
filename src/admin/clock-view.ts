/** A clock as the operator's interface shows it. */
import { type Clock, ManualClock, ScaledClock, sourceOf } from '../sequencer/clock.ts';

export function clockView(exchangeClock: Clock) {
  const clock = sourceOf(exchangeClock);
  if (clock instanceof ManualClock) return { clock: 'manual' as const, factor: 0, time: clock.now() };
  if (clock instanceof ScaledClock)
    return { clock: 'scaled' as const, factor: clock.factor, time: clock.now() };
  return { clock: 'wall' as const, factor: 1, time: clock.now() };
}
