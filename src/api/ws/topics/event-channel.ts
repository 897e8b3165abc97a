/**
 * What the private topics of events share: each order change, fill or notice is pushed once, in order, to the sockets of
 * its owner. Each topic has a file beside this one.
 */
import type { Event } from '../../../core/model/event.ts';
import { Channel } from '../channel.ts';
import { type Action, type Push, pushText, textFrame } from '../frames.ts';
import { RECORDS_PER_PUSH_MAX } from '../limits.ts';
import type { StreamContext } from '../stream-context.ts';
import type { Subscription } from '../subscription.ts';

/** One client takes the category of a push from its first record (wire 5.4). */
export interface EventRecord {
  readonly category: string;
}

export abstract class EventChannel extends Channel {
  /** No event may be missed: a reader that is too slow is disconnected and can query over HTTP. */
  override readonly replaceable = false;
  protected readonly action: Action = 'snapshot';
  protected readonly context: StreamContext;

  constructor(key: string, context: StreamContext) {
    super(key);
    this.context = context;
  }

  /** What the topic shows of the events of one command. */
  protected abstract records(events: readonly Event[]): readonly EventRecord[];

  override enter(subscription: Subscription): void {
    this.add(subscription);
  }

  /** Pushes the events of one command, in order. */
  publish(events: readonly Event[]): void {
    const records = this.records(events);
    for (let from = 0; from < records.length; ) {
      const { category } = records[from]!;
      let to = from + 1;
      while (to < records.length && to - from < RECORDS_PER_PUSH_MAX && records[to]!.category === category) {
        to++;
      }
      this.send(records.slice(from, to));
      from = to;
    }
  }

  private send(records: readonly EventRecord[]): void {
    const push: Push = { action: this.action, data: JSON.stringify(records), ts: this.context.clock.now() };
    for (const { connection, arg } of this.members) connection.deliver(textFrame(pushText(push, arg)));
  }
}
