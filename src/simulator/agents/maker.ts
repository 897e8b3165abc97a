/**
 * A market maker of one book: a ladder of post-only orders on both sides of its estimate of the price. It moves an
 * order only when the order is far enough off its place, all in one modification. A fill makes it skew away from the
 * filled side, widen, and refill less; both effects decay within seconds. Its estimate is skewed against its
 * inventory. Behind the ladder stands a tail of small orders at equal distances, so that a book has many levels; it
 * moves as a whole.
 */

import { Side, TimeInForce } from '../../core/model/enums.ts';
import { Bucket } from '../../core/model/ledger-accounts.ts';
import { BATCH_ITEMS_MAX } from '../../core/model/limits.ts';
import { bucketBalance } from '../../core/reads/ledger-reads.ts';
import { NIL } from '../../core/reads/market-reads.ts';
import type { AgentClient, OrderChange } from '../agent-client.ts';
import { clamp, decay } from '../deterministic-math.ts';
import type { InstrumentView } from '../instrument-view.ts';
import { MAKER_ORDERS_A_SIDE } from '../limits.ts';
import { Rng } from '../rng.ts';
import type { Agent } from './agent.ts';

/** Distance of level n over the half spread: 1 + LINEAR n + SQUARE n^2. */
const LINEAR = 1.4;
const SQUARE = 0.35;
/** Weight of level n in the depth. */
const FIRST_WEIGHT = 1;
const WEIGHT_STEP = 0.55;
/** An order this far off its place, as a share of its distance from the middle, is moved. */
const OFF_PLACE = 0.3;
/** An order with less of its size left is refilled, with more it is trimmed. */
const REFILL_BELOW = 0.55;
const TRIM_ABOVE = 1.8;
const SKEW_HALF_LIFE_S = 10;
const WIDENING_HALF_LIFE_S = 6;
/** Taking the whole depth moves the estimate by this share of the ladder's reach. */
const IMPACT = 0.5;
const WIDENING_MAX = 2;
/** Inventory worth this many depths skews the estimate by a whole spread. */
const INVENTORY_DEPTHS = 3;
const REQUOTE_MS = 900;
/** Distance between orders of the tail, in half spreads of a quiet market; at least one step of the grid. */
const TAIL_GAP = 2;
/** The whole tail of a side, as a share of the depth. */
const TAIL_SHARE = 0.25;

interface Quote {
  readonly side: Side;
  readonly level: number;
  /** 0 = not placed. */
  orderId: number;
  /** Remaining size when last read. */
  remaining: number;
  /** Factor on the size, so that ladders are not perfectly regular. */
  readonly sizeJitter: number;
}

/** The highest bid and the lowest ask that would not meet an order of somebody else. */
interface BestOthers {
  readonly highestBid: number;
  readonly lowestAsk: number;
}

/** Where the tail of a side stands: its first price, 0 = not placed, and the distance to the next. */
interface Tail {
  firstTicks: number;
  gapTicks: number;
}

export class Maker implements Agent {
  readonly kind = 'maker';
  readonly name: string;
  readonly uid: number;
  readonly view: InstrumentView;
  private readonly quotes: Quote[] = [];
  /** All quotes of a side and then those of the other, each from the best on. */
  private readonly sideFirst: readonly [readonly Quote[], readonly Quote[]];
  private readonly rng: Rng;
  private readonly weightSum: number;
  private readonly tails: readonly [Tail, Tail] = [
    { firstTicks: 0, gapTicks: 0 },
    { firstTicks: 0, gapTicks: 0 },
  ];
  /** Relative move of the estimate by recent fills. */
  private skew = 0;
  private spreadWidening = 0;
  private dueMs = 0;
  private adopted = false;
  /** Spot inventory that counts as neutral, in lots; set at the first reading. */
  private neutralLots: number | undefined;

  constructor(uid: number, view: InstrumentView, seed: number) {
    this.uid = uid;
    this.view = view;
    this.name = `maker:${view.name}`;
    this.rng = new Rng(seed, this.name);
    let sum = 0;
    for (let level = 0; level < view.parameters.levels; level++) {
      sum += weightOf(level);
      for (const side of [Side.buy, Side.sell]) {
        this.quotes.push({ side, level, orderId: 0, remaining: 0, sizeJitter: this.rng.between(0.7, 1.3) });
      }
    }
    this.weightSum = sum;
    // A generator of its own, so that the tail does not change the numbers that the rest of the maker draws.
    const tailRng = new Rng(seed, `${this.name} tail`);
    for (let level = view.parameters.levels; level < MAKER_ORDERS_A_SIDE; level++) {
      for (const side of [Side.buy, Side.sell]) {
        this.quotes.push({ side, level, orderId: 0, remaining: 0, sizeJitter: tailRng.between(0.7, 1.3) });
      }
    }
    const ofSide = (side: Side) => this.quotes.filter((quote) => quote.side === side);
    const bids = ofSide(Side.buy);
    const asks = ofSide(Side.sell);
    this.sideFirst = [
      [...bids, ...asks],
      [...asks, ...bids],
    ];
  }

  act(client: AgentClient, seconds: number): void {
    this.skew *= decay(seconds, SKEW_HALF_LIFE_S);
    this.spreadWidening *= decay(seconds, WIDENING_HALF_LIFE_S);
    if (!this.view.isOpen(client.now)) return;
    if (!this.adopted) this.recoverQuotes(client);
    const slots = this.refreshQuotes(client);
    // A fill is answered at once, a moved price within a second.
    if (client.now < this.dueMs && this.spreadWidening < 0.05) return;
    this.dueMs = client.now + REQUOTE_MS + this.rng.below(200);
    this.requote(client, slots);
  }

  /** Inventory above the neutral one, in lots. */
  private inventoryLots(client: AgentClient): number {
    const { view } = this;
    const { instrument } = view;
    if (instrument.futures !== undefined) return client.position(this.uid, view);
    const { state } = client;
    const account = state.accountByUid.get(this.uid)!.index;
    const held =
      bucketBalance(state, account, instrument.base, Bucket.cash) +
      bucketBalance(state, account, instrument.base, Bucket.locked);
    const lots = Number(held) / instrument.unitsPerLotNumber;
    this.neutralLots ??= lots;
    return lots - this.neutralLots;
  }

  /** The treasury has changed the maker's balance: the new inventory is neutral. */
  resetInventory(): void {
    this.neutralLots = undefined;
  }

  /** After a restart its orders are still in the book: adopts them, best first. */
  private recoverQuotes(client: AgentClient): void {
    this.adopted = true;
    const { slab } = client.state;
    const slots = client.orders(this.uid);
    for (const side of [Side.buy, Side.sell]) {
      const own = slots.filter((slot) => slab.side[slot] === side);
      own.sort((a, b) =>
        side === Side.buy ? slab.price[b]! - slab.price[a]! : slab.price[a]! - slab.price[b]!,
      );
      const places = this.quotes.filter((quote) => quote.side === side);
      for (const [n, slot] of own.entries()) {
        const quote = places[n];
        if (quote === undefined) client.cancel(this.uid, slab.id[slot]!);
        else {
          quote.orderId = slab.id[slot]!;
          quote.remaining = slab.remaining[slot]!;
        }
      }
    }
  }

  /** Finds its orders, and the fills since the last reading. */
  private refreshQuotes(client: AgentClient): Map<number, number> {
    const { slab } = client.state;
    const slots = new Map<number, number>();
    for (const slot of client.orders(this.uid)) slots.set(slab.id[slot]!, slot);
    let taken = 0;
    for (const quote of this.quotes) {
      if (quote.orderId === 0) continue;
      const slot = slots.get(quote.orderId);
      const left = slot === undefined ? 0 : slab.remaining[slot]!;
      taken += (quote.side === Side.sell ? 1 : -1) * Math.max(0, quote.remaining - left);
      quote.remaining = left;
      if (slot === undefined) quote.orderId = 0;
    }
    if (taken !== 0) this.onFilled(taken);
    return slots;
  }

  private onFilled(takenLots: number): void {
    const { view } = this;
    const share = clamp(takenLots / view.depthLots, -1, 1);
    const reach = (view.halfSpreadTicks * distance(view.parameters.levels - 1)) / view.fairTicks;
    this.skew = clamp(this.skew + IMPACT * reach * share, -2 * reach, 2 * reach);
    this.spreadWidening = Math.min(WIDENING_MAX, this.spreadWidening + 3 * Math.abs(share));
    view.exciteArrivals(Math.abs(share) * 2);
  }

  private requote(client: AgentClient, slots: ReadonlyMap<number, number>): void {
    const { view } = this;
    const { slab } = client.state;
    const stock = clamp(this.inventoryLots(client) / (INVENTORY_DEPTHS * view.depthLots), -1, 1);
    const restless = clamp((view.movePerSecond * view.fairTicks) / (3 * view.halfSpreadTicks), 0, 1);
    const half =
      view.halfSpreadTicks * (1 + this.spreadWidening) * (1 + 0.5 * restless) * view.spreadFactor(client.now);
    const centre = view.quoteMidTicks * (1 + this.skew) - stock * 2 * view.halfSpreadTicks;
    const bestOthers = this.bestOthers(client, slots);
    const changes: OrderChange[] = [];
    const missing: { quote: Quote; priceTicks: number; lots: number }[] = [];
    for (const side of [Side.buy, Side.sell]) this.placeTail(side, centre, half, bestOthers);
    for (const quote of this.inOrder(centre, slots, slab.price)) {
      const off = half * distance(quote.level);
      const inTail = this.inTail(quote);
      const priceTicks = inTail ? this.tailTicks(quote) : this.ladderTicks(quote, centre, off, bestOthers);
      if (priceTicks <= 0) continue;
      const lots = this.lotsOf(quote, priceTicks);
      const slot = slots.get(quote.orderId);
      if (slot === undefined) missing.push({ quote, priceTicks, lots });
      else
        this.correct(
          changes,
          slab.price[slot]!,
          slab.size[slot]! - quote.remaining,
          quote,
          priceTicks,
          lots,
          inTail ? 0 : off,
        );
    }
    if (changes.length > 0) {
      for (let at = 0; at < changes.length; at += BATCH_ITEMS_MAX)
        client.amend(this.uid, changes.slice(at, at + BATCH_ITEMS_MAX));
      for (const quote of this.quotes) this.remember(client, quote, slots);
    }
    for (const { quote, priceTicks, lots } of missing) this.place(client, quote, priceTicks, lots);
  }

  private ladderTicks({ side, level }: Quote, centre: number, off: number, others: BestOthers): number {
    const { view } = this;
    const step = level * view.instrument.tickStep;
    return side === Side.buy
      ? Math.min(view.down(centre - off), others.highestBid - step)
      : Math.max(view.up(centre + off), others.lowestAsk + step);
  }

  private inTail({ level }: Quote): boolean {
    return level >= this.view.parameters.levels;
  }

  /** Puts the tail of a side in its place when it is too far from it, or in the way of an order of somebody else. */
  private placeTail(side: Side, centre: number, half: number, others: BestOthers): void {
    const { view } = this;
    const { tickStep } = view.instrument;
    const gapTicks = Math.max(tickStep, view.up(TAIL_GAP * view.halfSpreadTicks));
    const off = half * distance(view.parameters.levels - 1) + gapTicks;
    const buying = side === Side.buy;
    const behind = view.parameters.levels * tickStep;
    const farthest = buying ? others.highestBid - behind : others.lowestAsk + behind;
    const wanted = buying
      ? Math.min(view.down(centre - off), farthest)
      : Math.max(view.up(centre + off), farthest);
    const tail = this.tails[side];
    const blocked = buying ? tail.firstTicks > farthest : tail.firstTicks < farthest;
    if (!blocked && tail.firstTicks > 0 && Math.abs(tail.firstTicks - wanted) <= off * OFF_PLACE) return;
    tail.firstTicks = wanted;
    tail.gapTicks = gapTicks;
  }

  private tailTicks({ side, level }: Quote): number {
    const { firstTicks, gapTicks } = this.tails[side];
    const beyond = (level - this.view.parameters.levels) * gapTicks;
    return side === Side.buy ? firstTicks - beyond : firstTicks + beyond;
  }

  /** Orders that move away come first, so that they do not block those that follow. */
  private inOrder(centre: number, slots: ReadonlyMap<number, number>, price: Int32Array): readonly Quote[] {
    return this.sideFirst[this.movesUp(centre, slots, price) ? Side.sell : Side.buy];
  }

  private movesUp(centre: number, slots: ReadonlyMap<number, number>, price: Int32Array): boolean {
    let sum = 0;
    let count = 0;
    for (const quote of this.quotes) {
      const slot = slots.get(quote.orderId);
      // The sides of the tail stand where each was last put, not around one middle.
      if (slot === undefined || this.inTail(quote)) continue;
      sum += price[slot]!;
      count++;
    }
    return count === 0 || centre >= sum / count;
  }

  private correct(
    changes: OrderChange[],
    presentTicks: number,
    filledLots: number,
    quote: Quote,
    priceTicks: number,
    lots: number,
    off: number,
  ): void {
    const moved =
      Math.abs(presentTicks - priceTicks) > Math.max(off * OFF_PLACE, this.view.instrument.tickStep * 0.5);
    const resized = quote.remaining < lots * REFILL_BELOW || quote.remaining > lots * TRIM_ABOVE;
    if (!moved && !resized) return;
    changes.push({
      orderId: quote.orderId,
      priceTicks: moved ? priceTicks : 0,
      sizeLots: resized ? filledLots + lots : 0,
      autoCancel: false,
    });
  }

  private lotsOf(quote: Quote, priceTicks: number): number {
    const { view } = this;
    const { levels } = view.parameters;
    const weight = this.inTail(quote)
      ? TAIL_SHARE / (MAKER_ORDERS_A_SIDE - levels)
      : weightOf(quote.level) / this.weightSum;
    const share = weight * quote.sizeJitter;
    // Right after a fill it offers less, most of all on the first levels.
    const careful = 1 / (1 + this.spreadWidening / (1 + quote.level));
    return view.size(view.depthLots * share * careful * 1.1, priceTicks);
  }

  /** Prices of other orders that its own must stay behind, because they are post-only. */
  private bestOthers(client: AgentClient, slots: ReadonlyMap<number, number>): BestOthers {
    const { book } = this.view.market;
    const { slab } = client.state;
    const own = new Map<number, number>();
    for (const slot of slots.values()) {
      const key = slab.price[slot]! * 2 + slab.side[slot]!;
      own.set(key, (own.get(key) ?? 0) + slab.remaining[slot]!);
    }
    const bestOther = (side: Side): number => {
      let best = 0;
      book.eachLevel(side, (ticks, normalLots) => {
        if (normalLots <= (own.get(ticks * 2 + side) ?? 0)) return true;
        best = ticks;
        return false;
      });
      return best;
    };
    const ask = bestOther(Side.sell);
    const bid = bestOther(Side.buy);
    const { tickStep } = this.view.instrument;
    return {
      highestBid: ask === 0 ? Number.POSITIVE_INFINITY : ask - tickStep,
      lowestAsk: bid === 0 ? 0 : bid + tickStep,
    };
  }

  private place(client: AgentClient, quote: Quote, priceTicks: number, sizeLots: number): void {
    const { view, uid } = this;
    const before = client.state.accountByUid.get(uid)!.lastOrder;
    client.place({ uid, view, side: quote.side, priceTicks, sizeLots, timeInForce: TimeInForce.postOnly });
    const { slab } = client.state;
    const slot = client.state.accountByUid.get(uid)!.lastOrder;
    if (slot === NIL || slot === before) return;
    quote.orderId = slab.id[slot]!;
    quote.remaining = slab.remaining[slot]!;
  }

  private remember(client: AgentClient, quote: Quote, slots: ReadonlyMap<number, number>): void {
    const { slab } = client.state;
    const slot = slots.get(quote.orderId);
    if (slot !== undefined && slab.id[slot] === quote.orderId) quote.remaining = slab.remaining[slot]!;
  }
}

function distance(level: number): number {
  return 1 + LINEAR * level + SQUARE * level * level;
}

function weightOf(level: number): number {
  return FIRST_WEIGHT + WEIGHT_STEP * level;
}
