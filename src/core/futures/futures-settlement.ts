/**
 * Settlement of futures trades: positions, money and records (rules 1.11, 4.2, 4.5). Each side is settled by itself,
 * first the part that closes, then the part that opens; both have their own fill when a position is reversed.
 */

import type { MatchSink } from '../book/book.ts';
import { FLAG_CLOSING, FLAG_FORCED, FLAG_ISOLATED, FLAG_RPI } from '../book/order-slab.ts';
import { AdlRanking } from '../margin/adl-ranking.ts';
import { forcedFeeRate } from '../margin/bankruptcy.ts';
import type { FuturesMarket } from '../marketdata/futures-market.ts';
import { type Amount, differenceOf, sumOf } from '../model/amount.ts';
import { CancelReason, HoldMode, OrderKind, PosSide, Side } from '../model/enums.ts';
import { feeOf, rebateOf } from '../model/fees.ts';
import { type Instrument, tradeAmount } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { Position, positionKey } from '../model/position.ts';
import { POSITION_NUMBERS, PositionColumn } from '../model/position-numbers.ts';
import { assert, divFloor, larger } from '../model/units.ts';
import {
  emitOrderUpdate,
  finishRestingOrder,
  kindOf,
  noteExecution,
  noteOpenSizeChange,
  posSideOf,
} from '../orders/order-lifecycle.ts';
import { digestOf, printTrade } from '../orders/trade-events.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { onParentFill } from '../strategy/attached-tpsl.ts';
import { cancelProtection } from '../strategy/strategy-lifecycle.ts';
import { payCommission } from '../wallet/commission.ts';
import type { FillContext } from './fill-context.ts';
import { payOwedFunding } from './funding.ts';
import { FuturesFillChecks } from './futures-fill-checks.ts';
import { emitFillPart, emitPositionClosed, isLiquidation, type Trade } from './futures-fill-events.ts';
import {
  feeBase,
  inCoinAt,
  openingMargin,
  type Part,
  realisedInCoin,
  receivedMargin,
  splitFill,
} from './split-fill.ts';

/** The fields that both sides of a trade have in common. */
type Deal = Omit<Trade, 'slot' | 'maker' | 'feeRate' | 'otherRate'>;

export class FuturesSettlement implements MatchSink<FillContext> {
  readonly ranking = new AdlRanking();
  private readonly state: State;
  private readonly settleOwner = (maker: number): void =>
    this.state.settleOpenWork(this.state.accountOf(maker));
  /** By instrument; cached, because every match needs one. */
  private readonly contexts: FillContext[] = [];
  private readonly checks: FuturesFillChecks[] = [];
  /** What the present trade has brought the house in fees: no rebate is larger (rules 13.10). */
  private feesKept: Amount = 0;

  constructor(state: State) {
    this.state = state;
  }

  /** The context of fills that are neither forced nor a position move. */
  contextOf(instrument: Instrument): FillContext {
    const known = this.contexts[instrument.index];
    if (known !== undefined) return known;
    const market = this.state.market(instrument);
    const context = { instrument, market, forced: undefined, movedQueueValue: undefined };
    this.contexts[instrument.index] = context;
    return context;
  }

  /** How many lots a closing order may still take off its position. */
  capacity({ forced }: FillContext, slot: number, priceTicks: number): number {
    const { slab, accounts } = this.state;
    const position = this.positionFor(accounts[slab.account[slot]!]!, slot);
    if (position === undefined) return 0;
    const reduces = position.long === (slab.side[slot] === Side.sell);
    if (!reduces) return 0;
    return forced !== undefined && (slab.flags[slot]! & FLAG_FORCED) !== 0
      ? Math.min(position.lots, forced.capacity(priceTicks))
      : position.lots;
  }

  /** A trade between two orders of the exchange, outside the book and not printed on the tape. */
  tradeDirectly(context: FillContext, one: number, other: number, priceTicks: number, lots: number): void {
    const { state } = this;
    const { slab } = state;
    const value = context.movedBasis ?? tradeAmount(context.instrument, priceTicks, lots);
    const execLinkId = state.nextId();
    for (const slot of [one, other]) slab.remaining[slot]! -= lots;
    slab.fillsDone++;
    state.digest.fold(priceTicks);
    state.digest.fold(lots);
    this.settleBoth(one, other, { context, priceTicks, lots, value, execLinkId, rpi: false });
  }

  /** One side alone against the clearing account (delivery). */
  settleAlone(context: FillContext, slot: number, priceTicks: number, lots: number): void {
    const { state } = this;
    const value = tradeAmount(context.instrument, priceTicks, lots);
    state.slab.remaining[slot]! -= lots;
    this.feesKept = 0;
    this.settle({
      context,
      slot,
      maker: false,
      priceTicks,
      lots,
      value,
      feeRate: this.feeRateOf(context.instrument, slot, false),
      otherRate: 0n,
      execLinkId: state.nextId(),
      rpi: false,
    });
  }

  prefetch(maker: number): void {
    this.state.accountByUid.prefetch(this.state.slab.account[maker]!);
  }

  get beforeMaker(): ((maker: number) => void) | undefined {
    return this.state.works.length === 0 ? undefined : this.settleOwner;
  }

  traded(context: FillContext, taker: number, maker: number, priceTicks: number, lots: number): void {
    const { state } = this;
    const { instrument, market } = context;
    const value = tradeAmount(instrument, priceTicks, lots);
    const execLinkId = state.nextId();
    state.digest.fold(state.slab.id[maker]!);
    state.digest.fold(priceTicks);
    state.digest.fold(lots);
    const rpi = (state.slab.flags[maker]! & FLAG_RPI) !== 0;
    this.settleBoth(taker, maker, { context, priceTicks, lots, value, execLinkId, rpi });
    if (state.verifiesFillChecks) this.checks[instrument.index]?.confirm();
    printTrade(state, market, { taker, priceTicks, lots, execId: state.nextId(), execLinkId, rpi });
    context.forced?.filled(priceTicks, lots);
    if (state.slab.remaining[maker] !== 0) emitOrderUpdate(state, maker);
    market.day.trade(state.now, priceTicks, lots, value);
    if (state.rules.backedBooks) market.futures!.sawTrade(state.now, priceTicks, value);
    const candleEnd = market.candles.trade(state.now, priceTicks, lots, value);
    if (candleEnd < state.nextCandleEnd) state.nextCandleEnd = candleEnd;
    market.lastTriggers?.onPrice(priceTicks);
    market.changes++;
  }

  fillChecks({ instrument }: FillContext, dryRun: boolean): FuturesFillChecks | undefined {
    const { state } = this;
    if (!state.rules.restingRisk) return undefined;
    if (dryRun) return new FuturesFillChecks(state, instrument, true);
    let checks = this.checks[instrument.index];
    if (checks === undefined) {
      checks = new FuturesFillChecks(state, instrument, false);
      this.checks[instrument.index] = checks;
    }
    checks.begin();
    return checks;
  }

  makerFailed(context: FillContext, maker: number): void {
    context.market.changes++;
    finishRestingOrder(this.state, maker, CancelReason.delegatedRiskOrder);
  }

  makerLeft(context: FillContext, maker: number, filled: boolean): void {
    context.market.changes++;
    if (filled) finishRestingOrder(this.state, maker, CancelReason.none);
    else
      finishRestingOrder(
        this.state,
        maker,
        this.isClosing(maker) && this.capacity(context, maker, 0) === 0
          ? CancelReason.delegatedRiskOrder
          : CancelReason.stp,
      );
  }

  private settleBoth(taker: number, maker: number, deal: Deal): void {
    const { state } = this;
    if (state.tracer !== undefined) state.tracer.onMatch(taker, maker, deal.priceTicks, deal.lots);
    const { instrument } = deal.context;
    const takerRate = this.feeRateOf(instrument, taker, false);
    this.feesKept = 0;
    const ownRate = this.feeRateOf(instrument, maker, true);
    // Forced trades pay no rebate (rules 13.7).
    const makerRate = state.rules.fundReach && this.isForced(taker) ? larger(0n, ownRate) : ownRate;
    this.settle(sideOf(deal, taker, false, takerRate, makerRate));
    this.settle(sideOf(deal, maker, true, makerRate, takerRate));
  }

  /** One side of a trade. */
  private settle(trade: Trade): void {
    const { state } = this;
    const { slab } = state;
    const account = state.accounts[slab.account[trade.slot]!]!;
    state.keepForReads(account.index);
    this.settleParts(account, trade);
    noteOpenSizeChange(state, account, trade.context.instrument, trade.slot, -trade.lots);
    state.markDirty(account);
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
    const { instrument } = trade.context;
    const { settle } = instrument.futures!;
    const kind = kindOf(state, slot);
    const chargedOn = feeBase(instrument, part);
    const fee = this.feeOf(chargedOn, trade.feeRate, kind);
    const held = this.positionFor(account, slot);
    const marginBefore = held?.amount(PositionColumn.iso) ?? 0;
    const pnl = part.closing
      ? this.closePart(account, trade, part, kind)
      : this.openPart(account, trade, part);
    const position = this.positionFor(account, slot);
    if (position !== undefined) {
      account.margin?.positionChanged(position);
      trade.context.market.positions.changed(position);
      state.ledger.positionChanged(account.index);
    }
    this.chargeFee(account, settle, position, fee, kind);
    const commission = isLiquidation(kind)
      ? 0
      : payCommission(state, account, settle, fee, rebateOf(chargedOn, trade.otherRate));
    if (position !== undefined) {
      position.add(part.closing ? PositionColumn.closeFee : PositionColumn.openFee, fee);
      position.updatedTime = state.now;
    }
    noteExecution(state, slot, part.value, fee, pnl);
    state.digest.fold(digestOf(pnl, fee));
    const intoMargin = differenceOf(position?.amount(PositionColumn.iso) ?? 0, marginBefore);
    emitFillPart(state, account, trade, part, { fee, commission, pnl, intoMargin, kind });
    if (part.closing && held!.amount(PositionColumn.fundingOwed) > 0 && !keepsMargin(kind)) {
      const released = BigInt(marginBefore) + BigInt(pnl) - held!.iso - larger(0n, BigInt(fee));
      payOwedFunding(state, account, held!, released, kind);
    }
    if (position !== undefined && position.size === 0 && position.number(PositionColumn.iso) === 0)
      this.forget(account, position);
  }

  /**
   * Orders of users pay the account's rate, forced closes the taker rate. A liquidated side pays it for deleveraged lots
   * too: at the bankruptcy price nothing is left after that fee (rules 5.8, 5.9 step 8).
   */
  private feeRateOf(instrument: Instrument, slot: number, maker: boolean): bigint {
    const { state } = this;
    const kind = kindOf(state, slot);
    if (FREE_OF_FEES.has(kind)) return 0n;
    if (isLiquidation(kind)) return forcedFeeRate(instrument);
    const { fees } = state.accountOf(slot);
    const rates = kind === OrderKind.user ? (fees.get(instrument.index) ?? instrument) : instrument;
    return maker ? rates.makerRate : rates.takerRate;
  }

  /** The taker is settled first: what it pays the house is all that the maker may get back. */
  private feeOf(chargedOn: Amount, rate: bigint, kind: OrderKind): Amount {
    const { feeFloors } = this.state.rules;
    const fee = feeOf(chargedOn, rate, feeFloors);
    if (!feeFloors || isLiquidation(kind)) return fee;
    const kept = fee < -this.feesKept ? -this.feesKept : fee;
    this.feesKept = sumOf(this.feesKept, kept);
    return kept;
  }

  private openPart(account: Account, trade: Trade, part: Part): Amount {
    const { state } = this;
    const { instrument, market, movedQueueValue, movedBasis } = trade.context;
    const { slab, ledger } = state;
    const buying = slab.side[trade.slot] === Side.buy;
    const isolated = (slab.flags[trade.slot]! & FLAG_ISOLATED) !== 0;
    const position = this.positionFor(account, trade.slot) ?? this.openPosition(account, trade, isolated);
    if (isolated) {
      const coin = instrument.futures!.settle;
      const margin =
        movedBasis === undefined
          ? openingMargin(account, instrument, buying, part.value, trade.priceTicks)
          : receivedMargin(account, instrument, buying, part, trade.priceTicks);
      this.releaseOrderMargin(account, trade);
      ledger.move(
        ledger.cell(account.index, coin, Bucket.cash),
        ledger.cell(account.index, coin, Bucket.isolated),
        margin,
      );
      position.add(PositionColumn.iso, margin);
    }
    const queueValue =
      movedQueueValue === undefined
        ? part.value
        : divFloor(movedQueueValue * BigInt(part.lots), BigInt(trade.lots));
    position.open(buying, part.lots, part.value, queueValue);
    if (buying) market.futures!.openInterest += part.lots;
    if (slab.presets.size !== 0) onParentFill(state, trade.slot, part.lots);
    return 0;
  }

  /** Returns the profit in the settlement coin. */
  private closePart(account: Account, trade: Trade, part: Part, kind: OrderKind): Amount {
    const { state } = this;
    const { instrument, market } = trade.context;
    const { ledger } = state;
    const futures = market.futures!;
    const coin = instrument.futures!.settle;
    const position = this.positionFor(account, trade.slot)!;
    if (position.long) futures.openInterest -= part.lots;
    const { realised, margin } = position.close(part.lots, part.value);
    futures.cleared -= BigInt(realised);
    const pnl =
      kind === OrderKind.user
        ? realisedInCoin(state, instrument, realised, trade.priceTicks, futures.markTicks)
        : inCoinAt(instrument, realised, trade.priceTicks);
    position.add(PositionColumn.realised, pnl);
    const cash = ledger.cell(account.index, coin, Bucket.cash);
    if (!position.isolated) {
      this.clear(futures, cash, coin, pnl);
      return pnl;
    }
    const isolated = ledger.cell(account.index, coin, Bucket.isolated);
    this.clear(futures, isolated, coin, pnl);
    if (keepsMargin(kind)) {
      // A forced close keeps its result in the position's margin until it is settled with the insurance fund.
      position.add(PositionColumn.iso, pnl);
      return pnl;
    }
    const { freed, missing } = position.release(BigInt(margin), BigInt(pnl));
    ledger.move(isolated, cash, freed);
    ledger.move(cash, isolated, missing);
    return pnl;
  }

  /** Pays a profit from the clearing account, or a loss into it. */
  private clear(futures: FuturesMarket, cell: number, coin: number, pnl: Amount): void {
    const { ledger } = this.state;
    const clearing = ledger.cell(SystemAccount.clearing, coin, Bucket.cash);
    futures.clearing -= BigInt(pnl);
    if (futures.terms.coinMargined) this.state.clearingChanged = true;
    if (pnl > 0) ledger.move(clearing, cell, pnl);
    else if (pnl < 0) ledger.move(cell, clearing, -pnl);
  }

  /** Fees of liquidations go to the insurance fund, paid by the margin of the position. */
  private chargeFee(
    account: Account,
    coin: number,
    position: Position | undefined,
    fee: Amount,
    kind: OrderKind,
  ): void {
    const { ledger } = this.state;
    const forced = isLiquidation(kind);
    const inside = keepsMargin(kind) && position?.isolated === true;
    const payer = ledger.cell(account.index, coin, inside ? Bucket.isolated : Bucket.cash);
    const house = ledger.cell(forced ? SystemAccount.insurance : SystemAccount.fee, coin, Bucket.cash);
    if (inside) position.add(PositionColumn.iso, -fee);
    if (fee > 0) ledger.move(payer, house, fee);
    else if (fee < 0) ledger.move(house, payer, -fee);
  }

  /** Returns the order's margin for the filled lots to cash, which pays the margin of the fill and its fee. */
  private releaseOrderMargin(account: Account, trade: Trade): void {
    const { slab, ledger } = this.state;
    const held = slab.isolatedHolds.get(trade.slot);
    if (held === undefined) return;
    const before = slab.remaining[trade.slot]! + trade.lots;
    const share =
      slab.remaining[trade.slot] === 0 ? held : divFloor(held * BigInt(trade.lots), BigInt(before));
    const coin = trade.context.instrument.futures!.settle;
    const orders = ledger.cell(account.index, coin, Bucket.isolatedOrders);
    ledger.move(orders, ledger.cell(account.index, coin, Bucket.cash), share);
    slab.isolatedHolds.set(trade.slot, held - share);
  }

  private positionFor(account: Account, slot: number): Position | undefined {
    const { slab } = this.state;
    const posSide = account.holdMode === HoldMode.hedge ? posSideOf(slab.flags[slot]!) : PosSide.none;
    return account.positions.get(positionKey(slab.instrument[slot]!, posSide));
  }

  private openPosition(account: Account, { slot, context }: Trade, isolated: boolean): Position {
    const { state } = this;
    const { index } = context.instrument;
    const posSide = account.holdMode === HoldMode.hedge ? posSideOf(state.slab.flags[slot]!) : PosSide.none;
    const block = state.positionBlocks.take(POSITION_NUMBERS);
    const position = new Position(state.nextId(), account.index, index, posSide, isolated, state.now, block);
    state.addPosition(account, position);
    return position;
  }

  /** Removes a position without size; after a forced close, once its margin is settled. */
  forget(account: Account, position: Position): void {
    const { state } = this;
    const isEmpty = position.number(PositionColumn.basis) === 0 && position.number(PositionColumn.iso) === 0;
    assert(isEmpty, 'a position without lots holds nothing');
    if (!state.removePosition(account, position)) return;
    cancelProtection(state, account, position.instrument, position.wasLong);
    emitPositionClosed(state, state.instruments[position.instrument]!, account, position);
  }

  private isForced(slot: number): boolean {
    return isLiquidation(kindOf(this.state, slot));
  }

  private isClosing(slot: number): boolean {
    return (this.state.slab.flags[slot]! & FLAG_CLOSING) !== 0;
  }
}

/**
 * Free of fees: netting of hedged pairs, deleveraging for others (rules 5.11), delisting, and position moves, which have
 * the same owner on both sides.
 */
const FREE_OF_FEES: ReadonlySet<OrderKind> = new Set([
  OrderKind.offset,
  OrderKind.adl,
  OrderKind.delisting,
  OrderKind.move,
]);

/** Kinds whose margin stays with the position until the close is settled. */
function keepsMargin(kind: OrderKind): boolean {
  return isLiquidation(kind) || kind === OrderKind.delivery || kind === OrderKind.delisting;
}

function sideOf(deal: Deal, slot: number, maker: boolean, feeRate: bigint, otherRate: bigint): Trade {
  const { context, priceTicks, lots, value, execLinkId, rpi } = deal;
  return { context, slot, maker, priceTicks, lots, value, feeRate, otherRate, execLinkId, rpi };
}
