/** A clock as the operator's interface shows it. */
import { type Clock, ManualClock, ScaledClock } from '../sequencer/clock.ts';

export function clockView(clock: Clock) {
  if (clock instanceof ManualClock) return { clock: 'manual' as const, factor: 0, time: clock.now() };
  if (clock instanceof ScaledClock)
    return { clock: 'scaled' as const, factor: clock.factor, time: clock.now() };
  return { clock: 'wall' as const, factor: 1, time: clock.now() };
}
