/**
 * A topic that tells how things stand: it is looked at regularly, and pushed when it has changed and its pause is over.
 * What was read from the state leaves when it is durable (`durable-gate.ts`).
 */
import { Channel } from './channel.ts';
import type { Push } from './frames.ts';
import type { StreamContext } from './stream-context.ts';
import type { Subscription } from './subscription.ts';

export abstract class SnapshotChannel extends Channel {
  protected readonly context: StreamContext;
  /** At most one push in so many milliseconds. */
  protected abstract readonly pauseMs: number;
  /** By the machine's clock. */
  private pushedMs = 0;
  private newest: Push | undefined;

  constructor(key: string, context: StreamContext) {
    super(key);
    this.context = context;
  }

  /** Cheap: asked every few milliseconds. */
  protected abstract hasChanged(wallMs: number): boolean;
  /** What changed since the last one; undefined when nothing that shows. */
  protected abstract next(nowMs: number): Push | undefined;
  /** Everything, for a reader who has nothing yet. */
  protected abstract whole(nowMs: number): Push;

  poll(wallMs: number): void {
    if (this.replaceable) this.catchUp();
    if (this.underWay > 0 || wallMs - this.pushedMs < this.pauseMs || !this.hasChanged(wallMs)) return;
    const push = this.next(this.context.clock.now());
    if (push === undefined) return;
    this.pushedMs = wallMs;
    this.underWay++;
    this.context.durable.whenDurable(() => {
      this.underWay--;
      this.newest = this.onDurable(push);
      this.context.fanout.broadcast(this, this.newest);
    });
  }

  /** What was read is durable now, and so is everything that happened before it. */
  protected onDurable(push: Push): Push {
    return push;
  }

  override enter(subscription: Subscription): void {
    const push = this.whole(this.context.clock.now());
    this.context.durable.whenDurable(() => {
      subscription.push(push);
      this.add(subscription);
    });
  }

  /** Readers that were behind get the newest as soon as they have read what waited for them. */
  private catchUp(): void {
    if (this.newest === undefined || this.underWay > 0) return;
    for (const reader of this.members) {
      if (!reader.behind || reader.connection.unsentBytes > 0) continue;
      reader.behind = false;
      reader.push(this.newest);
    }
  }
}
