/** Forced closes for the public: the largest of each pair and side, at most once a second (wire 5.3). */

import type { Category, CategoryName } from '../../../core/model/enums.ts';
import type { FillRecord } from '../../../core/model/event.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { liquidationView } from '../../../views/market-record-view.ts';
import { categoryCode } from '../../wire/instrument-lookup.ts';
import type { Push } from '../frames.ts';
import { SnapshotChannel } from '../snapshot-channel.ts';
import type { StreamContext } from '../stream-context.ts';
import type { Subscription } from '../subscription.ts';

export class LiquidationChannel extends SnapshotChannel {
  override readonly replaceable = false;
  protected override readonly pauseMs = 1_000;
  /** By instrument and side. */
  private largest = new Map<string, FillRecord>();

  private readonly category: Category;
  /** Undefined for every symbol of the category. */
  private readonly instrument: Instrument | undefined;

  constructor(
    key: string,
    context: StreamContext,
    category: CategoryName,
    instrument: Instrument | undefined,
  ) {
    super(key, context);
    this.category = categoryCode(category);
    this.instrument = instrument;
  }

  liquidated(fill: FillRecord): void {
    if (fill.category !== this.category) return;
    if (this.instrument !== undefined && fill.instrument !== this.instrument.index) return;
    const name = `${fill.instrument} ${fill.side}`;
    const known = this.largest.get(name);
    if (known === undefined || fill.sizeLots > known.sizeLots) this.largest.set(name, fill);
  }

  override enter(subscription: Subscription): void {
    this.add(subscription);
  }

  protected override hasChanged(): boolean {
    return this.largest.size > 0;
  }

  protected override next(nowMs: number): Push {
    const { instruments } = this.context.sequencer.state;
    const data = [...this.largest.values()].map((fill) =>
      liquidationView(fill, instruments[fill.instrument]!),
    );
    this.largest = new Map();
    return { action: 'update', data: JSON.stringify(data), ts: nowMs };
  }

  protected override whole(nowMs: number): Push {
    return { action: 'update', data: '[]', ts: nowMs };
  }
}
