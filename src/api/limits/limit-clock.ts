/**
 * The clock of rate limits. With the machine's clock it is the machine's. With another one, limits must neither stop a client that
 * follows the exchange's time nor block a client for good while a manual clock stands still: time has passed when it has passed
 * on either clock. Clients of a driven clock all follow it, so it alone counts there.
 */
import { type Clock, DrivenClock, ManualClock, ScaledClock, sourceOf } from '../../sequencer/clock.ts';

export class LimitClock implements Clock {
  readonly #clock: Clock;
  readonly #wallClock: Clock;
  #wallMs: number;
  #exchangeMs: number;
  #time: number;

  constructor(clock: Clock, wallClock: Clock) {
    this.#clock = clock;
    this.#wallClock = wallClock;
    this.#wallMs = wallClock.now();
    this.#exchangeMs = clock.now();
    this.#time = this.#wallMs;
  }

  now(): number {
    const source = sourceOf(this.#clock);
    const wallMs = this.#wallClock.now();
    const exchangeMs = source === this.#wallClock ? wallMs : source.now();
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
