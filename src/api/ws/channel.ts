/** A channel: its readers, and how a reader joins. */
import type { Push } from './frames.ts';
import type { Subscription } from './subscription.ts';

export abstract class Channel {
  readonly key: string;
  /** Each push of a snapshot topic replaces the one before; a slow reader may miss some. */
  abstract readonly replaceable: boolean;
  /** Pushes that are being sent. */
  underWay = 0;
  private readonly readers = new Set<Subscription>();
  private list: readonly Subscription[] | undefined;

  constructor(key: string) {
    this.key = key;
  }

  /** Sends the first push, if the topic has one, and every push after it. */
  abstract enter(subscription: Subscription): void;

  /** The same connection subscribes again (wire 5.2); most topics do nothing. */
  again(_subscription: Subscription): void {}

  get members(): readonly Subscription[] {
    this.list ??= [...this.readers];
    return this.list;
  }

  add(subscription: Subscription): void {
    if (!subscription.live) return;
    this.readers.add(subscription);
    this.list = undefined;
  }

  leave(subscription: Subscription): void {
    subscription.live = false;
    this.readers.delete(subscription);
    this.list = undefined;
  }

  /** The push for a reader whose first push already held a part of it; undefined when nothing is left. */
  without(_push: Push, _afterSeq: number): Push | undefined {
    return undefined;
  }
}
