/**
 * All open channels and their sources: events as they become durable, and a regular poll of the state. A channel
 * exists while it has readers, so that topics without readers cost nothing.
 */
import type { Event } from '../../core/model/event.ts';
import type { Published } from '../../sequencer/sequencer.ts';
import { isLiquidation } from '../../views/market-record-view.ts';
import { AccountFeed } from './account-feed.ts';
import type { Channel } from './channel.ts';
import type { Connection } from './connection.ts';
import { POLL_INTERVAL_MS } from './limits.ts';
import { SnapshotChannel } from './snapshot-channel.ts';
import type { StreamContext } from './stream-context.ts';
import type { StreamMetrics } from './stream-metrics.ts';
import { Subscription } from './subscription.ts';
import { BOOK_TOPICS, type TopicRequest } from './topic-request.ts';
import { BestLevelsChannel, BookChannel } from './topics/book.ts';
import { KlineChannel } from './topics/kline.ts';
import { LiquidationChannel } from './topics/liquidation.ts';
import { PublicTradeChannel } from './topics/public-trade.ts';
import { TickerChannel } from './topics/ticker.ts';

type PublicRequest = Extract<TopicRequest, { kind: 'public' }>;

interface Open {
  readonly channel: Channel;
  /** Subscriptions, including those that wait for their first push. */
  count: number;
}

export class Channels {
  private readonly context: StreamContext;
  private readonly metrics: StreamMetrics;
  private readonly open = new Map<string, Open>();
  private readonly polled = new Set<SnapshotChannel>();
  private readonly feeds = new Map<number, AccountFeed>();
  private readonly feedOf = new WeakMap<Channel, AccountFeed>();
  /** By the instrument that trades. */
  private readonly trades = new Map<number, Set<PublicTradeChannel>>();
  private readonly candles = new Map<number, Set<KlineChannel>>();
  private readonly liquidations = new Set<LiquidationChannel>();
  private polling: NodeJS.Timeout | undefined;

  constructor(context: StreamContext, metrics: StreamMetrics) {
    this.context = context;
    this.metrics = metrics;
    context.sequencer.onPublished((published) => this.published(published));
  }

  subscribe(connection: Connection, request: TopicRequest, arg: string): void {
    const known = connection.subscriptions.get(request.key);
    if (known !== undefined) {
      known.arg = arg;
      this.open.get(known.channelKey)!.channel.again(known);
      return;
    }
    const key = request.kind === 'private' ? `${connection.caller!.user.uid} ${request.topic}` : request.key;
    let open = this.open.get(key);
    if (open === undefined) {
      open = { channel: this.openChannel(key, connection, request), count: 0 };
      this.open.set(key, open);
    }
    open.count++;
    this.metrics.subscriptions++;
    const subscription = new Subscription(connection, key, arg);
    connection.subscriptions.set(request.key, subscription);
    open.channel.enter(subscription);
  }

  unsubscribe(connection: Connection, key: string): void {
    const subscription = connection.subscriptions.get(key);
    if (subscription === undefined) return;
    connection.subscriptions.delete(key);
    const open = this.open.get(subscription.channelKey)!;
    const { channel } = open;
    channel.leave(subscription);
    this.metrics.subscriptions--;
    if (--open.count > 0) return;
    this.open.delete(channel.key);
    this.closeChannel(channel);
  }

  leave(connection: Connection): void {
    for (const key of [...connection.subscriptions.keys()]) this.unsubscribe(connection, key);
  }

  close(): void {
    clearInterval(this.polling);
    this.polling = undefined;
  }

  private openChannel(key: string, connection: Connection, request: TopicRequest): Channel {
    if (request.kind === 'private') {
      const { uid } = connection.caller!.user;
      let feed = this.feeds.get(uid);
      if (feed === undefined) {
        feed = new AccountFeed(this.context, uid);
        this.feeds.set(uid, feed);
      }
      const channel = feed.open(key, request.topic);
      this.feedOf.set(channel, feed);
      return this.track(channel);
    }
    return this.track(this.openPublic(key, request));
  }

  private openPublic(key: string, request: PublicRequest): Channel {
    const { context } = this;
    if (request.topic === 'liquidation') {
      const channel = new LiquidationChannel(key, context, request.category, request.instrument);
      this.liquidations.add(channel);
      return channel;
    }
    const instrument = request.instrument!;
    const traded = context.sequencer.state.market(instrument).instrument;
    switch (request.topic) {
      case 'ticker':
        return new TickerChannel(key, context, instrument);
      case 'kline': {
        const channel = new KlineChannel(key, context, instrument, request.interval!);
        enlist(this.candles, traded, channel);
        return channel;
      }
      case 'publicTrade': {
        const channel = new PublicTradeChannel(key, context, instrument);
        enlist(this.trades, traded, channel);
        return channel;
      }
      default: {
        const { kind, levels } = BOOK_TOPICS[request.topic];
        if (levels === undefined) return new BookChannel(key, context, instrument, kind);
        return new BestLevelsChannel(key, context, instrument, kind, levels);
      }
    }
  }

  private track(channel: Channel): Channel {
    if (!(channel instanceof SnapshotChannel)) return channel;
    this.polled.add(channel);
    if (this.context.driven !== true) this.polling ??= setInterval(() => this.poll(), POLL_INTERVAL_MS);
    return channel;
  }

  private closeChannel(channel: Channel): void {
    if (channel instanceof SnapshotChannel) this.polled.delete(channel);
    if (channel instanceof LiquidationChannel) this.liquidations.delete(channel);
    if (channel instanceof PublicTradeChannel) delist(this.trades, channel);
    if (channel instanceof KlineChannel) delist(this.candles, channel);
    const feed = this.feedOf.get(channel);
    if (feed?.close(channel)) this.feeds.delete(feed.uid);
    if (this.polled.size === 0) this.close();
  }

  /** Pushes what has changed and is due. */
  poll(): void {
    const wallMs = this.context.wallClock.now();
    for (const channel of this.polled) channel.poll(wallMs);
  }

  private published({ seq, events }: Published): void {
    if (this.open.size === 0) return;
    const busy = new Set<AccountFeed>();
    for (const event of events) {
      this.pushPublic(seq, event);
      const uid = ownerOf(event);
      const feed = uid === undefined ? undefined : this.feeds.get(uid);
      if (feed === undefined) continue;
      feed.note(event);
      busy.add(feed);
    }
    for (const feed of busy) feed.flush();
  }

  private pushPublic(seq: number, event: Event): void {
    switch (event.type) {
      case 'trade':
        for (const channel of this.trades.get(event.instrument) ?? []) channel.traded(seq, event);
        return;
      case 'candle':
        for (const channel of this.candles.get(event.instrument) ?? []) channel.closed(event);
        return;
      case 'fill':
        if (this.liquidations.size === 0 || !isLiquidation(event.fill)) return;
        for (const channel of this.liquidations) channel.liquidated(event.fill);
        return;
      default:
    }
  }
}

/** The account whose private topics an event concerns; a transfer has a ledger line at each end. */
function ownerOf(event: Event): number | undefined {
  if (event.type === 'order' || event.type === 'strategyOrder') return event.order.uid;
  if (event.type === 'fill') return event.fill.uid;
  return 'uid' in event ? event.uid : undefined;
}

function enlist<T>(lists: Map<number, Set<T>>, name: number, item: T): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, new Set([item]));
  else list.add(item);
}

function delist<T>(lists: Map<number, Set<T>>, item: T): void {
  for (const [name, list] of lists) if (list.delete(item) && list.size === 0) lists.delete(name);
}
