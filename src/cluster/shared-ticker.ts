/**
 * The ticks of all nodes: each offers the tick of a second unless one of them has been applied, a little later than the others
 * or a little earlier. A second tick of the same second does nothing, so it does not matter when two come.
 */
import { ClockTicker } from '../sequencer/clock-ticker.ts';
import { TICK_INTERVAL_MS } from '../sequencer/limits.ts';

const SPREAD_MS = 50;

const secondOf = (time: number) => Math.floor(time / TICK_INTERVAL_MS);

export class SharedTicker extends ClockTicker {
  #timer: NodeJS.Timeout | undefined;
  #lastSecond = 0;

  override start(): void {
    this.stop();
    this.#plan();
  }

  override stop(): void {
    clearTimeout(this.#timer);
  }

  /** A tick was applied, whichever node has offered it. */
  applied(time: number): void {
    if (secondOf(time) <= this.#lastSecond) return;
    this.#lastSecond = secondOf(time);
    this.runListeners(time);
  }

  #plan(): void {
    const toNext = TICK_INTERVAL_MS - (Date.now() % TICK_INTERVAL_MS);
    this.#timer = setTimeout(() => this.#offer(), toNext + Math.random() * SPREAD_MS);
  }

  #offer(): void {
    this.#plan();
    if (this.sequencer.failure !== undefined) return;
    if (secondOf(this.sequencer.clock.now()) > this.#lastSecond)
      this.sequencer.submit({ type: 'tick' }).catch(this.report);
  }
}
