/**
 * A topic that shows the present state: it is polled regularly and pushed when it has changed and its pause is over.
 * A push leaves when the state that it shows is durable (`durable-gate.ts`).
 */
import { Channel } from './channel.ts';
import type { Push } from './frames.ts';
import type { StreamContext } from './stream-context.ts';
import type { Subscription } from './subscription.ts';

export abstract class SnapshotChannel extends Channel {
  protected readonly context: StreamContext;
  /** Least time between two pushes. */
  protected abstract readonly pauseMs: number;
  /** By the machine's clock. */
  private pushedMs = 0;
  private newest: Push | undefined;

  constructor(key: string, context: StreamContext) {
    super(key);
    this.context = context;
  }

  /** Must be cheap: called every few milliseconds. */
  protected abstract hasChanged(wallMs: number): boolean;
  /** The changes since the last push; undefined when none is visible. */
  protected abstract next(nowMs: number): Push | undefined;
  /** The complete state, for a new reader. */
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

  /** The state that was read is durable now, and so are all events before it. */
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

  /** Slow readers get the newest push as soon as they have read everything that waited for them. */
  private catchUp(): void {
    if (this.newest === undefined || this.underWay > 0) return;
    for (const reader of this.members) {
      if (!reader.behind || reader.connection.unsentBytes > 0) continue;
      reader.behind = false;
      reader.push(this.newest);
    }
  }
}
