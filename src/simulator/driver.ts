/**
 * Wakes the market by the venue's clock: several times a second on one that runs by itself, at every tick on one that
 * moves by hand. Nothing is begun while what was given before is not on disk, so a slow disk slows the market down and
 * leaves the queue to users.
 */
import { ManualClock, ScaledClock } from '../sequencer/clock.ts';
import type { SecondHand } from '../sequencer/clock-ticker.ts';
import type { Venue } from '../sequencer/sequencer.ts';
import { WAKE_INTERVAL_MS, WAKE_PAUSE_MIN_MS } from './limits.ts';
import type { LivingMarket } from './market-simulator.ts';

export class MarketDriver {
  private readonly venue: Venue;
  private readonly market: LivingMarket;
  private timer: NodeJS.Timeout | undefined;
  private waiting = false;
  private stopped = false;

  constructor(venue: Venue, market: LivingMarket) {
    this.venue = venue;
    this.market = market;
  }

  start(seconds: SecondHand): void {
    const { clock } = this.venue;
    if (clock instanceof ManualClock) {
      seconds.onSecond(async () => {
        if (this.stopped) return;
        this.market.wake();
        await this.venue.settled();
      });
      return;
    }
    const factor = clock instanceof ScaledClock ? clock.factor : 1;
    this.timer = setInterval(() => this.beat(), Math.max(WAKE_PAUSE_MIN_MS, WAKE_INTERVAL_MS / factor));
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.timer);
  }

  private beat(): void {
    if (this.waiting || this.venue.failure !== undefined) return;
    this.market.wake();
    const settled = this.venue.settled();
    if (settled === undefined) return;
    this.waiting = true;
    const done = () => {
      this.waiting = false;
    };
    settled.then(done, done);
  }
}
