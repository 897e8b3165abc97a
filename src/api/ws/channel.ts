/** What can be subscribed to: its readers, and how a reader is let in. */
import type { Push } from './frames.ts';
import type { Subscription } from './subscription.ts';

export abstract class Channel {
  readonly key: string;
  /** A push of a topic that shows how things stand is replaced by the next one; readers that are behind may miss it. */
  abstract readonly replaceable: boolean;
  /** Pushes on their way to the readers. */
  underWay = 0;
  private readonly readers = new Set<Subscription>();
  private list: readonly Subscription[] | undefined;

  constructor(key: string) {
    this.key = key;
  }

  /** Sends the first push, if the topic has one, and everything after it from then on. */
  abstract enter(subscription: Subscription): void;

  /** The same connection subscribes once more (wire 5.2); most topics have nothing to say to that. */
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

  /** Written for one reader when its first push holds a part of what all get; undefined when nothing is left. */
  without(_push: Push, _afterSeq: number): Push | undefined {
    return undefined;
  }
}
