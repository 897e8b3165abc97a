/** Behind each order that opens, the party's positions are within the tier of its leverage (rules 13.9). */
import type { Command, PlaceOrder } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { HoldMode, OrderKind, PosSide, Side } from '../../src/core/model/enums.ts';
import type { FillRecord } from '../../src/core/model/event.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import type { Account } from '../../src/core/state/account.ts';
import type { State } from '../../src/core/state/state.ts';
import { dollars, type Find, family } from './families-finding.ts';
import type { Trades } from './families-trades.ts';
import { BOOK, BROKER, MASTERS } from './families-venue.ts';

/**
 * An order counts at its limit, a market order a little above the best price (rules 5.6): within the band of a twentieth (rules
 * 1.9) a sell may be filled above the one, a market order beyond the other.
 */
const TIER_SLACK = 1.06;

export class Tiers {
  private readonly state: State;
  private readonly members: readonly Account[];
  private readonly trades: Trades;
  private readonly find: Find;

  constructor(state: State, members: readonly Account[], trades: Trades, find: Find) {
    this.state = state;
    this.members = members;
    this.trades = trades;
    this.find = find;
  }

  /**
   * An order is checked when it comes, at the leverage of its account and with what its party has by then (rules 13.9 (a)). So
   * the order of the command is judged behind its last fill, and each order that its trades triggered behind its own: that
   * one opens at the leverage of another account.
   */
  check(command: Command, { rejectReason, orderId }: CommandResult, fills: readonly FillRecord[]): void {
    const placed = command.type === 'placeOrder' && rejectReason === RejectReason.none;
    const counts = placed && command.instrument >= BOOK.btcPerp && !this.onlyCloses(command);
    const lastFills = new Map<number, number>();
    for (const [n, fill] of fills.entries()) if (isTakenByUser(fill)) lastFills.set(fill.orderId, n);
    for (const [order, last] of lastFills) {
      const own = fills.filter((fill) => fill.orderId === order);
      const opens = own.some(({ futures }) => !futures!.closing);
      const limit = order === orderId && placed ? command.priceTicks : 0;
      if (order === orderId ? counts : opens)
        this.checkTier(own[0]!, this.uncounted(own, limit), fills.slice(last + 1));
    }
    if (counts && !lastFills.has(orderId)) this.checkTier(command, 0, []);
  }

  /** A limit that a move of the mark has passed refuses openings only (rules 13.9 (c)); in hedge mode the side says which. */
  private onlyCloses({ uid, side, posSide, reduceOnly }: PlaceOrder): boolean {
    if (reduceOnly === true) return true;
    if (this.state.accountByUid.get(uid)!.holdMode !== HoldMode.hedge) return false;
    return posSide === (side === Side.buy ? PosSide.short : PosSide.long);
  }

  /**
   * An order counts at its price, less the position that it closes at the mark (rules 13.9 (a)). So much more, at the mark, is
   * what it opened: by a mark that is better than its price, or by bids above the limit of a sell, of what it closes too.
   */
  private uncounted(own: readonly FillRecord[], limitTicks: number): number {
    const { instrument: index, priceTicks } = own[0]!;
    const { unitsPerLotNumber, pricePrecision } = this.state.instruments[index]!;
    const perLot = unitsPerLotNumber * 1e-8;
    let filled = 0;
    let opened = 0;
    let value = 0;
    for (const fill of own) {
      filled += fill.sizeLots;
      if (fill.futures!.closing) continue;
      opened += fill.sizeLots;
      value += Number(fill.value) * 1e-8;
    }
    const mark = this.trades.markOf(index) * perLot;
    const price = ((limitTicks || priceTicks) / 10 ** pricePrecision) * perLot;
    const counted = Math.max(0, filled * price - (filled - opened) * mark);
    return Math.max(0, opened * mark - Math.min(value, counted));
  }

  private checkTier(
    { uid, instrument: index, side }: Pick<FillRecord, 'uid' | 'instrument' | 'side'>,
    uncounted: number,
    later: readonly FillRecord[],
  ): void {
    const main = MASTERS[uid] ?? uid;
    if (!family.has(uid) || main === BROKER) return;
    const account = this.state.accountByUid.get(uid)!;
    const instrument = this.state.instruments[index]!;
    const buying = side === Side.buy;
    const setting = account.futuresSettings.get(index);
    if (setting === undefined) return;
    const leverage = buying ? setting.longLeverage : setting.shortLeverage;
    const lots = this.heldBefore(later, main, index, buying);
    const notional = lots * instrument.unitsPerLotNumber * 1e-8 * this.trades.markOf(index) - uncounted;
    const tier = instrument.futures!.tiers.findLast(({ maxLeverage }) => maxLeverage >= leverage);
    const limit = tier === undefined ? 0 : Number(tier.upTo) * 1e-8;
    if (notional > limit * TIER_SLACK)
      this.find(
        'tier',
        `account ${uid} opens at ${leverage}x where its party holds ${dollars(notional)}, allowed up to ${dollars(limit)}`,
      );
  }

  /** Lots of a party in a direction, without what fills of this command did later. */
  private heldBefore(later: readonly FillRecord[], main: number, index: number, long: boolean): number {
    const isOfParty = (uid: number) => family.has(uid) && (MASTERS[uid] ?? uid) === main;
    let lots = 0;
    for (const { uid, positions } of this.members) {
      if (!isOfParty(uid)) continue;
      for (const position of positions.values())
        if (position.instrument === index && position.long === long) lots += position.lots;
    }
    for (const { uid, instrument, side, sizeLots, futures } of later) {
      if (instrument !== index || !isOfParty(uid)) continue;
      const ofLong = (side === Side.buy) !== futures!.closing;
      if (ofLong === long) lots += futures!.closing ? sizeLots : -sizeLots;
    }
    return lots;
  }
}

/** Of an order that came in this command, placed or triggered. */
function isTakenByUser({ maker, futures }: FillRecord): boolean {
  return !maker && futures?.kind === OrderKind.user;
}
