/** Balances and equity of an account: at the start, after each change, and every five seconds (wire 5.4). */

import type { Push } from '../frames.ts';
import { accountData } from '../private-views.ts';
import { SnapshotChannel } from '../snapshot-channel.ts';
import type { StreamContext } from '../stream-context.ts';
import type { Subscription } from '../subscription.ts';

const REPEAT_MS = 5_000;

export class AccountChannel extends SnapshotChannel {
  override readonly replaceable = true;
  protected override readonly pauseMs = 50;
  private readonly uid: number;
  private touched = false;
  private sentMs: number;

  constructor(key: string, context: StreamContext, uid: number) {
    super(key, context);
    this.uid = uid;
    this.sentMs = context.wall.now();
  }

  touch(): void {
    this.touched = true;
  }

  override again(subscription: Subscription): void {
    const push = this.whole(this.context.clock.now());
    this.context.durable.whenDurable(() => subscription.push(push));
  }

  protected override hasChanged(wallMs: number): boolean {
    if (!this.touched && wallMs - this.sentMs < REPEAT_MS) return false;
    this.sentMs = wallMs;
    return true;
  }

  protected override next(nowMs: number): Push {
    this.touched = false;
    return this.whole(nowMs);
  }

  protected override whole(nowMs: number): Push {
    return {
      action: 'snapshot',
      data: JSON.stringify([accountData(this.context.sequencer.state, this.uid)]),
      ts: nowMs,
    };
  }
}
