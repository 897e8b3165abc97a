/**
 * One order book: price-time priority, two queues a level (normal, then RPI), self-trade prevention by the taker's
 * mode (rules 1.1, 1.4-1.8). It holds queues and quantities only; a `MatchSink` settles each trade.
 */

import { Side, StpMode } from '../model/enums.ts';
import { assert } from '../model/units.ts';
import { LevelLots } from './level-lots.ts';
import { FLAG_CLOSING, FLAG_PASSES_OWN, FLAG_RETAIL, FLAG_RPI, NIL, type OrderSlab } from './order-slab.ts';
import { PriceIndex } from './price-index.ts';

/** Settles the trades of a match. `match` passes the context of the taker's fills through to it. */
export interface MatchSink<Context> {
  /** `remaining` of both orders is already reduced. */
  traded(context: Context, taker: number, maker: number, priceTicks: number, lots: number): void;
  /** The maker has left the book: filled, or cancelled by self-trade prevention. */
  makerLeft(context: Context, maker: number, filled: boolean): void;
  /** The maker has left the book because it failed its check. */
  makerFailed(context: Context, maker: number): void;
  /** The checks of the fills of one match, or of its dry run; undefined while fills are not checked. */
  fillChecks(context: Context, dryRun: boolean): FillChecks | undefined;
  /** Called with each maker before it is matched; undefined when there is no open work to settle with owners of makers. */
  readonly beforeMaker?: ((maker: number) => void) | undefined;
  /** Reads the cache lines of a maker's owner before the trade needs them. */
  prefetch?(maker: number): void;
  /** How much a capped taker, or a maker that may only close, may still trade at this price. */
  capacity(context: Context, slot: number, priceTicks: number): number;
}

/** Step 4a of the match loop (rules 1.4, 13.1): can both sides bear the trade that is about to happen? */
export interface FillChecks {
  check(taker: number, maker: number, priceTicks: number, lots: number): FillVerdict;
}

export const FillVerdict = { passes: 0, makerFails: 1, takerFails: 2 } as const;
export type FillVerdict = (typeof FillVerdict)[keyof typeof FillVerdict];

/** Why matching stopped. */
export const MatchEnd = {
  filled: 0,
  exhausted: 1,
  limit: 2,
  selfTrade: 3,
  noCapacity: 4,
  tooManyFills: 5,
  takerFailed: 6,
} as const;
export type MatchEnd = (typeof MatchEnd)[keyof typeof MatchEnd];

/** Few: most books of a catalogue are empty for long, and arrays of 64 bytes lie in the heap, without memory of their own. */
const FIRST_LEVELS = 8;

export class Book {
  readonly slab: OrderSlab;
  /** Best level by side of the resting orders: `[Side.buy]` bids, `[Side.sell]` asks. */
  private readonly best = new Int32Array([NIL, NIL]);
  private readonly index = [new PriceIndex(), new PriceIndex()] as const;

  private levelPrice = new Int32Array(FIRST_LEVELS);
  private readonly normalLots = new LevelLots(FIRST_LEVELS);
  private readonly rpiLots = new LevelLots(FIRST_LEVELS);
  private normalHead = new Int32Array(FIRST_LEVELS);
  private normalTail = new Int32Array(FIRST_LEVELS);
  private rpiHead = new Int32Array(FIRST_LEVELS);
  private rpiTail = new Int32Array(FIRST_LEVELS);
  private better = new Int32Array(FIRST_LEVELS);
  private worse = new Int32Array(FIRST_LEVELS);
  private levelCount = 0;
  private freeLevel = NIL;
  /** Resting RPI orders; the displayed book has a shortcut when there are none. */
  rpiOrders = 0;

  constructor(slab: OrderSlab) {
    this.slab = slab;
  }

  /** Takes from the other side up to `limitTicks`. The taker must not rest. */
  match<Context>(
    taker: number,
    limitTicks: number,
    sink: MatchSink<Context>,
    context: Context,
    capped: boolean,
    fillsMax = this.slab.fillsMax,
    removalsMax = this.slab.removalsMax,
  ): MatchEnd {
    const slab = this.slab;
    const buying = slab.side[taker] === Side.buy;
    const party = slab.party[taker]!;
    const stpMode = slab.stpMode[taker]!;
    const queues = (slab.flags[taker]! & FLAG_RETAIL) !== 0 ? 2 : 1;
    const checks = sink.fillChecks(context, false);
    const { beforeMaker } = sink;
    const passesOwn = (slab.flags[taker]! & FLAG_PASSES_OWN) !== 0;
    let fills = 0;
    let removals = 0;
    let level = this.best[buying ? Side.sell : Side.buy]!;
    while (level !== NIL) {
      const price = this.levelPrice[level]!;
      if (buying ? price > limitTicks : price < limitTicks) {
        return this.anyVisible(level, queues) ? MatchEnd.limit : MatchEnd.exhausted;
      }
      const worse = this.worse[level]!;
      for (let queue = 0; queue < queues; queue++) {
        let maker = queue === 0 ? this.normalHead[level]! : this.rpiHead[level]!;
        while (maker !== NIL) {
          if (passesOwn && slab.party[maker] === party) {
            maker = slab.next[maker]!;
            continue;
          }
          slab.prefetch(maker);
          const next = slab.next[maker]!;
          sink.prefetch?.(maker);
          beforeMaker?.(maker);
          // Without capacity there is no trade, so there is no self-trade to prevent either.
          let capacity = capped ? sink.capacity(context, taker, price) : Number.POSITIVE_INFINITY;
          if (capacity <= 0) return MatchEnd.noCapacity;
          if ((slab.flags[maker]! & FLAG_CLOSING) !== 0) {
            const makerCapacity = sink.capacity(context, maker, price);
            if (makerCapacity <= 0) {
              this.remove(maker);
              sink.makerLeft(context, maker, false);
              maker = next;
              continue;
            }
            capacity = Math.min(capacity, makerCapacity);
          }
          if (fills === fillsMax || removals === removalsMax) return MatchEnd.tooManyFills;
          if (stpMode !== StpMode.none && slab.party[maker] === party) {
            if (stpMode === StpMode.cancelTaker) return MatchEnd.selfTrade;
            this.remove(maker);
            sink.makerLeft(context, maker, false);
            if (stpMode === StpMode.cancelBoth) return MatchEnd.selfTrade;
            if (slab.countsOwn) {
              slab.removalsDone++;
              removals++;
            }
            maker = next;
            continue;
          }
          const wanted = slab.remaining[taker]!;
          const offered = slab.remaining[maker]!;
          const lots = Math.min(wanted, offered, capacity);
          if (checks !== undefined) {
            const result = checks.check(taker, maker, price, lots);
            if (result === FillVerdict.takerFails) return MatchEnd.takerFailed;
            if (result === FillVerdict.makerFails) {
              this.remove(maker);
              sink.makerFailed(context, maker);
              slab.removalsDone++;
              removals++;
              maker = next;
              continue;
            }
          }
          slab.fillsDone++;
          slab.remaining[taker] = wanted - lots;
          slab.remaining[maker] = offered - lots;
          if (queue === 0) this.normalLots.take(level, lots);
          else this.rpiLots.take(level, lots);
          sink.traded(context, taker, maker, price, lots);
          if (lots === offered) {
            this.unlink(maker);
            sink.makerLeft(context, maker, true);
          }
          if (lots === wanted) return MatchEnd.filled;
          fills++;
          // If the maker has lots left, its capacity or the taker's is used up: the next round ends with it.
          if (lots === offered) maker = next;
        }
      }
      level = worse;
    }
    return MatchEnd.exhausted;
  }

  /**
   * Dry run for fill-or-kill: can `wanted` lots be filled within the limit? Own orders do not count under
   * `cancel_maker` and end the count under the modes that cancel the taker. A closing order counts up to its position
   * less the lots that its account has given before (`capacityOf`, on futures). Orders that fail `checks` do not count.
   * Changes nothing.
   */
  canFill(
    taker: number,
    limitTicks: number,
    wanted: number,
    checks: FillChecks | undefined,
    capacityOf?: (maker: number, priceTicks: number) => number,
    beforeMaker?: (maker: number) => void,
  ): boolean {
    // The cheap count first: without enough lots in the book no fill need be checked.
    if (checks !== undefined && !this.canFill(taker, limitTicks, wanted, undefined, capacityOf)) return false;
    const slab = this.slab;
    const buying = slab.side[taker] === Side.buy;
    const party = slab.party[taker]!;
    const stpMode = slab.stpMode[taker]!;
    const queues = (slab.flags[taker]! & FLAG_RETAIL) !== 0 ? 2 : 1;
    const lotsByAccount = new Map<number, number>();
    let found = 0;
    let fills = 0;
    let removals = 0;
    for (let level = this.best[buying ? Side.sell : Side.buy]!; level !== NIL; level = this.worse[level]!) {
      const price = this.levelPrice[level]!;
      if (buying ? price > limitTicks : price < limitTicks) return false;
      for (let queue = 0; queue < queues; queue++) {
        let maker = queue === 0 ? this.normalHead[level]! : this.rpiHead[level]!;
        for (; maker !== NIL; maker = slab.next[maker]!) {
          if (stpMode !== StpMode.none && slab.party[maker] === party) {
            if (stpMode !== StpMode.cancelMaker) return false;
            if (slab.countsOwn && removals++ === slab.removalsMax) return false;
            continue;
          }
          if (fills === slab.fillsMax || removals === slab.removalsMax) return false;
          let lots = slab.remaining[maker]!;
          const account = slab.account[maker]!;
          const before = lotsByAccount.get(account) ?? 0;
          if (capacityOf !== undefined && (slab.flags[maker]! & FLAG_CLOSING) !== 0)
            lots = Math.min(lots, Math.max(0, capacityOf(maker, price) - before));
          if (checks !== undefined && lots > 0) {
            beforeMaker?.(maker);
            const result = checks.check(taker, maker, price, Math.min(lots, wanted - found));
            if (result === FillVerdict.takerFails) return false;
            if (result === FillVerdict.makerFails) {
              removals++;
              continue;
            }
          }
          fills++;
          if (capacityOf !== undefined) lotsByAccount.set(account, before + lots);
          found += lots;
          if (found >= wanted) return true;
        }
      }
    }
    return false;
  }

  /** Best price of the resting `side` for a taker, RPI orders included when it may match them. 0 = none. */
  bestTicks(side: Side, seesRpi: boolean): number {
    for (let level = this.best[side]!; level !== NIL; level = this.worse[level]!) {
      if (seesRpi || this.normalHead[level] !== NIL) return this.levelPrice[level]!;
    }
    return 0;
  }

  /** Puts an order at the end of the queue of its price. */
  rest(slot: number): void {
    const slab = this.slab;
    const side = slab.side[slot] as Side;
    const price = slab.price[slot]!;
    let level = this.index[side].find(price);
    if (level === NIL) level = this.openLevel(side, price);
    slab.level[slot] = level;
    slab.next[slot] = NIL;
    if ((slab.flags[slot]! & FLAG_RPI) === 0) {
      const tail = this.normalTail[level]!;
      slab.previous[slot] = tail;
      if (tail === NIL) this.normalHead[level] = slot;
      else slab.next[tail] = slot;
      this.normalTail[level] = slot;
      this.normalLots.add(level, slab.remaining[slot]!);
    } else {
      const tail = this.rpiTail[level]!;
      slab.previous[slot] = tail;
      if (tail === NIL) this.rpiHead[level] = slot;
      else slab.next[tail] = slot;
      this.rpiTail[level] = slot;
      this.rpiLots.add(level, slab.remaining[slot]!);
      this.rpiOrders++;
    }
  }

  /** False for an order that was pulled before (rules 19.4). */
  remove(slot: number): boolean {
    const level = this.slab.level[slot]!;
    if (level === NIL) return false;
    if ((this.slab.flags[slot]! & FLAG_RPI) === 0) this.normalLots.take(level, this.slab.remaining[slot]!);
    else this.rpiLots.take(level, this.slab.remaining[slot]!);
    this.unlink(slot);
    return true;
  }

  /** Takes `lots` off an order that keeps its priority (quantity amended down). False for one that was pulled. */
  reduce(slot: number, lots: number): boolean {
    const level = this.slab.level[slot]!;
    assert(lots < this.slab.remaining[slot]!, 'a resting order keeps something to execute');
    this.slab.remaining[slot]! -= lots;
    if (level === NIL) return false;
    if ((this.slab.flags[slot]! & FLAG_RPI) === 0) this.normalLots.take(level, lots);
    else this.rpiLots.take(level, lots);
    return true;
  }

  /** Visits levels best first: price, lots of normal orders, lots of RPI orders, first slots of both queues. */
  eachLevel(
    side: Side,
    visit: (price: number, normalLots: number, rpiLots: number, normal: number, rpi: number) => boolean,
  ): void {
    for (let level = this.best[side]!; level !== NIL; level = this.worse[level]!) {
      const goOn = visit(
        this.levelPrice[level]!,
        this.normalLots.of(level),
        this.rpiLots.of(level),
        this.normalHead[level]!,
        this.rpiHead[level]!,
      );
      if (!goOn) return;
    }
  }

  /** Visits every resting order of a side in priority order. */
  eachOrder(side: Side, visit: (slot: number) => void): void {
    this.eachLevel(side, (_price, _normal, _rpi, normal, rpi) => {
      for (let slot = normal; slot !== NIL; slot = this.slab.next[slot]!) visit(slot);
      for (let slot = rpi; slot !== NIL; slot = this.slab.next[slot]!) visit(slot);
      return true;
    });
  }

  /** Does this level or a worse one hold orders that the taker may match? */
  private anyVisible(level: number, queues: number): boolean {
    if (queues === 2) return true;
    for (let at = level; at !== NIL; at = this.worse[at]!) if (this.normalHead[at] !== NIL) return true;
    return false;
  }

  /** Unlinks an order whose lots are already off its level. */
  private unlink(slot: number): void {
    const slab = this.slab;
    const level = slab.level[slot]!;
    const next = slab.next[slot]!;
    const previous = slab.previous[slot]!;
    if (next !== NIL) slab.previous[next] = previous;
    if (previous !== NIL) slab.next[previous] = next;
    if ((slab.flags[slot]! & FLAG_RPI) === 0) {
      if (next === NIL) this.normalTail[level] = previous;
      if (previous === NIL) this.normalHead[level] = next;
      this.checkQueue(this.normalHead[level]!, this.normalTail[level]!, this.normalLots.of(level));
    } else {
      if (next === NIL) this.rpiTail[level] = previous;
      if (previous === NIL) this.rpiHead[level] = next;
      this.checkQueue(this.rpiHead[level]!, this.rpiTail[level]!, this.rpiLots.of(level));
      this.rpiOrders--;
    }
    slab.level[slot] = NIL;
    if (this.normalHead[level] === NIL && this.rpiHead[level] === NIL) {
      this.closeLevel(slab.side[slot] as Side, level);
    }
  }

  /**
   * The lots of a queue are the sum of its orders (I15), compared where it costs nothing: when one order is left, or none. A
   * wrong sum is found then at the latest; adding up a long queue would make every removal expensive.
   */
  private checkQueue(head: number, tail: number, lots: number): void {
    if (head === NIL) assert(lots === 0, 'I15: a level without orders shows lots');
    else if (head === tail)
      assert(lots === this.slab.remaining[head]!, 'I15: a level shows other lots than its orders hold');
    else assert(lots > 0, 'I15: a level with orders shows no lots');
  }

  private openLevel(side: Side, price: number): number {
    const level = this.allocateLevel();
    this.levelPrice[level] = price;
    this.normalLots.begin(level);
    this.rpiLots.begin(level);
    this.normalHead[level] = NIL;
    this.normalTail[level] = NIL;
    this.rpiHead[level] = NIL;
    this.rpiTail[level] = NIL;
    const index = this.index[side];
    const best = this.best[side]!;
    let better = NIL;
    if (best !== NIL) {
      const bestPrice = this.levelPrice[best]!;
      const isBest = side === Side.buy ? price > bestPrice : price < bestPrice;
      if (!isBest) better = side === Side.buy ? index.above(price) : index.below(price);
    }
    const worse = better === NIL ? best : this.worse[better]!;
    this.better[level] = better;
    this.worse[level] = worse;
    if (better === NIL) this.best[side] = level;
    else this.worse[better] = level;
    if (worse !== NIL) this.better[worse] = level;
    index.insert(price, level);
    return level;
  }

  private closeLevel(side: Side, level: number): void {
    const better = this.better[level]!;
    const worse = this.worse[level]!;
    if (better === NIL) this.best[side] = worse;
    else this.worse[better] = worse;
    if (worse !== NIL) this.better[worse] = better;
    this.index[side].remove(this.levelPrice[level]!);
    this.worse[level] = this.freeLevel;
    this.freeLevel = level;
  }

  private allocateLevel(): number {
    if (this.freeLevel !== NIL) {
      const level = this.freeLevel;
      this.freeLevel = this.worse[level]!;
      return level;
    }
    if (this.levelCount === this.levelPrice.length) this.growLevels();
    return this.levelCount++;
  }

  private growLevels(): void {
    const capacity = this.levelPrice.length * 2;
    const ints = (old: Int32Array) => {
      const grown = new Int32Array(capacity);
      grown.set(old);
      return grown;
    };
    this.levelPrice = ints(this.levelPrice);
    this.normalLots.grow(capacity);
    this.rpiLots.grow(capacity);
    this.normalHead = ints(this.normalHead);
    this.normalTail = ints(this.normalTail);
    this.rpiHead = ints(this.rpiHead);
    this.rpiTail = ints(this.rpiTail);
    this.better = ints(this.better);
    this.worse = ints(this.worse);
  }
}
