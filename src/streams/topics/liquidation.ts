/** Forced closes as the public sees them: the largest of each pair and side, at most once a second (wire.md 5.3). */
import type { FillRecord } from '../../core/event.ts';
import type { Instrument } from '../../core/instrument.ts';
import { type Category, type CategoryName, OrderKind, Side } from '../../core/terms.ts';
import { categoryCode } from '../../gateway/instrument-lookup.ts';
import { priceText, sizeText } from '../../gateway/market-view.ts';
import type { Floor } from '../floor.ts';
import type { Push } from '../frames.ts';
import { StandingChannel } from '../standing-channel.ts';
import type { Subscription } from '../subscription.ts';

const FORCED_KINDS: ReadonlySet<OrderKind> = new Set([OrderKind.liquidation, OrderKind.reduce]);

/** Was the fill a forced close of its owner? */
export function isLiquidation(fill: FillRecord): boolean {
  return fill.futures !== undefined && FORCED_KINDS.has(fill.futures.kind);
}

export class LiquidationChannel extends StandingChannel {
  override readonly replaceable = false;
  protected override readonly pauseMs = 1_000;
  /** By instrument and side. */
  private largest = new Map<string, FillRecord>();

  private readonly category: Category;
  /** Undefined for every symbol of the category. */
  private readonly instrument: Instrument | undefined;

  constructor(key: string, floor: Floor, category: CategoryName, instrument: Instrument | undefined) {
    super(key, floor);
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
    const { instruments } = this.floor.venue.state;
    const data = [...this.largest.values()].map((fill) =>
      liquidationData(fill, instruments[fill.instrument]!),
    );
    this.largest = new Map();
    return { action: 'update', data: JSON.stringify(data), ts: nowMs };
  }

  protected override whole(nowMs: number): Push {
    return { action: 'update', data: '[]', ts: nowMs };
  }
}

/** A sell closes a long, and the side names what was liquidated. */
function liquidationData(fill: FillRecord, instrument: Instrument) {
  return {
    symbol: instrument.symbol,
    side: fill.side === Side.sell ? 'buy' : 'sell',
    price: priceText(instrument, fill.priceTicks),
    amount: sizeText(instrument, fill.sizeLots),
    ts: String(fill.time),
  };
}
