/**
 * Sources of logical time. The core has no clock: the sequencer reads one of these when it stamps a command, so a
 * test can pass another.
 */
export interface Clock {
  /** Milliseconds since 1970; never less than the last value. */
  now(): number;
}

/** Time that moves only by `advance`. */
export class ManualClock implements Clock {
  private time: number;

  constructor(time: number) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  advance(ms: number): void {
    this.time += Math.max(0, ms);
  }
}

/** A manual clock that participants move: it goes on when all of them wait (`lab/clock/sessions.ts`). */
export class DrivenClock extends ManualClock {}

/** Time that runs `factor` times as fast as the machine's timer, from a given instant. */
export class ScaledClock implements Clock {
  readonly factor: number;
  private readonly start: number;
  private readonly monotonic: () => number;
  private readonly started: number;

  constructor(start: number, factor: number, monotonic: () => number = () => performance.now()) {
    this.start = start;
    this.factor = factor;
    this.monotonic = monotonic;
    this.started = monotonic();
  }

  now(): number {
    return this.start + Math.floor((this.monotonic() - this.started) * this.factor);
  }
}

/** The machine's time less a gap: of an exchange that went back to an earlier moment and runs on from there. */
export class LateClock implements Clock {
  readonly gapMs: number;
  private readonly wall: Clock;

  constructor(wall: Clock, gapMs: number) {
    this.wall = wall;
    this.gapMs = gapMs;
  }

  now(): number {
    return this.wall.now() - this.gapMs;
  }
}

/** The clock of an exchange: one of the others, which can be changed while it runs. The new one begins where the old one is. */
export class ExchangeClock implements Clock {
  #source: Clock;

  constructor(source: Clock) {
    this.#source = source;
  }

  get source(): Clock {
    return this.#source;
  }

  now(): number {
    return this.#source.now();
  }

  change(next: Clock): void {
    this.#source = next;
  }
}

/** The clock that runs behind another one, or the clock itself. */
export function sourceOf(clock: Clock): Clock {
  return clock instanceof ExchangeClock ? clock.source : clock;
}

/** A jump of the machine's clock larger than this must last before it counts. */
const JUMP_MS = 5000;

/**
 * The machine's clock, made safe for schedules. It runs on the monotonic timer from a wall-clock start. Small
 * differences are followed; a jump forward counts only when the clock still shows it a second later (a clock that is
 * set and set back must not run a week of funding); after a jump back, time stands still until the clock has caught
 * up.
 */
export class WallClock implements Clock {
  private readonly wall: () => number;
  private readonly monotonic: () => number;
  private base: number;
  private started: number;
  private last: number;
  private doubtSince = Number.NaN;

  constructor(wall: () => number = Date.now, monotonic: () => number = () => performance.now()) {
    this.wall = wall;
    this.monotonic = monotonic;
    this.base = wall();
    this.started = monotonic();
    this.last = this.base;
  }

  now(): number {
    const elapsed = this.monotonic();
    const steady = Math.floor(this.base + elapsed - this.started);
    const wall = this.wall();
    const jumped = wall - steady > JUMP_MS;
    if (!jumped) {
      this.doubtSince = Number.NaN;
      if (wall > steady) this.follow(wall, elapsed);
    } else if (Number.isNaN(this.doubtSince)) {
      this.doubtSince = elapsed;
    } else if (elapsed - this.doubtSince >= 1000) {
      this.doubtSince = Number.NaN;
      this.follow(wall, elapsed);
    }
    this.last = Math.max(this.last, Math.floor(this.base + elapsed - this.started));
    return this.last;
  }

  private follow(wall: number, elapsed: number): void {
    this.base = wall;
    this.started = elapsed;
  }
}
