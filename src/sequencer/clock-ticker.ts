/**
 * Submits one `tick` per second of logical time, whichever clock runs. On the machine's clock that is one a second,
 * and seconds that the process slept through are skipped; a second in which much is due gets more, because one tick for all of it
 * would hold up every other command. On a scaled clock each logical second gets its own tick, so
 * that prices, samples and candles are as dense as on the machine's. A manual clock has no timer: `advance` moves it
 * from instant to instant.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Event } from '../core/model/event.ts';
import { countDue } from '../core/reads/schedule-reads.ts';
import { ManualClock, ScaledClock, sourceOf } from './clock.ts';
import {
  ADVANCE_BATCH,
  CROWD_MIN,
  CROWDED_TICK_MS,
  SECONDS_BEHIND_MAX,
  TICK_INTERVAL_MS,
  TIMER_INTERVAL_MIN_MS,
} from './limits.ts';
import type { Sequencer } from './sequencer.ts';

/** Called after each tick was applied; an advance of a manual clock waits for the promise. */
export type TickListener = (time: number) => void | Promise<void>;

/** Number of events by type. */
export type EventCounts = Partial<Record<Event['type'], number>>;

/** The advance of a manual clock that is under way, or the last one. */
export interface AdvancePlan {
  readonly from: number;
  readonly until: number;
  /** False while it is under way. */
  readonly ended: boolean;
  /** Events so far. */
  readonly events: EventCounts;
}

export interface AdvanceOptions {
  /** Called with each event, once it is durable. */
  readonly onEvent?: (event: Event, time: number) => void;
  /** Submits the tick of the last step, in the name of an operator. */
  readonly lastTick?: () => Promise<unknown>;
}

export class ClockTicker {
  protected readonly sequencer: Sequencer;
  protected readonly report: (error: Error) => void;
  /** Replaced when one comes or goes: some may be under way. */
  private listeners: readonly TickListener[] = [];
  private timer: NodeJS.Timeout | undefined;
  private timerWithin: NodeJS.Timeout | undefined;
  private lastTick: number;
  private counts: EventCounts | undefined;
  private onEvent: AdvanceOptions['onEvent'];
  private plan: Omit<AdvancePlan, 'ended'> | undefined;
  private halting = false;
  private stopped = false;

  constructor(sequencer: Sequencer, report: (error: Error) => void) {
    this.sequencer = sequencer;
    this.report = report;
    this.lastTick = sequencer.clock.now();
    sequencer.onPublished(({ events, time }) => this.count(events, time));
  }

  /** Returns what ends it. */
  onTick(listener: TickListener): () => void {
    this.listeners = [...this.listeners, listener];
    return () => {
      this.listeners = this.listeners.filter((each) => each !== listener);
    };
  }

  /** Also after a stop. */
  start(): void {
    const clock = sourceOf(this.sequencer.clock);
    this.stopped = false;
    if (clock instanceof ManualClock) return;
    const scaled = clock instanceof ScaledClock;
    const interval = scaled
      ? Math.max(TIMER_INTERVAL_MIN_MS, TICK_INTERVAL_MS / clock.factor)
      : TICK_INTERVAL_MS;
    this.timer = setInterval(() => this.onTimer(scaled), interval);
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.timer);
    clearTimeout(this.timerWithin);
  }

  /** Another clock runs: seconds before it are not made up for. */
  clockChanged(): void {
    this.lastTick = this.sequencer.clock.now();
  }

  get advancing(): boolean {
    return this.counts !== undefined;
  }

  /** The advance under way or, when there is none, the last one; undefined before the first. */
  get advancePlan(): AdvancePlan | undefined {
    return this.plan && { ...this.plan, ended: this.counts === undefined };
  }

  /** Ends the advance under way after its present step. */
  haltAdvance(): void {
    this.halting = true;
  }

  /**
   * Moves a manual clock to `until`, a tick at every multiple of `stepMs`; resolves when all of it is durable. Work that an
   * instant opens is done before the next step, so that the commands of an advance are the same on every machine.
   */
  async advance(
    clock: ManualClock,
    until: number,
    stepMs: number,
    { onEvent, lastTick }: AdvanceOptions = {},
  ): Promise<EventCounts> {
    const counts: EventCounts = {};
    this.counts = counts;
    this.onEvent = onEvent;
    this.plan = { from: clock.now(), until, events: counts };
    this.halting = false;
    try {
      let pending = 0;
      while (clock.now() < until && !this.stopped && !this.halting) {
        const now = clock.now();
        clock.advance(Math.min((Math.floor(now / stepMs) + 1) * stepMs, until) - now);
        const tick = clock.now() === until ? lastTick : undefined;
        const ticked = tick?.() ?? this.sequencer.submit({ type: 'tick' });
        // Some are never awaited, the others later.
        ticked.catch(() => {});
        while (this.sequencer.hasOpenWork && !this.stopped && this.sequencer.shortage() === undefined)
          await nextTurn();
        for (const listener of this.listeners) await listener(clock.now());
        if (++pending % ADVANCE_BATCH === 0) await ticked;
      }
      await this.sequencer.durable();
      return counts;
    } finally {
      this.counts = undefined;
      this.onEvent = undefined;
    }
  }

  private onTimer(everySecond: boolean): void {
    const { sequencer } = this;
    if (sequencer.failure !== undefined) return;
    const now = sequencer.clock.now();
    if (!everySecond) {
      this.tick(now);
      this.tickWithin(now + TICK_INTERVAL_MS);
      return;
    }
    const second = Math.floor(now / TICK_INTERVAL_MS) * TICK_INTERVAL_MS;
    const made = Math.max(this.lastTick, second - SECONDS_BEHIND_MAX * TICK_INTERVAL_MS);
    let next = (Math.floor(made / TICK_INTERVAL_MS) + 1) * TICK_INTERVAL_MS;
    for (; next <= second; next += TICK_INTERVAL_MS) this.tick(next);
  }

  private tick(time: number): void {
    this.lastTick = time;
    this.sequencer.submit({ type: 'tick', time }).catch(this.report);
    this.runListeners(time);
  }

  /** Ticks until the next second, where much is due in this one; a refused one is the last. */
  private tickWithin(end: number): void {
    clearTimeout(this.timerWithin);
    const { sequencer } = this;
    if (countDue(sequencer.state, end, CROWD_MIN) < CROWD_MIN) return;
    const again = () => {
      this.timerWithin = setTimeout(() => {
        if (sequencer.failure !== undefined || sequencer.clock.now() >= end) return;
        again();
        sequencer.submit({ type: 'tick' }).catch((error) => {
          clearTimeout(this.timerWithin);
          this.report(error);
        });
      }, CROWDED_TICK_MS);
    };
    again();
  }

  protected runListeners(time: number): void {
    for (const listener of this.listeners) this.notify(listener, time).catch(this.report);
  }

  private async notify(listener: TickListener, time: number): Promise<void> {
    await listener(time);
  }

  private count(events: readonly Event[], time: number): void {
    const { counts, onEvent } = this;
    if (counts === undefined) return;
    for (const event of events) {
      counts[event.type] = (counts[event.type] ?? 0) + 1;
      onEvent?.(event, time);
    }
  }
}
