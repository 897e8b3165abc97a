/** The clock of an exchange as its setting names it: `wall`, `scaled:60`, `manual`, `driven`. */
import {
  type Clock,
  DrivenClock,
  LateClock,
  ManualClock,
  ScaledClock,
  sourceOf,
  type WallClock,
} from './clock.ts';
import { CLOCK_FACTOR_MAX } from './limits.ts';

export type ClockChoice = 'wall' | 'manual' | 'driven' | `scaled:${number}`;

export const CLOCK_CHOICES = `wall, manual, driven, or scaled:N with a whole number N from 1 to ${CLOCK_FACTOR_MAX}`;

export function readClockChoice(text: string): ClockChoice | undefined {
  if (text === 'wall' || text === 'manual' || text === 'driven') return text;
  const factor = /^scaled:([1-9][0-9]{0,4})$/.exec(text)?.[1];
  return factor !== undefined && Number(factor) <= CLOCK_FACTOR_MAX ? (text as ClockChoice) : undefined;
}

/** As the setting would name the clock that runs. */
export function choiceOf(clock: Clock): ClockChoice {
  const running = sourceOf(clock);
  if (running instanceof DrivenClock) return 'driven';
  if (running instanceof ManualClock) return 'manual';
  return running instanceof ScaledClock ? `scaled:${running.factor}` : 'wall';
}

/** A clock that goes on at the instant `now`. On the machine's clock the exchange stays as far from it as it is. */
export function clockFrom(choice: ClockChoice, now: number, wallClock: WallClock): Clock {
  return openClock(choice, now, 0, wallClock, wallClock.now() - now);
}

/**
 * `gapMs` is how far the exchange is behind the machine's clock (`LateClock`); 0 when it never went back. `lastTime` is the last time of the exchange, 0 for a new one; `startTime` is the start of a new one, 0 for now. A
 * clock other than the machine's continues at its last time, however long the machine was off.
 */
export function openClock(
  choice: ClockChoice,
  lastTime: number,
  startTime: number,
  wallClock: WallClock,
  gapMs = 0,
): Clock {
  if (choice === 'wall') return gapMs === 0 ? wallClock : new LateClock(wallClock, gapMs);
  const start = lastTime !== 0 ? lastTime : startTime !== 0 ? startTime : wallClock.now();
  if (choice === 'manual') return new ManualClock(start);
  if (choice === 'driven') return new DrivenClock(start);
  return new ScaledClock(start, Number(choice.slice('scaled:'.length)));
}
