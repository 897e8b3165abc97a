/** Matching of an accepted order, and the time-in-force rule for the rest (rules 1.5). */
import { type Book, MatchEnd } from '../book/book.ts';
import { FLAG_CLOSING, FLAG_RETAIL, FLAG_RPI } from '../book/order-slab.ts';
import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { closeLimit } from '../futures/opening-checks.ts';
import { CancelReason, OrderType, Side, TimeInForce } from '../model/enums.ts';
import { baseUnits } from '../model/instrument.ts';
import { closeMarginHold } from '../orders/margin-order-hold.ts';
import { priceBand } from '../orders/order-checks.ts';
import type { OrderContext } from '../orders/order-context.ts';
import {
  emitOrderUpdate,
  finishOrder,
  finishRestingOrder,
  heldCoin,
  isMargin,
  posSideOf,
  release,
} from '../orders/order-lifecycle.ts';
import type { SpotSettlement } from '../spot/spot-settlement.ts';

/** The settlement of trades, by product. */
export interface Settlements {
  readonly spot: SpotSettlement;
  readonly futures: FuturesSettlement;
}

export interface EntryContext extends OrderContext {
  readonly settlements: Settlements;
}

/** Matches an accepted order, then applies its time in force to the rest (rules 1.5). */
export function execute(context: EntryContext, slot: number, budget: bigint): void {
  const { state, instrument } = context;
  const { slab } = state;
  if (slab.orderType[slot] === OrderType.market) {
    if (instrument.futures === undefined) executeMarket(context, slot, budget);
    else executeFuturesMarket(context, slot);
    return;
  }
  const limitTicks = slab.price[slot]!;
  const timeInForce = slab.timeInForce[slot] as TimeInForce;
  if (timeInForce === TimeInForce.postOnly || timeInForce === TimeInForce.rpi) {
    if (wouldTake(context.market.book, slot, limitTicks))
      finishRestingOrder(state, slot, CancelReason.postOnlyFill);
    else restOrder(context, slot);
    return;
  }
  if (timeInForce === TimeInForce.fok && !canFill(context, slot)) {
    finishRestingOrder(state, slot, CancelReason.fokNotFull);
    return;
  }
  finishLimit(context, slot, matchLimit(context, slot));
}

/** Can a fill-or-kill order fill completely? */
function canFill({ state, instrument, market, settlements }: EntryContext, slot: number): boolean {
  const { slab } = state;
  const [limitTicks, wanted] = [slab.price[slot]!, slab.remaining[slot]!];
  if (instrument.futures === undefined) {
    const { spot } = settlements;
    const checks = spot.fillChecks(spot.contextOf(instrument), true);
    return market.book.canFill(slot, limitTicks, wanted, checks, undefined, spot.beforeMaker);
  }
  const { futures } = settlements;
  const fills = futures.contextOf(instrument);
  const checks = futures.fillChecks(fills, true);
  const capacityOf = (maker: number, priceTicks: number) => futures.capacity(fills, maker, priceTicks);
  return market.book.canFill(slot, limitTicks, wanted, checks, capacityOf, futures.beforeMaker);
}

/** Matches a limit order at its price; closing orders stop when the position is closed. */
export function matchLimit(
  { state, instrument, market, settlements }: EntryContext,
  slot: number,
  fillsMax = state.slab.fillsMax,
  removalsMax = state.slab.removalsMax,
): MatchEnd {
  const { slab } = state;
  const limitTicks = slab.price[slot]!;
  if (instrument.futures === undefined) {
    const { spot } = settlements;
    const fills = spot.contextOf(instrument);
    return market.book.match(slot, limitTicks, spot, fills, false, fillsMax, removalsMax);
  }
  const { futures } = settlements;
  const closing = (slab.flags[slot]! & FLAG_CLOSING) !== 0;
  const fills = futures.contextOf(instrument);
  return market.book.match(slot, limitTicks, futures, fills, closing, fillsMax, removalsMax);
}

/** Ends or rests a limit order after its match, a new one or a amended one. */
export function finishLimit(context: OrderContext, slot: number, end: MatchEnd): void {
  const { state } = context;
  if (end === MatchEnd.filled) {
    finishRestingOrder(state, slot, CancelReason.none);
  } else if (end === MatchEnd.selfTrade) {
    finishRestingOrder(state, slot, CancelReason.stp);
  } else if (end === MatchEnd.noCapacity || end === MatchEnd.takerFailed) {
    finishRestingOrder(state, slot, CancelReason.delegatedRiskOrder);
  } else if (end === MatchEnd.tooManyFills) {
    finishRestingOrder(state, slot, CancelReason.tradeTooManyTimes);
  } else if (state.slab.timeInForce[slot] === TimeInForce.ioc) {
    finishRestingOrder(state, slot, CancelReason.iocNotFull);
  } else if (state.slab.timeInForce[slot] === TimeInForce.fok) {
    finishRestingOrder(state, slot, CancelReason.fokNotFull);
  } else {
    restOrder(context, slot);
  }
}

/** Would a maker-only order take at this price? RPI orders meet non-RPI orders only. */
export function wouldTake(book: Book, slot: number, limitTicks: number): boolean {
  const { slab } = book;
  const flags = slab.flags[slot]!;
  const seesRpi = (flags & FLAG_RETAIL) !== 0 && (flags & FLAG_RPI) === 0;
  const buying = slab.side[slot] === Side.buy;
  const opposite = book.bestTicks(buying ? Side.sell : Side.buy, seesRpi);
  if (opposite === 0) return false;
  return buying ? opposite <= limitTicks : opposite >= limitTicks;
}

function restOrder({ state, account, market }: OrderContext, slot: number): void {
  market.book.rest(slot);
  market.changes++;
  // An account near liquidation may not keep an order that needs margin.
  if (account.warned) state.markDirty(account);
  emitOrderUpdate(state, slot);
}

function executeMarket(
  { state, instrument, market, settlements }: EntryContext,
  slot: number,
  budget: bigint,
): void {
  const { slab } = state;
  const { spot } = settlements;
  const buying = slab.side[slot] === Side.buy;
  const band = priceBand(instrument, market);
  const bandTicks = buying ? band.maxBuyTicks : band.minSellTicks;
  const fills = buying ? spot.budgetContext(instrument, budget) : spot.contextOf(instrument);
  const end = market.book.match(slot, bandTicks, spot, fills, buying);
  const left = buying ? fills.budgetLeft : baseUnits(instrument, slab.remaining[slot]!);
  const coin = heldCoin(instrument, slab.side[slot] as Side);
  if (isMargin(state, slot)) closeMarginHold(state, slot, coin);
  else release(state, slab.account[slot]!, coin, left);
  // A budget spent to the last unit is a complete fill, whatever else the book holds (I18).
  const spent = buying && left === 0n;
  finishOrder(
    state,
    slot,
    spent ? CancelReason.none : marketEnd(end, buying, slab.filled(slot) !== 0),
    budget,
  );
}

function executeFuturesMarket(
  { state, account, instrument, market, settlements }: EntryContext,
  slot: number,
): void {
  const { slab } = state;
  const { futures } = settlements;
  const band = priceBand(instrument, market);
  const side = slab.side[slot] as Side;
  const worst = closeLimit(state, account, instrument, side, posSideOf(slab.flags[slot]!));
  const limitTicks =
    side === Side.buy
      ? Math.min(band.maxBuyTicks, worst ?? band.maxBuyTicks)
      : Math.max(band.minSellTicks, worst ?? band.minSellTicks);
  const closing = (slab.flags[slot]! & FLAG_CLOSING) !== 0;
  const end = market.book.match(slot, limitTicks, futures, futures.contextOf(instrument), closing);
  const noLongerAllowed = end === MatchEnd.noCapacity || end === MatchEnd.takerFailed;
  const reason = noLongerAllowed ? CancelReason.delegatedRiskOrder : marketEnd(end, false, false);
  finishRestingOrder(state, slot, reason);
}

function marketEnd(end: MatchEnd, buying: boolean, bought: boolean): CancelReason {
  switch (end) {
    case MatchEnd.filled:
      return CancelReason.none;
    case MatchEnd.noCapacity:
      // The rest of the budget does not buy another step: the order is complete if it bought anything (rules 1.6).
      return buying && bought ? CancelReason.none : CancelReason.tradeCountTooSmall;
    case MatchEnd.selfTrade:
      return CancelReason.stp;
    case MatchEnd.limit:
      return CancelReason.slippage;
    case MatchEnd.tooManyFills:
      return CancelReason.tradeTooManyTimes;
    default:
      return CancelReason.iocNotFull;
  }
}
