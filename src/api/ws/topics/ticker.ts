/** Best prices and the rolling 24 hours of one instrument, complete in each push (wire 5.3). */
import type { Instrument } from '../../../core/model/instrument.ts';
import type { Market } from '../../../core/state/market.ts';
import { tickerView } from '../../routes/market/market-view.ts';
import type { Push } from '../frames.ts';
import { SnapshotChannel } from '../snapshot-channel.ts';
import type { StreamContext } from '../stream-context.ts';
import type { Subscription } from '../subscription.ts';

const SPOT_PAUSE_MS = 200;
const FUTURES_PAUSE_MS = 300;
/** Old trades leave the 24 hours, and prices of contracts move, without a change of the book. */
const RECHECK_MS = 1_000;

export class TickerChannel extends SnapshotChannel {
  override readonly replaceable = true;
  protected override readonly pauseMs: number;
  private readonly instrument: Instrument;
  private readonly market: Market;
  private seenChanges: number;
  private seenMs = 0;
  private seen: string;

  constructor(key: string, context: StreamContext, instrument: Instrument) {
    super(key, context);
    this.instrument = instrument;
    this.market = context.sequencer.state.market(instrument);
    this.pauseMs = instrument.futures === undefined ? SPOT_PAUSE_MS : FUTURES_PAUSE_MS;
    // The first reader gets exactly this push.
    this.seenChanges = this.market.changes;
    this.seen = withoutTime(this.view());
  }

  override again(subscription: Subscription): void {
    const push = this.whole(this.context.clock.now());
    this.context.durable.whenDurable(() => subscription.push(push));
  }

  protected override hasChanged(wallMs: number): boolean {
    if (this.market.changes === this.seenChanges && wallMs - this.seenMs < RECHECK_MS) return false;
    this.seenMs = wallMs;
    return true;
  }

  protected override next(nowMs: number): Push | undefined {
    this.seenChanges = this.market.changes;
    const view = this.view();
    const text = withoutTime(view);
    if (text === this.seen) return undefined;
    this.seen = text;
    return { action: 'snapshot', data: `[${JSON.stringify(view)}]`, ts: nowMs };
  }

  protected override whole(nowMs: number): Push {
    return { action: 'snapshot', data: `[${JSON.stringify(this.view())}]`, ts: nowMs };
  }

  private view(): Record<string, string> {
    const view = tickerView(this.context.sequencer, this.instrument);
    const { futures } = this.market;
    if (futures === undefined || !Number.isFinite(futures.nextFunding)) return view;
    return { ...view, nextFundingTime: String(futures.nextFunding) };
  }
}

function withoutTime(view: Readonly<Record<string, string>>): string {
  return JSON.stringify({ ...view, ts: '' });
}
