import { WallClock } from '../../src/sequencer/clock.ts';

/** The clocks of a machine: a timer that only runs, and a wall clock that somebody may set. */
export class MachineTime {
  wallMs: number;
  timerMs = 0;

  constructor(wallMs: number) {
    this.wallMs = wallMs;
  }

  advance(ms: number): void {
    this.wallMs += ms;
    this.timerMs += ms;
  }

  /** Somebody sets the wall clock. */
  jump(ms: number): void {
    this.wallMs += ms;
  }

  /** The venue's own clock, as a process that starts now makes it. */
  clock(): WallClock {
    return new WallClock(
      () => this.wallMs,
      () => this.timerMs,
    );
  }
}
