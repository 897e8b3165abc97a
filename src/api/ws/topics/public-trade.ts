/** Public trades of one instrument as they become durable, newest first in a push; the latest ones at the start. */
import type { Traded } from '../../../core/model/event.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { publicFills } from '../../../core/reads/reads.ts';
import { publicFillView } from '../../routes/market/market-view.ts';
import { Channel } from '../channel.ts';
import type { Push } from '../frames.ts';
import { FIRST_TRADES, TRADE_REST_PER_READER_MS } from '../limits.ts';
import type { StreamContext } from '../stream-context.ts';
import type { Subscription } from '../subscription.ts';

interface Print {
  readonly seq: number;
  readonly text: string;
}

/** A push with its parts, for a reader whose first push contained some of them. */
interface TradePush extends Push {
  /** Oldest first. */
  readonly prints: readonly Print[];
}

export class PublicTradeChannel extends Channel {
  override readonly replaceable = false;
  private readonly context: StreamContext;
  private readonly instrument: Instrument;
  private pending: Print[] = [];
  private sending = false;
  /** When the next push may begin. */
  private restedMs = 0;

  constructor(key: string, context: StreamContext, instrument: Instrument) {
    super(key);
    this.context = context;
    this.instrument = instrument;
  }

  override enter(subscription: Subscription): void {
    const { sequencer, durable, clock } = this.context;
    const trades = publicFills(sequencer.state, this.instrument, FIRST_TRADES);
    subscription.afterSeq = sequencer.appliedSeq;
    const data = `[${trades.map((trade) => tradeText(trade, this.instrument)).join(',')}]`;
    const push: Push = { action: 'snapshot', data, ts: clock.now() };
    durable.whenDurable(() => {
      // A market without trades has no first push; the first trade is pushed when it happens.
      if (trades.length > 0) subscription.push(push);
    });
    this.add(subscription);
  }

  traded(seq: number, trade: Traded): void {
    if (this.members.length === 0) return;
    this.pending.push({ seq, text: tradeText(trade, this.instrument) });
    if (this.sending) return;
    this.sending = true;
    const restMs = this.context.driven === true ? 0 : this.restedMs - performance.now();
    if (restMs > 0) setTimeout(() => this.flush(), restMs);
    else setImmediate(() => this.flush());
  }

  override without(push: Push, afterSeq: number): Push | undefined {
    const left = (push as TradePush).prints.filter(({ seq }) => seq > afterSeq);
    return left.length === 0 ? undefined : this.pushOf(left, push.ts);
  }

  /** Trades are collected while the last push is being sent. */
  private flush(): void {
    if (this.underWay > 0) {
      setImmediate(() => this.flush());
      return;
    }
    this.sending = false;
    const prints = this.pending;
    this.pending = [];
    const push = this.pushOf(prints, this.context.clock.now());
    this.restedMs = performance.now() + this.members.length * TRADE_REST_PER_READER_MS;
    this.context.fanout.broadcast(this, push, prints[0]!.seq, prints.at(-1)!.seq);
  }

  private pushOf(prints: readonly Print[], ts: number): TradePush {
    const newestFirst = prints.map(({ text }) => text).reverse();
    return { action: 'update', data: `[${newestFirst.join(',')}]`, ts, prints };
  }
}

/** The price under both names: one client reads only the capital one (wire rule 9). */
function tradeText(trade: Traded, instrument: Instrument): string {
  const { execId, execLinkId, price, size, side, ts, isRPI } = publicFillView(trade, instrument);
  return JSON.stringify({ i: execId, L: execLinkId, p: price, P: price, v: size, S: side, T: ts, isRPI });
}
