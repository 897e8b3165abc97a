/**
 * Positions of an account (wire 5.4). `snapshot` is the complete list, at the start and every five seconds: one
 * client clears its memory on it. `update` holds positions that opened, changed or ended; an ended one has size 0.
 */
import type { PositionClosed } from '../../../core/model/event.ts';
import { type PositionView, positionViews } from '../../../core/reads/position-reads.ts';
import type { Push } from '../frames.ts';
import { SnapshotChannel } from '../snapshot-channel.ts';
import type { StreamContext } from '../stream-context.ts';
import type { Subscription } from '../subscription.ts';
import { endedPositionData, type PositionData, positionData } from './position-data.ts';

const REPEAT_MS = 5_000;

export class PositionChannel extends SnapshotChannel {
  override readonly replaceable = false;
  protected override readonly pauseMs = 50;
  private readonly uid: number;
  private touched = false;
  /** Time of the last complete list. */
  private completeMs: number;
  private completeDue = false;
  private ended: PositionClosed[] = [];
  /** Fingerprint of each open position in the last push. */
  private sent = new Map<number, string>();
  /** For the push that is being sent: the open positions when it was read, and the rows that it contains. */
  private reading: Reading = { open: new Set(), rows: [] };

  constructor(key: string, context: StreamContext, uid: number) {
    super(key, context);
    this.uid = uid;
    this.completeMs = context.wallClock.now();
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
    const push = this.whole(this.context.clock.now());
    this.context.durable.whenDurable(() => subscription.push(push));
  }

  protected override hasChanged(wallMs: number): boolean {
    // The list is due even while the account changes constantly; it waits only for ended positions that were not
    // pushed yet.
    this.completeDue = wallMs - this.completeMs >= REPEAT_MS && this.ended.length === 0;
    if (this.completeDue) this.completeMs = wallMs;
    return this.touched || this.completeDue;
  }

  protected override next(nowMs: number): Push | undefined {
    this.touched = false;
    const before = this.sent;
    const open = this.read();
    this.remember(open);
    const news = open.filter((position) => before.get(position.positionId) !== fingerprint(position));
    if (!this.completeDue && news.length + this.ended.length === 0) return undefined;
    const shown = this.completeDue ? open : news;
    this.reading = {
      open: new Set(open.map(({ positionId }) => positionId)),
      rows: shown.map((position) => positionData(this.context.sequencer.state, position)),
    };
    return { action: this.completeDue ? 'snapshot' : 'update', data: '[]', ts: nowMs };
  }

  /**
   * The state is ahead of the known ends: a reversed position must end before its other side opens. A position that
   * the reading shows as open and that has ended since is pushed next. A complete list cannot contain ended
   * positions: it becomes an update, and the list comes next.
   */
  protected override onDurable(push: Push): Push {
    const { state } = this.context.sequencer;
    const { open, rows } = this.reading;
    const ended = this.ended.filter(({ positionId }) => !open.has(positionId));
    this.ended = this.ended.filter(({ positionId }) => open.has(positionId));
    const data = JSON.stringify([...ended.map((position) => endedPositionData(state, position)), ...rows]);
    if (ended.length === 0 || push.action === 'update') return { ...push, data };
    this.completeMs -= REPEAT_MS;
    return { ...push, action: 'update', data };
  }

  protected override whole(nowMs: number): Push {
    return this.complete(this.read(), nowMs);
  }

  private complete(open: readonly PositionView[], nowMs: number): Push {
    const { state } = this.context.sequencer;
    const data = open.map((position) => positionData(state, position));
    return { action: 'snapshot', data: JSON.stringify(data), ts: nowMs };
  }

  private read(): PositionView[] {
    return positionViews(this.context.sequencer.state, this.uid);
  }

  private remember(open: readonly PositionView[]): void {
    this.sent = new Map(open.map((position) => [position.positionId, fingerprint(position)]));
  }
}

interface Reading {
  readonly open: ReadonlySet<number>;
  readonly rows: readonly PositionData[];
}

/** Fields that change with the position itself and not with prices alone. */
function fingerprint(position: PositionView): string {
  const { totalLots, leverage, isolated, realised, funding, fundingOwed } = position;
  const { openFee, closeFee, updatedTime } = position;
  const margin = isolated ? position.balance : 0n;
  const money = [margin, realised, funding, fundingOwed, openFee, closeFee];
  return [totalLots, leverage, isolated, ...money, updatedTime].join(' ');
}
