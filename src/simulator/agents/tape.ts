/**
 * The tape of one book: each recorded trade happens again, by true orders of two house accounts, beside the orders of users. The
 * one offers the size at the price, the other takes it; an order of a user that is better, or that waited at the same price,
 * comes first, as it would have. Between trades the first account quotes the last prices at which the tape bought and sold, each
 * with the size of that trade, so that orders of users that take find somebody.
 */
import { Side, TimeInForce } from '../../core/model/enums.ts';
import type { Published } from '../../sequencer/sequencer.ts';
import type { AgentClient } from '../agent-client.ts';
import type { InstrumentView } from '../instrument-view.ts';
import { TAKER_BUYS } from '../recording/formats.ts';
import { type Recording, type ReplayDepth, replayStart } from '../recording/recording.ts';
import type { Agent } from './agent.ts';
import { RecordedBook } from './recorded-book.ts';

/** Trades of a kind: how many, and how much in the base coin. */
export interface Traded {
  readonly trades: number;
  readonly volume: number;
}

/** How far the tape has come, and how far history was bent by others. */
export interface TapeReport {
  readonly category: string;
  readonly symbol: string;
  /** In the file up to now. */
  readonly recorded: Traded;
  /** On this book since the tape began. */
  readonly traded: Traded;
  /** Part of `traded` with a user on one side or both: these trades are not in the file. */
  readonly withUsers: Traded;
  /** In the file and below the least size of an order here. */
  readonly tooSmall: Traded;
  readonly lastRecorded: number;
  readonly lastTraded: number;
  /** Distance of the last trade here from the last one in the file, and the largest so far. */
  readonly distanceBps: number;
  readonly distanceBpsMax: number;
}

class Sum {
  trades = 0;
  volume = 0;

  add(volume: number): void {
    this.trades++;
    this.volume += volume;
  }

  get shown(): Traded {
    return { trades: this.trades, volume: Math.round(this.volume * 1e8) / 1e8 };
  }
}

/** A recorded trade in ticks and lots. */
interface Print {
  readonly ticks: number;
  readonly lots: number;
  readonly side: Side;
}

export class Tape implements Agent {
  readonly kind = 'tape';
  readonly name: string;
  readonly uid: number;
  readonly view: InstrumentView;
  readonly #second: number;
  readonly #recording: Recording;
  readonly #pair: number;
  /** Where the depth of the book is recorded. */
  readonly #book: RecordedBook | undefined;
  /** Lots that the second account has bought more than sold, where there is no position that tells. */
  #net = 0;
  #next: number;
  readonly #start: number;
  readonly #last = new Map<Side, Print>();
  readonly #recorded = new Sum();
  readonly #traded = new Sum();
  readonly #withUsers = new Sum();
  readonly #tooSmall = new Sum();
  #lastRecorded = 0;
  #lastTraded = 0;
  #distance = 0;
  #distanceMax = 0;

  constructor(
    uids: readonly [number, number],
    view: InstrumentView,
    recording: Recording,
    pair: number,
    now: number,
    depth: Exclude<ReplayDepth, 'price'> = 'tape',
  ) {
    [this.uid, this.#second] = uids;
    this.name = `tape:${view.name}`;
    this.view = view;
    this.#recording = recording;
    this.#pair = pair;
    this.#book = depth === 'book' ? new RecordedBook(uids[0], view) : undefined;
    this.#start = replayStart(recording, now);
    // What lies before the present has happened already, on this exchange or before it.
    const { times } = recording;
    const passed = now - this.#start;
    this.#next = 0;
    while (this.#next < times.length && passed > 0 && times[this.#next]! <= passed) this.#next++;
  }

  act(client: AgentClient): void {
    if (!this.view.isOpen(client.now)) return;
    if (this.#book !== undefined) {
      this.#playBook(client, this.#book);
      return;
    }
    const prints = this.#due(client.now);
    if (prints.length === 0) return;
    this.#withdraw(client);
    for (const print of prints) this.#happen(client, print);
    this.#quote(client);
  }

  /** Rows up to now: the depth is corrected before each trade and at the end, and trades are taken from it. */
  #playBook(client: AgentClient, book: RecordedBook): void {
    const { times, pairs, books, prices, sizes } = this.#recording;
    let stale = false;
    for (; this.#next < times.length && this.#start + times[this.#next]! <= client.now; this.#next++) {
      const row = this.#next;
      if (pairs[row] !== this.#pair) continue;
      const levels = books[row];
      if (levels !== undefined) {
        book.set(levels);
        stale = true;
        this.#lastRecorded = this.#ticks(prices[row]!);
      } else if (sizes[row] !== 0) {
        if (stale) book.correct(client);
        stale = false;
        this.#take(client, row);
      }
    }
    if (stale) book.correct(client);
  }

  /** A recorded trade, by the second account. */
  #take(client: AgentClient, row: number): void {
    const { prices, sizes, sides } = this.#recording;
    const ticks = this.#ticks(prices[row]!);
    const lots = this.#lots(sizes[row]!);
    const { view } = this;
    this.#recorded.add(sizes[row]!);
    this.#lastRecorded = ticks;
    if (lots < view.size(0, ticks)) {
      this.#tooSmall.add(this.#amount(lots));
      return;
    }
    const side = sides[row] === TAKER_BUYS ? Side.buy : Side.sell;
    const sizeLots = Math.min(view.size(lots, ticks), view.size(Number.MAX_SAFE_INTEGER, ticks));
    client.place({
      uid: this.#second,
      view,
      side,
      priceTicks: ticks,
      sizeLots,
      timeInForce: TimeInForce.ioc,
    });
  }

  /** Everything that was traded on the book. */
  observe({ events }: Published): void {
    const { index } = this.view.instrument;
    const users = new Set<number>();
    for (const event of events)
      if (event.type === 'fill' && event.fill.instrument === index) users.add(event.fill.execLinkId);
    for (const event of events) {
      if (event.type !== 'trade' || this.view.market.instrument !== event.instrument) continue;
      const volume = this.#amount(event.sizeLots);
      this.#traded.add(volume);
      if (users.has(event.execLinkId)) this.#withUsers.add(volume);
      this.#lastTraded = event.priceTicks;
    }
    this.#measure();
  }

  get report(): TapeReport {
    const { category, symbol } = this.view.instrument.spec;
    return {
      category,
      symbol,
      recorded: this.#recorded.shown,
      traded: this.#traded.shown,
      withUsers: this.#withUsers.shown,
      tooSmall: this.#tooSmall.shown,
      lastRecorded: this.#price(this.#lastRecorded),
      lastTraded: this.#price(this.#lastTraded),
      distanceBps: this.#distance,
      distanceBpsMax: this.#distanceMax,
    };
  }

  /** Rows up to `now`; those of one price and side that follow each other are one trade. */
  #due(now: number): readonly Print[] {
    const { times, pairs, prices, sizes, sides } = this.#recording;
    const prints: Print[] = [];
    for (; this.#next < times.length && this.#start + times[this.#next]! <= now; this.#next++) {
      const row = this.#next;
      if (pairs[row] !== this.#pair || sizes[row] === 0) continue;
      const ticks = this.#ticks(prices[row]!);
      const side = sides[row] === TAKER_BUYS ? Side.buy : Side.sell;
      const lots = this.#lots(sizes[row]!);
      this.#recorded.add(sizes[row]!);
      this.#lastRecorded = ticks;
      const last = prints.at(-1);
      if (last?.ticks === ticks && last.side === side)
        prints[prints.length - 1] = { ...last, lots: last.lots + lots };
      else prints.push({ ticks, lots, side });
    }
    return prints;
  }

  #happen(client: AgentClient, { ticks, lots, side }: Print): void {
    const { instrument } = this.view;
    const least = this.view.size(0, ticks);
    const most = this.view.size(Number.MAX_SAFE_INTEGER, ticks);
    if (lots < least) {
      this.#tooSmall.add(this.#amount(lots));
      return;
    }
    this.#last.set(side, { ticks, lots: Math.min(lots, most), side });
    for (let left = Math.floor(lots / instrument.lotStep) * instrument.lotStep; left >= least; ) {
      const size = Math.min(left, most);
      left -= size;
      const [maker, taker] = this.#roles(client, side, size);
      const order = { view: this.view, priceTicks: ticks, sizeLots: size };
      const opposite = side === Side.buy ? Side.sell : Side.buy;
      client.place({ ...order, uid: maker, side: opposite, timeInForce: TimeInForce.gtc });
      client.place({ ...order, uid: taker, side, timeInForce: TimeInForce.ioc });
      this.#withdraw(client);
    }
  }

  /** The account that has bought less is the buyer, so that none of them gathers a position. */
  #roles(client: AgentClient, side: Side, lots: number): readonly [maker: number, taker: number] {
    const futures = this.view.instrument.futures !== undefined;
    const second = futures ? client.position(this.#second, this.view) : this.#net;
    const first = futures ? client.position(this.uid, this.view) : -this.#net;
    const buyer = second < first ? this.#second : this.uid;
    if (!futures) this.#net += buyer === this.#second ? lots : -lots;
    const seller = buyer === this.uid ? this.#second : this.uid;
    return side === Side.buy ? [seller, buyer] : [buyer, seller];
  }

  #quote(client: AgentClient): void {
    const { tickStep } = this.view.instrument;
    const bought = this.#last.get(Side.buy);
    const sold = this.#last.get(Side.sell);
    const newest =
      [...this.#last.values()].find(({ ticks }) => ticks === this.#lastRecorded) ?? bought ?? sold;
    if (newest === undefined) return;
    const rose = newest.side === Side.buy;
    let ask = bought?.ticks ?? newest.ticks + tickStep;
    let bid = sold?.ticks ?? newest.ticks - tickStep;
    if (bid >= ask && rose) bid = ask - tickStep;
    else if (bid >= ask) ask = bid + tickStep;
    const rest = (side: Side, priceTicks: number, sizeLots: number) => {
      if (priceTicks <= 0) return;
      const { view, uid } = this;
      client.place({ uid, view, side, priceTicks, sizeLots, timeInForce: TimeInForce.gtc });
    };
    rest(Side.sell, ask, (bought ?? newest).lots);
    rest(Side.buy, bid, (sold ?? newest).lots);
  }

  #withdraw(client: AgentClient): void {
    const { slab } = client.state;
    const { book } = this.view.instrument;
    for (const uid of [this.uid, this.#second])
      for (const slot of client.orders(uid))
        if (client.state.instruments[slab.instrument[slot]!]!.book === book)
          client.cancel(uid, slab.id[slot]!);
  }

  #measure(): void {
    if (this.#lastRecorded === 0 || this.#lastTraded === 0) return;
    const distance = Math.abs(this.#lastTraded / this.#lastRecorded - 1) * 10_000;
    this.#distance = Math.round(distance * 1000) / 1000;
    this.#distanceMax = Math.max(this.#distanceMax, this.#distance);
  }

  #ticks(price: number): number {
    const { pricePrecision, tickStep } = this.view.instrument;
    return Math.max(tickStep, Math.round((price * 10 ** pricePrecision) / tickStep) * tickStep);
  }

  #lots(size: number): number {
    return Math.round(size * 10 ** this.view.instrument.quantityPrecision);
  }

  #amount(lots: number): number {
    return lots / 10 ** this.view.instrument.quantityPrecision;
  }

  #price(ticks: number): number {
    return ticks / 10 ** this.view.instrument.pricePrecision;
  }
}

/** The account that trades with the tape; the tape acts for both. */
export class TapeSecond implements Agent {
  readonly kind = 'tape';
  readonly name: string;
  readonly uid: number;

  constructor(uid: number, view: InstrumentView) {
    this.uid = uid;
    this.name = `tape-second:${view.name}`;
  }

  act(): void {}
}
