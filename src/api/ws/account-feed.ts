/** The private topics of one account. Events of a command are collected and pushed together, each once, in order. */

import { OrderKind, SIDE_NAMES } from '../../core/model/enums.ts';
import type { Event, FillRecord } from '../../core/model/event.ts';
import { priceText, sizeText } from '../routes/market/market-view.ts';
import type { Channel } from './channel.ts';
import { fastFillData, fillData, orderData, strategyData } from './private-views.ts';
import type { StreamContext } from './stream-context.ts';
import type { PrivateTopic } from './topic-request.ts';
import { AccountChannel } from './topics/account.ts';
import { EventChannel } from './topics/event-channel.ts';
import { PositionChannel } from './topics/position.ts';

type EventTopic = Exclude<PrivateTopic, 'account' | 'position'>;

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
    for (const [topic, channel] of this.channels) {
      if (channel instanceof EventChannel) channel.publish(this.records(topic as EventTopic, events));
    }
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
        return new EventChannel(key, this.context, topic === 'adl-notification' ? 'update' : 'snapshot');
    }
  }

  private records(topic: EventTopic, events: readonly Event[]) {
    const { state } = this.context.sequencer;
    switch (topic) {
      case 'order':
        return events.flatMap((event) => (event.type === 'order' ? [orderData(state, event)] : []));
      case 'fill':
        return events.flatMap((event) => (event.type === 'fill' ? [fillData(state, event.fill)] : []));
      case 'fast-fill':
        return events.flatMap((event) => (event.type === 'fill' ? [fastFillData(state, event.fill)] : []));
      case 'strategy-order':
        return events.flatMap((event) =>
          event.type === 'strategyOrder' ? [strategyData(state, event.order)] : [],
        );
      case 'adl-notification':
        return events.flatMap((event) =>
          event.type === 'fill' && event.fill.futures?.kind === OrderKind.adl
            ? [this.deleveraged(event.fill)]
            : [],
        );
    }
  }

  private deleveraged(fill: FillRecord) {
    const instrument = this.context.sequencer.state.instruments[fill.instrument]!;
    return {
      category: instrument.spec.category.toLowerCase(),
      symbol: instrument.symbol,
      side: SIDE_NAMES[fill.side],
      status: 'triggered',
      price: priceText(instrument, fill.priceTicks),
      amount: sizeText(instrument, fill.sizeLots),
      ts: String(fill.time),
    };
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
      const wallMs = this.context.wall.now();
      this.account?.poll(wallMs);
      this.position?.poll(wallMs);
    });
  }
}
