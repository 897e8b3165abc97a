/** Which of the three clocks an exchange runs on, as its settings write it: `wall`, `scaled:60`, `manual`. */
import { type Clock, ManualClock, ScaledClock, type WallClock } from './clock.ts';
import { CLOCK_FACTOR_MAX } from './limits.ts';

export type ClockChoice = 'wall' | 'manual' | `scaled:${number}`;

export const CLOCK_CHOICES = `wall, manual, or scaled:N with a whole number N from 1 to ${CLOCK_FACTOR_MAX}`;

export function readClockChoice(text: string): ClockChoice | undefined {
  if (text === 'wall' || text === 'manual') return text;
  const factor = /^scaled:([1-9][0-9]{0,4})$/.exec(text)?.[1];
  return factor !== undefined && Number(factor) <= CLOCK_FACTOR_MAX ? (text as ClockChoice) : undefined;
}

/**
 * `lastTime` is where the exchange left off, 0 for a new one; `startTime` is where a new one begins, 0 for now. A clock
 * that is not the machine's goes on from where it was, however long the machine was off.
 */
export function openClock(choice: ClockChoice, lastTime: number, startTime: number, wall: WallClock): Clock {
  if (choice === 'wall') return wall;
  const start = lastTime !== 0 ? lastTime : startTime !== 0 ? startTime : wall.now();
  if (choice === 'manual') return new ManualClock(start);
  return new ScaledClock(start, Number(choice.slice('scaled:'.length)));
}
