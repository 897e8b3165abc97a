/** The private topics of one account. Events of a command are collected and pushed together, each once, in order. */

import type { Event } from '../../core/model/event.ts';
import type { Channel } from './channel.ts';
import type { StreamContext } from './stream-context.ts';
import type { PrivateTopic } from './topic-request.ts';
import { AccountChannel } from './topics/account.ts';
import { AdlNotificationChannel } from './topics/adl-notification.ts';
import { EventChannel } from './topics/event-channel.ts';
import { FastFillChannel } from './topics/fast-fill.ts';
import { FillChannel } from './topics/fill.ts';
import { OrderChannel } from './topics/order.ts';
import { PositionChannel } from './topics/position.ts';
import { StrategyOrderChannel } from './topics/strategy-order.ts';

const EVENT_CHANNELS = {
  order: OrderChannel,
  fill: FillChannel,
  'fast-fill': FastFillChannel,
  'strategy-order': StrategyOrderChannel,
  'adl-notification': AdlNotificationChannel,
} as const satisfies Readonly<Record<Exclude<PrivateTopic, 'account' | 'position'>, unknown>>;

export class AccountFeed {
  readonly uid: number;
  private readonly context: StreamContext;
  private readonly channels = new Map<PrivateTopic, Channel>();
  private account: AccountChannel | undefined;
  private position: PositionChannel | undefined;
  private events: Event[] = [];
  private refreshDue = false;

  constructor(context: StreamContext, uid: number) {
    this.context = context;
    this.uid = uid;
  }

  open(key: string, topic: PrivateTopic): Channel {
    const channel = this.make(key, topic);
    this.channels.set(topic, channel);
    return channel;
  }

  /** True when no topic is left. */
  close(channel: Channel): boolean {
    for (const [topic, open] of this.channels) if (open === channel) this.channels.delete(topic);
    if (channel === this.account) this.account = undefined;
    if (channel === this.position) this.position = undefined;
    return this.channels.size === 0;
  }

  note(event: Event): void {
    this.events.push(event);
  }

  /** Pushes the events that were collected for one command. */
  flush(): void {
    const { events } = this;
    this.events = [];
    for (const channel of this.channels.values())
      if (channel instanceof EventChannel) channel.publish(events);
    this.touchSnapshots(events);
  }

  private make(key: string, topic: PrivateTopic): Channel {
    switch (topic) {
      case 'account':
        this.account = new AccountChannel(key, this.context, this.uid);
        return this.account;
      case 'position':
        this.position = new PositionChannel(key, this.context, this.uid);
        return this.position;
      default:
        return new EVENT_CHANNELS[topic](key, this.context);
    }
  }

  private touchSnapshots(events: readonly Event[]): void {
    this.account?.touch();
    if (this.position !== undefined) {
      for (const event of events) {
        if (event.type === 'positionClosed') this.position.closed(event);
        else if (event.type !== 'order') this.position.touch();
      }
    }
    if (this.refreshDue || (this.account === undefined && this.position === undefined)) return;
    this.refreshDue = true;
    // One poll for all commands that became durable together.
    queueMicrotask(() => {
      this.refreshDue = false;
      const wallMs = this.context.wallClock.now();
      this.account?.poll(wallMs);
      this.position?.poll(wallMs);
    });
  }
}
