/**
 * The order book (wire 5.3). `books` is one snapshot and then differences, each naming the one before it; `books1`,
 * `books5`, `books15` and `books50` are the best levels, complete each time; the `rpi-` twins list RPI quantities
 * separately. The sequence number counts changes of the book, as in the HTTP response. There is no checksum, and a
 * reader never gets a second snapshot: one client would merge it into its book (wire rules 7 and 8).
 */
import type { Instrument } from '../../../core/model/instrument.ts';
import type { Market } from '../../../core/state/market.ts';
import type { Push } from '../frames.ts';
import { BOOK_LEVELS_MAX } from '../limits.ts';
import { SnapshotChannel } from '../snapshot-channel.ts';
import type { StreamContext } from '../stream-context.ts';
import type { Subscription } from '../subscription.ts';
import {
  type BookKind,
  type BookSides,
  bookDifference,
  bookSides,
  readBook,
  type ShownBook,
} from './book-levels.ts';

const SPOT_PAUSE_MS = 200;
const FUTURES_PAUSE_MS = 150;
/** For the best level alone. */
const TOP_PAUSE_MS = 50;

function bookData(sides: BookSides, seq: number, pseq: number, nowMs: number): string {
  return JSON.stringify([{ ...sides, seq, pseq, ts: String(nowMs) }]);
}

export class BookChannel extends SnapshotChannel {
  /** Every difference builds on the one before it: none may be skipped. */
  override readonly replaceable = false;
  protected override readonly pauseMs: number;
  private readonly instrument: Instrument;
  private readonly kind: BookKind;
  private readonly market: Market;
  /** The book as of the last push. */
  private sent: ShownBook | undefined;
  private sentSeq = 0;
  /** Changes of the book up to this one were compared, even when none was visible. */
  private seenSeq = 0;
  private first: Push | undefined;

  constructor(key: string, context: StreamContext, instrument: Instrument, kind: BookKind) {
    super(key, context);
    this.instrument = instrument;
    this.kind = kind;
    this.market = context.sequencer.state.market(instrument);
    this.pauseMs = instrument.futures === undefined ? SPOT_PAUSE_MS : FUTURES_PAUSE_MS;
  }

  protected override hasChanged(): boolean {
    return this.sent !== undefined && this.market.changes !== this.seenSeq;
  }

  protected override next(nowMs: number): Push | undefined {
    const book = this.read();
    const seq = this.market.changes;
    this.seenSeq = seq;
    const difference = bookDifference(this.sent!, book);
    if (difference.asks.length + difference.bids.length === 0) return undefined;
    const pseq = this.sentSeq;
    this.sent = book;
    this.sentSeq = seq;
    this.first = undefined;
    const sides = bookSides(difference, this.instrument);
    return { action: 'update', data: bookData(sides, seq, pseq, nowMs), ts: nowMs };
  }

  /** The book as all readers have it now, so that the next difference fits; made once for all new readers. */
  protected override whole(nowMs: number): Push {
    if (this.sent === undefined) {
      this.sent = this.read();
      this.sentSeq = this.market.changes;
      this.seenSeq = this.sentSeq;
    }
    this.first ??= this.firstPush(this.sent, nowMs);
    return this.first;
  }

  private firstPush(book: ShownBook, nowMs: number): Push {
    const sides = bookSides(book, this.instrument);
    return { action: 'snapshot', data: bookData(sides, this.sentSeq, 0, nowMs), ts: nowMs };
  }

  private read(): ShownBook {
    return readBook(this.context.sequencer.state, this.instrument, this.kind, BOOK_LEVELS_MAX);
  }
}

export class BestLevelsChannel extends SnapshotChannel {
  override readonly replaceable = true;
  protected override readonly pauseMs: number;
  private readonly instrument: Instrument;
  private readonly kind: BookKind;
  private readonly levels: number;
  private readonly market: Market;
  private seenSeq: number;
  private seen: string;
  private sentSeq: number;

  constructor(key: string, context: StreamContext, instrument: Instrument, kind: BookKind, levels: number) {
    super(key, context);
    this.instrument = instrument;
    this.kind = kind;
    this.levels = levels;
    this.market = context.sequencer.state.market(instrument);
    this.pauseMs = levels === 1 ? TOP_PAUSE_MS : FUTURES_PAUSE_MS;
    // The first reader gets exactly this push.
    this.seenSeq = this.market.changes;
    this.sentSeq = this.seenSeq;
    this.seen = JSON.stringify(this.read());
  }

  override again(subscription: Subscription): void {
    const push = this.whole(this.context.clock.now());
    this.context.durable.whenDurable(() => subscription.push(push));
  }

  protected override hasChanged(): boolean {
    return this.market.changes !== this.seenSeq;
  }

  protected override next(nowMs: number): Push | undefined {
    this.seenSeq = this.market.changes;
    const sides = this.read();
    const text = JSON.stringify(sides);
    if (text === this.seen) return undefined;
    this.seen = text;
    const pseq = this.sentSeq;
    this.sentSeq = this.seenSeq;
    return { action: 'snapshot', data: bookData(sides, this.seenSeq, pseq, nowMs), ts: nowMs };
  }

  protected override whole(nowMs: number): Push {
    return { action: 'snapshot', data: bookData(this.read(), this.market.changes, 0, nowMs), ts: nowMs };
  }

  private read(): BookSides {
    const { state } = this.context.sequencer;
    return bookSides(readBook(state, this.instrument, this.kind, this.levels), this.instrument);
  }
}
