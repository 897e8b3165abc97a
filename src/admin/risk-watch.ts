/** What the page of risks shows: ratios, kept for a while because counting them looks at many accounts; forced closes. */
import { performance } from 'node:perf_hooks';
import { OrderKind } from '../core/model/enums.ts';
import type { Filled, FillRecord } from '../core/model/event.ts';
import { type AccountRatio, marginRatios } from '../core/reads/risk-reads.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';

const KEPT_MS_MIN = 1000;
/** Looking may take at most a hundredth of the thread's time. */
const KEPT_TIMES_AS_LONG = 100;
const FORCED_MAX = 200;

/** The steps of a liquidation, and deleveraging. */
export const FORCED_KINDS: Readonly<Partial<Record<OrderKind, string>>> = {
  [OrderKind.offset]: 'offset',
  [OrderKind.reduce]: 'reduce',
  [OrderKind.liquidation]: 'liquidation',
  [OrderKind.adl]: 'deleveraging',
};

export class RiskWatch {
  readonly #sequencer: Sequencer;
  readonly #forced: FillRecord[] = [];
  #ratios: readonly AccountRatio[] = [];
  #keptUntilMs = 0;

  constructor(sequencer: Sequencer) {
    this.#sequencer = sequencer;
    sequencer.onPublished(({ events }) => {
      for (const event of events) if (event.type === 'fill') this.#note(event);
    });
  }

  /** The riskiest first. */
  ratios(): readonly AccountRatio[] {
    const beganMs = performance.now();
    if (beganMs < this.#keptUntilMs) return this.#ratios;
    this.#ratios = marginRatios(this.#sequencer.state);
    const endedMs = performance.now();
    this.#keptUntilMs = endedMs + Math.max(KEPT_MS_MIN, (endedMs - beganMs) * KEPT_TIMES_AS_LONG);
    return this.#ratios;
  }

  /** Fills of forced closes since the start, the newest first. */
  forced(): readonly FillRecord[] {
    return this.#forced.toReversed();
  }

  #note({ fill }: Filled): void {
    if (fill.futures === undefined || FORCED_KINDS[fill.futures.kind] === undefined) return;
    this.#forced.push(fill);
    if (this.#forced.length > FORCED_MAX) this.#forced.shift();
  }
}
