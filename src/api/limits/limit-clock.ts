/**
 * The time that rate limits go by. On the machine's clock it is the machine's. On another one limits must not be in the way of a
 * client that follows the exchange's time, nor stop a client for good while a manual clock stands still: time has passed when
 * it has passed for either.
 */
import { type Clock, ManualClock, ScaledClock, sourceOf } from '../../sequencer/clock.ts';

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
    const ownPace = source instanceof ManualClock || source instanceof ScaledClock;
    this.#time += ownPace ? Math.max(passedMs, exchangeMs - this.#exchangeMs) : passedMs;
    this.#wallMs = wallMs;
    this.#exchangeMs = exchangeMs;
    return this.#time;
  }
}
