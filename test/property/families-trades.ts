/**
 * What trades of the family may bring it: with strangers what they gave, among itself what a mark is late by, of forced
 * closes what lies within their reach, of coin-margined contracts what the house lost.
 */
import { OrderKind, Side } from '../../src/core/model/enums.ts';
import type { FillRecord } from '../../src/core/model/event.ts';
import type { State } from '../../src/core/state/state.ts';
import { family, isForced, MARK_AWAY } from './families-finding.ts';
import { SILENT_MS, SPOT_AWAY, type Told } from './families-told.ts';
import { BTCUSD } from './families-venue.ts';
import type { World } from './families-world.ts';
import type { Worth } from './families-worth.ts';

/** Highest maintenance of the tiers and the fee of a forced close. */
const REACH_MAX = 0.0306;

export class Trades {
  /** What trades of the family in coin-margined contracts gave both sides together, in dollars. */
  rolled = 0;
  /** Dollars that overdue work gave it beyond the reach of its closes, at a price that the venue had not heard of. */
  overdue = 0;
  private readonly state: State;
  private readonly world: World;
  private readonly worth: Worth;
  private readonly told: Told;

  constructor(state: State, world: World, worth: Worth, told: Told) {
    this.state = state;
    this.world = world;
    this.worth = worth;
    this.told = told;
  }

  /** How much better than outside the family traded, with whom that is its due. */
  gainOf(fills: readonly FillRecord[]): number {
    const trades = new Map<number, FillRecord[]>();
    for (const fill of fills) {
      const known = trades.get(fill.execLinkId);
      if (known === undefined) trades.set(fill.execLinkId, [fill]);
      else known.push(fill);
    }
    let sum = 0;
    for (const sides of trades.values()) sum += this.tradeOf(sides, fills);
    return sum;
  }

  private tradeOf(sides: readonly FillRecord[], fills: readonly FillRecord[]): number {
    const own = sides.filter(({ uid }) => family.has(uid));
    if (own.length === 0) return 0;
    const edge = own.reduce((sum, fill) => sum + this.edgeOf(fill), 0);
    const among = own.some(({ side }) => side === Side.buy) && own.some(({ side }) => side === Side.sell);
    const instrument = this.state.instruments[own[0]!.instrument]!;
    const closedByTime = own.some(
      ({ futures }) => futures?.kind === OrderKind.delivery || futures?.kind === OrderKind.delisting,
    );
    if (closedByTime) return Math.max(0, edge);
    if (instrument.futures?.coinMargined === true) this.roll(sides);
    if (among) {
      const late = this.lateness(own[0]!);
      const coin = instrument.futures?.coinMargined === true ? Math.max(0, edge) : 0;
      // An account that a gap has left below zero gives what a forced close may give, and the house lacks it.
      const forced = own.find(({ futures }) => isForced(futures?.kind));
      return late + coin + (forced === undefined ? 0 : this.reachOf([forced], forced, fills));
    }
    const others = sides.filter(({ uid }) => !family.has(uid));
    const forcedOther = others.find(({ futures }) => isForced(futures?.kind));
    // A rebate is a part of the fee that the other side paid (rules 13.10 (b)).
    const rebates = own.reduce((sum, fill) => sum + Math.max(0, -this.feeOf(fill)), 0);
    if (forcedOther === undefined && own.every(({ futures }) => futures?.kind !== OrderKind.adl))
      return Math.max(0, edge) + rebates;
    const reach = this.reachOf(own, forcedOther, fills);
    const overdue = Math.max(0, Math.min(edge - reach, this.untoldOf(own)));
    this.overdue += overdue;
    return Math.max(0, Math.min(edge, reach + overdue));
  }

  /** How far the mark of a close was from an outside price that the venue heard of only in that second. */
  private untoldOf(own: readonly FillRecord[]): number {
    const { state, world, told } = this;
    let sum = 0;
    for (const fill of own) {
      if (!told.wasUntold(fill)) continue;
      const instrument = state.instruments[fill.instrument]!;
      const notional = fill.sizeLots * instrument.unitsPerLotNumber * 1e-8 * world.prices[instrument.base]!;
      sum += notional * Math.abs(told.markAt(fill) / world.priceOf(instrument) - 1);
    }
    return sum;
  }

  /** What a forced close may give away: the distance to W, and what the mark is away from the outside price. */
  reachOf(own: readonly FillRecord[], forced: FillRecord | undefined, fills: readonly FillRecord[]): number {
    const { state, world } = this;
    const instrument = state.instruments[own[0]!.instrument]!;
    const lots = own.reduce((sum, { sizeLots }) => sum + sizeLots, 0);
    const price = world.priceOf(instrument);
    const perLot = instrument.unitsPerLotNumber * 1e-8 * world.prices[instrument.base]!;
    let rate = REACH_MAX;
    if (forced !== undefined) {
      const all = fills.reduce(
        (sum, { uid, instrument: on, sizeLots }) =>
          uid === forced.uid && on === forced.instrument ? sum + sizeLots : sum,
        0,
      );
      const notional = BigInt(Math.round(all * perLot * 1e8));
      const tier = instrument.futures!.tiers.find(({ upTo }) => upTo >= notional);
      rate = tier === undefined ? REACH_MAX : Number(tier.rate) * 1e-12 + 0.0006;
    }
    const away = Math.abs(this.markOf(own[0]!.instrument) / price - 1);
    const coinMargined = instrument.futures?.coinMargined === true;
    const closed = coinMargined
      ? own.reduce((sum, { futures }) => sum + Math.abs(Number(futures!.pnl)), 0)
      : 0;
    const reached = lots * perLot + closed * 1e-8 * world.prices[instrument.base]!;
    return reached * (rate + Math.min(away, MARK_AWAY) + 0.0005);
  }

  /** What a trade among the family may take by the venue's ignorance of the outside price. */
  private lateness({ instrument: index, sizeLots }: FillRecord): number {
    const { state, world } = this;
    const instrument = state.instruments[index]!;
    const notional = sizeLots * instrument.unitsPerLotNumber * 1e-8 * world.prices[instrument.base]!;
    const found = state.indexOf(instrument)!;
    const told = Number(found.price) * 1e-8;
    const price = world.priceOf(instrument);
    if (instrument.futures === undefined)
      return notional * Math.min(SPOT_AWAY, Math.abs(told / price - 1) + 0.0001);
    const away = Math.abs(this.markOf(index) / price - 1);
    const silent = found.stale || state.now - found.reportedAt(state.now) > SILENT_MS;
    return notional * (silent ? away : Math.min(away, MARK_AWAY));
  }

  markOf(index: number): number {
    const instrument = this.state.instruments[index]!;
    return this.state.market(instrument).futures!.markTicks / 10 ** instrument.pricePrecision;
  }

  /**
   * A coin-margined trade gives both sides together what the house loses; forced ones follow gaps of the outside price. The
   * limit of the house is one at prices it was told (rules 13.2 (c)): at a mark that is a word late a trade leaves the house
   * as it was (rules 13.2 (b)), and what the next word makes of that is a move of the mark. A silence is no excuse: nothing
   * trades then (rules 13.2 (f)).
   */
  private roll(sides: readonly FillRecord[]): void {
    if (sides.some(({ futures }) => futures!.kind !== OrderKind.user && futures!.kind !== OrderKind.move))
      return;
    for (const fill of sides) {
      const paid = fill.futures!.closing ? Number(fill.futures!.pnl) * 1e-8 : 0;
      this.rolled += this.edgeOf(fill) - (family.has(fill.uid) ? this.feeOf(fill) : 0);
      this.rolled -= paid * this.late(fill.instrument);
    }
  }

  /** Dollars that the outside price of a coin-margined contract is above the mark because its feed has not told it yet. */
  private late(book: number): number {
    if (!this.told.isUntoldOn(BTCUSD)) return 0;
    return this.world.priceOf(this.state.instruments[book]!) - this.markOf(book);
  }

  /** Dollars that one side of a trade gained against the outside price, without its fee. */
  edgeOf(fill: FillRecord): number {
    const { state, world } = this;
    const instrument = state.instruments[fill.instrument]!;
    const sign = fill.side === Side.buy ? 1 : -1;
    const amount = fill.sizeLots * instrument.unitsPerLotNumber * 1e-8;
    const price = fill.priceTicks / 10 ** instrument.pricePrecision;
    if (instrument.futures?.coinMargined === true && fill.futures!.closing) {
      // The profit in dollars is paid in coin at a price that need not be the outside one.
      const paid = Number(fill.futures!.pnl) * 1e-8;
      const outside = world.prices[instrument.base]!;
      return sign * amount * (outside - price) + paid * (outside - this.paidAt(fill, price));
    }
    return sign * amount * (world.prices[instrument.base]! - price * world.prices[instrument.quote]!);
  }

  /** The price at which a coin-margined profit becomes coin (rules 13.2 (e)). */
  private paidAt({ instrument, futures }: FillRecord, price: number): number {
    if (futures!.kind !== OrderKind.user || !this.state.rules.clearingShortfall) return price;
    const mark = this.markOf(instrument);
    return futures!.pnl > 0n ? Math.max(price, mark) : Math.min(price, mark);
  }

  feeOf(fill: FillRecord): number {
    return this.worth.usd(fill.feeCoin, fill.fee);
  }
}
