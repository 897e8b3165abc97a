/**
 * The time that rate limits go by. On the machine's clock it is the machine's. On another one limits must not be in the way of a
 * client that follows the exchange's time, nor stop a client for good while a manual clock stands still: time has passed when
 * it has passed for either. Clients of a driven clock all follow it, so that there it alone counts.
 */
import { type Clock, DrivenClock, ManualClock, ScaledClock, sourceOf } from '../../sequencer/clock.ts';

export class LimitClock implements Clock {
  readonly #clock: Clock;
  readonly #wall: Clock;
  #wallMs: number;
  #exchangeMs: number;
  #time: number;

  constructor(clock: Clock, wall: Clock) {
    this.#clock = clock;
    this.#wall = wall;
    this.#wallMs = wall.now();
    this.#exchangeMs = clock.now();
    this.#time = this.#wallMs;
  }

  now(): number {
    const source = sourceOf(this.#clock);
    const wallMs = this.#wall.now();
    const exchangeMs = source === this.#wall ? wallMs : source.now();
    const passedMs = wallMs - this.#wallMs;
    this.#time += passedOn(source, passedMs, exchangeMs - this.#exchangeMs);
    this.#wallMs = wallMs;
    this.#exchangeMs = exchangeMs;
    return this.#time;
  }
}

function passedOn(source: Clock, machineMs: number, exchangeMs: number): number {
  if (source instanceof DrivenClock) return exchangeMs;
  const ownPace = source instanceof ManualClock || source instanceof ScaledClock;
  return ownPace ? Math.max(machineMs, exchangeMs) : machineMs;
}
