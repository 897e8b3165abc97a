/**
 * Runs the simulator's steps by the exchange's clock: several times a second on a running clock, at every tick on a
 * manual one. A step begins only when the commands of the last one are durable, so a slow disk slows the simulator
 * down and leaves the queue to users.
 */
import { ManualClock, ScaledClock, sourceOf } from '../sequencer/clock.ts';
import type { ClockTicker } from '../sequencer/clock-ticker.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import { STEP_INTERVAL_MS, STEP_PAUSE_MIN_MS } from './limits.ts';
import type { MarketSimulator } from './market-simulator.ts';

export class MarketDriver {
  private readonly sequencer: Sequencer;
  private readonly market: MarketSimulator;
  private timer: NodeJS.Timeout | undefined;
  private endTicks: () => void = () => {};
  private waiting = false;
  private stopped = false;

  constructor(sequencer: Sequencer, market: MarketSimulator) {
    this.sequencer = sequencer;
    this.market = market;
  }

  /** Also after a stop. */
  start(seconds: ClockTicker): void {
    this.stopped = false;
    const clock = sourceOf(this.sequencer.clock);
    if (clock instanceof ManualClock) {
      this.endTicks = seconds.onTick(async () => {
        if (this.stopped) return;
        this.market.step();
        await this.sequencer.durable();
      });
      return;
    }
    const factor = clock instanceof ScaledClock ? clock.factor : 1;
    this.timer = setInterval(() => this.onTimer(), Math.max(STEP_PAUSE_MIN_MS, STEP_INTERVAL_MS / factor));
  }

  stop(): void {
    this.stopped = true;
    this.endTicks();
    this.endTicks = () => {};
    clearInterval(this.timer);
  }

  private onTimer(): void {
    if (this.waiting || this.sequencer.failure !== undefined) return;
    this.market.step();
    const durable = this.sequencer.durable();
    if (durable === undefined) return;
    this.waiting = true;
    const done = () => {
      this.waiting = false;
    };
    durable.then(done, done);
  }
}
