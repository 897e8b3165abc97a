/** The last forced closes, for the console's page of risks. */
import { OrderKind } from '../core/model/enums.ts';
import type { Filled, FillRecord } from '../core/model/event.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';

const FORCED_MAX = 200;

/** The steps of a liquidation, and deleveraging. */
export const FORCED_KINDS: Readonly<Partial<Record<OrderKind, string>>> = {
  [OrderKind.offset]: 'offset',
  [OrderKind.reduce]: 'reduce',
  [OrderKind.liquidation]: 'liquidation',
  [OrderKind.adl]: 'deleveraging',
};

export class ForcedCloses {
  readonly #fills: FillRecord[] = [];

  constructor(sequencer: Sequencer) {
    sequencer.onPublished(({ events }) => {
      for (const event of events) if (event.type === 'fill') this.#note(event);
    });
  }

  /** Fills of forced closes since the start, the newest first. */
  recent(): readonly FillRecord[] {
    return this.#fills.toReversed();
  }

  #note({ fill }: Filled): void {
    if (fill.futures === undefined || FORCED_KINDS[fill.futures.kind] === undefined) return;
    this.#fills.push(fill);
    if (this.#fills.length > FORCED_MAX) this.#fills.shift();
  }
}
