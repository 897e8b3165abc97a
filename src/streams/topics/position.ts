/**
 * Positions of an account (wire.md 5.4). `snapshot` is the complete list, at the start and every five seconds: one
 * client empties its memory on it. `update` holds what opened, changed or ended; an ended one has size 0.
 */
import type { PositionClosed } from '../../core/event.ts';
import { type PositionView, positionViews } from '../../core/futures/position-reads.ts';
import type { Floor } from '../floor.ts';
import type { Push } from '../frames.ts';
import { endedPositionData, positionData } from '../private-views.ts';
import { StandingChannel } from '../standing-channel.ts';
import type { Subscription } from '../subscription.ts';

const REPEAT_MS = 5_000;

export class PositionChannel extends StandingChannel {
  override readonly replaceable = false;
  protected override readonly pauseMs = 50;
  private readonly uid: number;
  private touched = false;
  /** When the complete list was told last. */
  private completeMs: number;
  private completeDue = false;
  private ended: PositionClosed[] = [];
  /** How each open position stood in the last push. */
  private told = new Map<number, string>();

  constructor(key: string, floor: Floor, uid: number) {
    super(key, floor);
    this.uid = uid;
    this.completeMs = floor.wall.now();
    this.remember(this.read());
  }

  touch(): void {
    this.touched = true;
  }

  closed(position: PositionClosed): void {
    this.ended.push(position);
    this.touched = true;
  }

  override again(subscription: Subscription): void {
    const push = this.whole(this.floor.clock.now());
    this.floor.settled.whenSettled(() => subscription.push(push));
  }

  protected override hasChanged(wallMs: number): boolean {
    // Also while the account never rests: the list waits only for what has to be told as ended.
    this.completeDue = wallMs - this.completeMs >= REPEAT_MS && this.ended.length === 0;
    if (this.completeDue) this.completeMs = wallMs;
    return this.touched || this.completeDue;
  }

  protected override next(nowMs: number): Push | undefined {
    const { state } = this.floor.venue;
    this.touched = false;
    const before = this.told;
    const open = this.read();
    this.remember(open);
    if (this.completeDue) return this.complete(open, nowMs);
    const ended = this.ended.map((position) => endedPositionData(state, position));
    this.ended = [];
    const news = open.filter((position) => before.get(position.positionId) !== standing(position));
    const data = [...ended, ...news.map((position) => positionData(state, position))];
    return data.length === 0 ? undefined : { action: 'update', data: JSON.stringify(data), ts: nowMs };
  }

  protected override whole(nowMs: number): Push {
    return this.complete(this.read(), nowMs);
  }

  private complete(open: readonly PositionView[], nowMs: number): Push {
    const { state } = this.floor.venue;
    const data = open.map((position) => positionData(state, position));
    return { action: 'snapshot', data: JSON.stringify(data), ts: nowMs };
  }

  private read(): PositionView[] {
    return positionViews(this.floor.venue.state, this.uid);
  }

  private remember(open: readonly PositionView[]): void {
    this.told = new Map(open.map((position) => [position.positionId, standing(position)]));
  }
}

/** What a change of the position itself changes: prices alone do not. */
function standing(position: PositionView): string {
  const { totalLots, leverage, isolated, realised, funding, openFee, closeFee, updatedTime } = position;
  const margin = isolated ? position.balance : 0n;
  return [totalLots, leverage, isolated, margin, realised, funding, openFee, closeFee, updatedTime].join(' ');
}
