/**
 * What a futures trade does to positions, money and records (rules 1.11, 4.2, 4.5). Each side is settled on its
 * own: first the part that closes, then the part that opens; both have fills of their own when a position flips.
 */

import type { MatchSink } from '../book/book.ts';
import { FLAG_CLOSING, FLAG_FORCED, FLAG_ISOLATED, FLAG_RPI } from '../book/order-slab.ts';
import { AdlRanking } from '../margin/adl-ranking.ts';
import { forcedFeeRate } from '../margin/bankruptcy.ts';
import { CancelReason, HoldMode, OrderKind, PosSide, Side } from '../model/enums.ts';
import { baseUnits, type Instrument, tradeValue } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { Position, positionKey } from '../model/position.ts';
import { assert, divFloor, divTrunc, RATE_ONE } from '../model/units.ts';
import { closeResting, countOrder, emitOpen, kindOf, posSideOf } from '../orders/order-lifecycle.ts';
import { printTrade } from '../orders/trade-events.ts';
import type { Account } from '../state/account.ts';
import type { Market, State } from '../state/state.ts';
import { onParentFill } from '../strategy/attached-tpsl.ts';
import { cancelProtection } from '../strategy/strategy-lifecycle.ts';
import { payCommission } from '../wallet/commission.ts';
import { emitFillPart, isLiquidation, recordClosed, type Trade } from './futures-fill-events.ts';
import { inCoinAt, openingMargin, type Part, splitFill } from './split-fill.ts';

/** What both sides of a trade have in common. */
type Deal = Omit<Trade, 'slot' | 'maker' | 'feeRate' | 'otherRate'>;

export class FuturesSettlement implements MatchSink {
  readonly ranking = new AdlRanking();
  private readonly state: State;
  private instrument!: Instrument;
  private market!: Market;

  constructor(state: State) {
    this.state = state;
  }

  begin(instrument: Instrument, market: Market): void {
    this.instrument = instrument;
    this.market = market;
  }

  /** A forced order may trade beyond the bankruptcy price only as far as somebody pays for it. */
  forcedCapacity: ((priceTicks: number) => number) | undefined;
  /** Called after each fill of a forced order, so that what it lacks is paid at once. */
  onForcedFill: ((priceTicks: number, lots: number) => void) | undefined;

  /** What lots that their owner moves take along in the deleveraging queue. */
  movedQueueValue: bigint | undefined;

  /** How many lots a closing order may still take off its position. */
  capacity(slot: number, priceTicks: number): number {
    const { slab, accounts } = this.state;
    const position = this.positionFor(accounts[slab.account[slot]!]!, slot);
    if (position === undefined) return 0;
    const reduces = position.long === (slab.side[slot] === Side.sell);
    if (!reduces) return 0;
    const forced = this.forcedCapacity !== undefined && (slab.flags[slot]! & FLAG_FORCED) !== 0;
    return forced ? Math.min(position.lots, this.forcedCapacity!(priceTicks)) : position.lots;
  }

  /** A trade between two orders of the exchange's own making, outside the book and unseen by the market. */
  tradeDirectly(one: number, other: number, priceTicks: number, lots: number): void {
    const { state, instrument } = this;
    const { slab } = state;
    const value = tradeValue(instrument, priceTicks, lots);
    const execLinkId = state.nextId();
    for (const slot of [one, other]) slab.remaining[slot]! -= lots;
    state.digest.fold(priceTicks);
    state.digest.fold(lots);
    this.settleBoth(one, other, { priceTicks, lots, value, execLinkId, rpi: false });
  }

  /** One side alone against the clearing account (delivery). */
  settleAlone(slot: number, priceTicks: number, lots: number): void {
    const { state, instrument } = this;
    const value = tradeValue(instrument, priceTicks, lots);
    state.slab.remaining[slot]! -= lots;
    this.settle({
      slot,
      maker: false,
      priceTicks,
      lots,
      value,
      feeRate: this.feeRateOf(slot, false),
      otherRate: 0n,
      execLinkId: state.nextId(),
      rpi: false,
    });
  }

  traded(taker: number, maker: number, priceTicks: number, lots: number): void {
    const { state, instrument, market } = this;
    const value = tradeValue(instrument, priceTicks, lots);
    const execLinkId = state.nextId();
    state.digest.fold(state.slab.id[maker]!);
    state.digest.fold(priceTicks);
    state.digest.fold(lots);
    const rpi = (state.slab.flags[maker]! & FLAG_RPI) !== 0;
    this.settleBoth(taker, maker, { priceTicks, lots, value, execLinkId, rpi });
    printTrade(state, market, { taker, priceTicks, lots, execId: state.nextId(), execLinkId, rpi });
    this.onForcedFill?.(priceTicks, lots);
    if (state.slab.remaining[maker] !== 0) emitOpen(state, maker);
    market.day.trade(state.now, priceTicks, lots, value);
    const candleEnd = market.candles.trade(state.now, priceTicks, lots, value);
    if (candleEnd < state.nextCandleEnd) state.nextCandleEnd = candleEnd;
    market.lastTriggers?.see(priceTicks);
    market.changes++;
  }

  makerLeft(maker: number, filled: boolean): void {
    this.market.changes++;
    if (filled) closeResting(this.state, maker, CancelReason.none);
    else
      closeResting(
        this.state,
        maker,
        this.isClosing(maker) && this.capacity(maker, 0) === 0
          ? CancelReason.delegatedRiskOrder
          : CancelReason.stp,
      );
  }

  private settleBoth(taker: number, maker: number, deal: Deal): void {
    const takerRate = this.feeRateOf(taker, false);
    const makerRate = this.feeRateOf(maker, true);
    this.settle({ ...deal, slot: taker, maker: false, feeRate: takerRate, otherRate: makerRate });
    this.settle({ ...deal, slot: maker, maker: true, feeRate: makerRate, otherRate: takerRate });
  }

  /** One side of a trade. */
  private settle(trade: Trade): void {
    const { state } = this;
    const { slab } = state;
    const account = state.accounts[slab.account[trade.slot]!]!;
    this.settleParts(account, trade);
    countOrder(state, account, this.instrument, trade.slot, -trade.lots);
    state.touch(account);
  }

  private settleParts(account: Account, trade: Trade): void {
    const { lots, value, slot } = trade;
    const buying = this.state.slab.side[slot] === Side.buy;
    for (const part of splitFill(this.positionFor(account, slot), buying, lots, value)) {
      this.settlePart(account, trade, part);
    }
  }

  private settlePart(account: Account, trade: Trade, part: Part): void {
    const { state } = this;
    const { slot } = trade;
    const kind = kindOf(state, slot);
    const chargedOn = this.instrument.futures!.coinMargined
      ? baseUnits(this.instrument, part.lots)
      : part.value;
    const fee = divTrunc(chargedOn * trade.feeRate, RATE_ONE);
    const marginBefore = this.positionFor(account, slot)?.iso ?? 0n;
    const pnl = part.closing
      ? this.closePart(account, trade, part, kind)
      : this.openPart(account, trade, part);
    const position = this.positionFor(account, slot);
    if (position !== undefined) account.margin?.positionChanged(position);
    this.chargeFee(account, position, fee, kind);
    const { settle } = this.instrument.futures!;
    const commission = isLiquidation(kind)
      ? 0n
      : payCommission(state, account, settle, fee, chargedOn, trade.otherRate);
    if (position !== undefined) {
      if (part.closing) position.closeFee += fee;
      else position.openFee += fee;
      position.updatedTime = state.now;
    }
    const execution = state.slab.executions[slot];
    if (execution === undefined) state.slab.executions[slot] = { value: part.value, fee, pnl };
    else {
      execution.value += part.value;
      execution.fee += fee;
      execution.pnl += pnl;
    }
    state.digest.fold(Number(BigInt.asIntN(32, fee + pnl * 31n)));
    const intoMargin = (position?.iso ?? 0n) - marginBefore;
    emitFillPart(state, this.instrument, account, trade, part, { fee, commission, pnl, intoMargin, kind });
    if (position !== undefined && position.size === 0 && position.iso === 0n) this.forget(account, position);
  }

  /**
   * Everything pays its ordinary rate, forced closes the taker's. A liquidated side pays it for what was deleveraged
   * too: its bankruptcy price is where nothing is left after that fee (rules 5.8, 5.9 step 8).
   */
  private feeRateOf(slot: number, maker: boolean): bigint {
    const { state, instrument } = this;
    const kind = kindOf(state, slot);
    if (FREE_OF_FEES.has(kind)) return 0n;
    if (isLiquidation(kind)) return forcedFeeRate(instrument);
    const { fees } = state.accounts[state.slab.account[slot]!]!;
    const rates = kind === OrderKind.user ? (fees.get(instrument.index) ?? instrument) : instrument;
    return maker ? rates.makerRate : rates.takerRate;
  }

  private openPart(account: Account, trade: Trade, part: Part): bigint {
    const { state, instrument } = this;
    const { slab, ledger } = state;
    const buying = slab.side[trade.slot] === Side.buy;
    const isolated = (slab.flags[trade.slot]! & FLAG_ISOLATED) !== 0;
    const position =
      this.positionFor(account, trade.slot) ?? this.openPosition(account, trade.slot, isolated);
    if (isolated) {
      const coin = instrument.futures!.settle;
      const margin = openingMargin(account, instrument, buying, part.value, trade.priceTicks);
      this.releaseOrderMargin(account, trade);
      ledger.move(
        ledger.cell(account.index, coin, Bucket.cash),
        ledger.cell(account.index, coin, Bucket.isolated),
        margin,
      );
      position.iso += margin;
    }
    const moved = this.movedQueueValue;
    const queueValue =
      moved === undefined ? part.value : divFloor(moved * BigInt(part.lots), BigInt(trade.lots));
    position.open(buying, part.lots, part.value, queueValue);
    if (buying) this.market.futures!.openInterest += part.lots;
    if (slab.presets.size !== 0) onParentFill(state, trade.slot, part.lots);
    return 0n;
  }

  /** Returns the profit in the settlement coin. */
  private closePart(account: Account, trade: Trade, part: Part, kind: OrderKind): bigint {
    const { state, instrument } = this;
    const { ledger } = state;
    const coin = instrument.futures!.settle;
    const position = this.positionFor(account, trade.slot)!;
    if (position.long) this.market.futures!.openInterest -= part.lots;
    const { realised, margin } = position.close(part.lots, part.value);
    this.market.futures!.cleared -= realised;
    const pnl = inCoinAt(instrument, realised, trade.priceTicks);
    position.realised += pnl;
    const cash = ledger.cell(account.index, coin, Bucket.cash);
    if (!position.isolated) {
      this.clear(cash, coin, pnl);
      return pnl;
    }
    const isolated = ledger.cell(account.index, coin, Bucket.isolated);
    this.clear(isolated, coin, pnl);
    if (keepsMargin(kind)) {
      // A forced close keeps everything inside the position until it is settled with the insurance fund.
      position.iso += pnl;
      return pnl;
    }
    const { freed, missing } = position.release(margin, pnl);
    ledger.move(isolated, cash, freed);
    ledger.move(cash, isolated, missing);
    return pnl;
  }

  private clear(cell: number, coin: number, pnl: bigint): void {
    const { ledger } = this.state;
    const clearing = ledger.cell(SystemAccount.clearing, coin, Bucket.cash);
    this.market.futures!.clearing -= pnl;
    if (pnl > 0n) ledger.move(clearing, cell, pnl);
    else if (pnl < 0n) ledger.move(cell, clearing, -pnl);
  }

  /** Fees of liquidations go to the insurance fund, out of the margin they are about. */
  private chargeFee(account: Account, position: Position | undefined, fee: bigint, kind: OrderKind): void {
    const { ledger } = this.state;
    const coin = this.instrument.futures!.settle;
    const forced = isLiquidation(kind);
    const inside = keepsMargin(kind) && position?.isolated === true;
    const payer = ledger.cell(account.index, coin, inside ? Bucket.isolated : Bucket.cash);
    const house = ledger.cell(forced ? SystemAccount.insurance : SystemAccount.fee, coin, Bucket.cash);
    if (inside) position!.iso -= fee;
    if (fee > 0n) ledger.move(payer, house, fee);
    else if (fee < 0n) ledger.move(house, payer, -fee);
  }

  /** The order's margin for the filled lots goes back to cash, from where fill and fee take what they need. */
  private releaseOrderMargin(account: Account, trade: Trade): void {
    const { state, instrument } = this;
    const { slab, ledger } = state;
    const held = slab.isolatedLocks.get(trade.slot);
    if (held === undefined) return;
    const before = slab.remaining[trade.slot]! + trade.lots;
    const share =
      slab.remaining[trade.slot] === 0 ? held : divFloor(held * BigInt(trade.lots), BigInt(before));
    const coin = instrument.futures!.settle;
    const orders = ledger.cell(account.index, coin, Bucket.isolatedOrders);
    ledger.move(orders, ledger.cell(account.index, coin, Bucket.cash), share);
    slab.isolatedLocks.set(trade.slot, held - share);
  }

  private positionFor(account: Account, slot: number): Position | undefined {
    const { slab } = this.state;
    const posSide = account.holdMode === HoldMode.hedge ? posSideOf(slab.flags[slot]!) : PosSide.none;
    return account.positions.get(positionKey(slab.instrument[slot]!, posSide));
  }

  private openPosition(account: Account, slot: number, isolated: boolean): Position {
    const { state } = this;
    const posSide = account.holdMode === HoldMode.hedge ? posSideOf(state.slab.flags[slot]!) : PosSide.none;
    const position = new Position(
      state.nextId(),
      account.index,
      this.instrument.index,
      posSide,
      isolated,
      state.now,
    );
    state.addPosition(account, position);
    return position;
  }

  /** A position without size is gone; a forced one only when its margin is settled. */
  forget(account: Account, position: Position): void {
    const { state, instrument } = this;
    assert(position.basis === 0n && position.iso === 0n, 'an empty position holds nothing');
    if (!state.removePosition(account, position)) return;
    cancelProtection(state, account, position.instrument, position.wasLong);
    recordClosed(state, instrument, account, position);
  }

  private isClosing(slot: number): boolean {
    return (this.state.slab.flags[slot]! & FLAG_CLOSING) !== 0;
  }
}

/**
 * What an account does not pay for: netting, being deleveraged for others (rules 5.11), delisting; and what its owner
 * moves from one account to another, as nobody else is on the other side.
 */
const FREE_OF_FEES: ReadonlySet<OrderKind> = new Set([
  OrderKind.offset,
  OrderKind.adl,
  OrderKind.delisting,
  OrderKind.move,
]);

/** Their margin stays with the position until all of it is settled. */
function keepsMargin(kind: OrderKind): boolean {
  return isLiquidation(kind) || kind === OrderKind.delivery || kind === OrderKind.delisting;
}
