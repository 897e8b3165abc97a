/**
 * What schemes and random acts stand on: the state, the outside world, the clock of the run, and makers of steps. Nothing here
 * changes the exchange; whoever asked for a step has to yield it.
 */
import type { Exchange } from '../../src/core/engine/exchange.ts';
import {
  type Command,
  EVERY_COMPONENT,
  type PlaceOrder,
  type Undated,
} from '../../src/core/model/command.ts';
import { OrderType, type PosSide, Side, Source, StpMode, TimeInForce } from '../../src/core/model/enums.ts';
import type { Instrument } from '../../src/core/model/instrument.ts';
import { Bucket } from '../../src/core/model/ledger-accounts.ts';
import type { Account } from '../../src/core/state/account.ts';
import type { State } from '../../src/core/state/state.ts';
import type { Step } from './families-steps.ts';
import { BOOK, HOUSE_MAKER, INDICES, MAKER, type VenueTerms } from './families-venue.ts';
import type { World } from './families-world.ts';
import type { Rng } from './futures-flow.ts';

export type Steps = Generator<Step, void, void>;

export interface OrderWords {
  readonly market?: boolean;
  readonly tif?: TimeInForce;
  readonly reduceOnly?: boolean;
  readonly posSide?: PosSide;
  readonly stp?: StpMode;
  readonly retail?: boolean;
  readonly name?: string;
}

const SECOND = 1000;
/** An amount of money with two decimals. */
export const cents = (amount: number): bigint => BigInt(Math.max(1, Math.round(amount * 100))) * 1_000_000n;
/** Both categories of a book share it; orders of makers go to the first. */
const HALF_SPREAD = 0.0003;

export class Ground {
  readonly dice: Rng;
  readonly state: State;
  readonly world: World;
  readonly terms: VenueTerms;
  now: number;
  /** Indices whose feed says nothing, and the component of those with two that does not. */
  readonly silent = new Set<number>();
  silentComponent = -1;
  /** Outside prices that makers quote around, by book. */
  private readonly quotedAt = new Map<number, number>();
  private orders = 0;

  constructor(exchange: Exchange, world: World, terms: VenueTerms, dice: Rng) {
    this.state = exchange.state;
    this.world = world;
    this.terms = terms;
    this.dice = dice;
    this.now = terms.start;
  }

  account(uid: number): Account {
    return this.state.accountByUid.get(uid)!;
  }

  instrument(book: number): Instrument {
    return this.state.instruments[book]!;
  }

  /** May a book be traded in? Not a contract in its last hour, whose price is a mean. */
  isOpen(book: number): boolean {
    const delivery = this.instrument(book).futures?.delivery;
    return delivery === undefined || this.now < delivery.time - 3_600_000;
  }

  /** Outside price of an instrument. */
  price(book: number): number {
    return this.world.priceOf(this.instrument(book));
  }

  markOf(book: number): number {
    const instrument = this.instrument(book);
    const { futures } = this.state.market(instrument);
    return futures === undefined ? this.price(book) : futures.markTicks / 10 ** instrument.pricePrecision;
  }

  cash(uid: number, coin: number): number {
    return Number(this.state.ledger.balanceOf(this.account(uid).index, coin, Bucket.cash)) / 1e8;
  }

  funding(uid: number, coin: number): number {
    return Number(this.state.ledger.balanceOf(this.account(uid).index, coin, Bucket.funding)) / 1e8;
  }

  /** From dust to more than anybody can pay, mostly some thousand dollars. */
  anySize(book: number): number {
    const usd = 10 ** (1 + 5.5 * this.dice.next());
    return usd / this.world.prices[this.instrument(book).base]!;
  }

  do(command: Undated<Command>): Step {
    return { command: { ...command, time: this.now } as Command };
  }

  /** A limit order unless told otherwise; price and size as people write them. A market buy of spot spends their product. */
  order(
    uid: number,
    book: number,
    buying: boolean,
    size: number,
    price: number,
    words: OrderWords = {},
  ): Step {
    if (!this.isOpen(book)) return this.do({ type: 'tick' });
    const { pricePrecision, quantityPrecision } = this.instrument(book);
    const ticks = price * 10 ** pricePrecision;
    const byAmount = words.market === true && buying && book < BOOK.btcPerp;
    const command: Omit<PlaceOrder, 'time'> = {
      type: 'placeOrder',
      uid,
      source: words.retail === true ? Source.retail : Source.api,
      instrument: book,
      side: buying ? Side.buy : Side.sell,
      orderType: words.market === true ? OrderType.market : OrderType.limit,
      timeInForce: words.market === true ? TimeInForce.gtc : (words.tif ?? TimeInForce.gtc),
      stpMode: words.stp ?? StpMode.none,
      priceTicks: words.market === true ? 0 : Math.max(1, Math.round(ticks)),
      sizeLots: byAmount ? 0 : Math.max(1, Math.round(size * 10 ** quantityPrecision)),
      quoteAmount: byAmount ? cents(size * price) : 0n,
      clientOid: words.name ?? '',
      ...(words.reduceOnly === true && { reduceOnly: true }),
      ...(words.posSide !== undefined && { posSide: words.posSide }),
    };
    return this.do(command);
  }

  /** A name for an order that a later step needs. */
  newName(): string {
    this.orders++;
    return `o${this.orders}`;
  }

  cancel(uid: number, clientOid: string): Step {
    return this.do({ type: 'cancelOrder', uid, orderId: 0, clientOid, category: -1, instrument: -1 });
  }

  /** Two of the family trade with each other at a price, the first buys. */
  *deal(buyer: number, seller: number, book: number, size: number, price: number): Steps {
    yield this.order(seller, book, false, size, price);
    yield this.order(buyer, book, true, size, price);
  }

  // The outside world

  /** So many seconds pass one by one, while feeds that are not silent go on talking. */
  *seconds(count: number): Steps {
    for (let n = 0; n < count; n++) {
      if (n % 20 === 0) yield* this.feeds();
      this.now = (Math.floor(this.now / SECOND) + 1) * SECOND;
      yield this.do({ type: 'tick' });
    }
  }

  /** A pause that nobody looks at. */
  *pause(ms: number): Steps {
    this.now += ms;
    yield this.do({ type: 'tick' });
    yield* this.seconds(1);
  }

  /** Feeds tell what they see; a wiggle says that they live. */
  *feeds(): Steps {
    for (const [index, { base, quote }] of INDICES.entries()) {
      if (this.silent.has(index)) continue;
      const price = this.world.units(base, quote) + BigInt(this.dice.below(2));
      const partly = index <= 1 && this.silentComponent >= 0;
      const component = partly ? 1 - this.silentComponent : EVERY_COMPONENT;
      yield this.do({ type: 'componentPrice', index, component, price, volume: 0n });
    }
  }

  /** Outside prices change; makers quote around the new ones, and a second later the venue has seen them. */
  *move(changes: readonly (readonly [coin: number, factor: number])[]): Steps {
    const outside = changes.map(([coin, factor]) => {
      const price = this.world.within(coin, this.world.prices[coin]! * factor);
      return { coin, price: Number(price.toPrecision(10)) };
    });
    yield { outside };
    yield* this.requote();
    yield* this.seconds(1);
  }

  /** These feeds stop for longer than the venue goes on believing them; then the outside world moves. */
  *silence(indices: readonly number[], changes: readonly (readonly [number, number])[]): Steps {
    for (const index of indices) this.silent.add(index);
    yield* this.seconds(62);
    yield* this.move(changes);
  }

  /** One of two voices of an index stops; prices move on when the venue has noticed. */
  *loseVoice(component: number): Steps {
    this.silentComponent = component;
    yield* this.seconds(62);
  }

  *speak(): Steps {
    this.silent.clear();
    this.silentComponent = -1;
    yield* this.seconds(2);
    yield* this.requote();
  }

  /** Makers follow the outside price where they quote. */
  *requote(): Steps {
    for (const book of this.terms.quoted) {
      if (!this.isOpen(book)) continue;
      const price = this.price(book);
      const before = this.quotedAt.get(book) ?? 0;
      if (Math.abs(price / before - 1) < HALF_SPREAD) continue;
      this.quotedAt.set(book, price);
      yield* this.quote(book, price);
    }
  }

  private *quote(book: number, price: number): Steps {
    const { category, index } = this.instrument(book);
    // Fills of the house are not told, so the side of coin-margined trades would be half known.
    const uid = book >= 8 ? MAKER : book % 2 === 0 ? MAKER : HOUSE_MAKER;
    yield this.do({ type: 'cancelAll', uid, category, instrument: index });
    const size = Math.ceil(200_000 / this.world.prices[this.instrument(book).base]!);
    for (const away of [HALF_SPREAD, 0.002]) {
      for (const buying of [true, false]) {
        const at = price * (buying ? 1 - away : 1 + away);
        yield this.order(uid, book, buying, size, at, { tif: TimeInForce.postOnly });
      }
    }
  }
}
