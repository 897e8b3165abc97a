/** An accepted order meets the book: the match, and what its time in force says about the rest (rules 1.5). */
import { type Book, MatchEnd } from '../book/book.ts';
import { FLAG_CLOSING, FLAG_RETAIL, FLAG_RPI } from '../book/order-slab.ts';
import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { closeLimit } from '../futures/opening-checks.ts';
import { CancelReason, OrderType, Side, TimeInForce } from '../model/enums.ts';
import { baseUnits, type Instrument } from '../model/instrument.ts';
import { closeMarginLock } from '../orders/margin-order-hold.ts';
import { priceBand } from '../orders/order-checks.ts';
import {
  close,
  closeResting,
  emitOpen,
  isMargin,
  lockedCoin,
  posSideOf,
  unlock,
} from '../orders/order-lifecycle.ts';
import type { SpotSettlement } from '../spot/spot-settlement.ts';
import type { Market, State } from '../state/state.ts';

/** Who settles the trades of an order. */
export interface Settlements {
  readonly spot: SpotSettlement;
  readonly futures: FuturesSettlement;
}

/** Match, then what the time in force says about the rest (rules 1.5). */
export function execute(
  state: State,
  settlements: Settlements,
  instrument: Instrument,
  market: Market,
  slot: number,
  budget: bigint,
): void {
  const { slab } = state;
  const { book } = market;
  if (slab.orderType[slot] === OrderType.market) {
    if (instrument.futures === undefined)
      executeMarket(state, settlements.spot, instrument, market, slot, budget);
    else executeFuturesMarket(state, settlements.futures, instrument, market, slot);
    return;
  }
  const limitTicks = slab.price[slot]!;
  const timeInForce = slab.timeInForce[slot] as TimeInForce;
  if (timeInForce === TimeInForce.postOnly || timeInForce === TimeInForce.rpi) {
    if (wouldTake(book, slot, limitTicks)) closeResting(state, slot, CancelReason.postOnlyFill);
    else restOrder(state, market, slot);
    return;
  }
  const sink = instrument.futures === undefined ? undefined : settlements.futures;
  if (timeInForce === TimeInForce.fok && !book.canFill(slot, limitTicks, slab.remaining[slot]!, sink)) {
    closeResting(state, slot, CancelReason.fokNotFull);
    return;
  }
  finishLimit(state, market, slot, matchLimit(state, settlements, instrument, market, slot));
}

/** Matches a limit order at its price; closing orders stop when the position is gone. */
export function matchLimit(
  state: State,
  settlements: Settlements,
  instrument: Instrument,
  market: Market,
  slot: number,
): MatchEnd {
  const { slab } = state;
  const limitTicks = slab.price[slot]!;
  if (instrument.futures === undefined) {
    settlements.spot.begin(instrument, market, 0n);
    return market.book.match(slot, limitTicks, settlements.spot, false);
  }
  settlements.futures.begin(instrument, market);
  const closing = (slab.flags[slot]! & FLAG_CLOSING) !== 0;
  return market.book.match(slot, limitTicks, settlements.futures, closing);
}

/** What becomes of a limit order after its match: filled, cancelled or resting. Amended orders end here too. */
export function finishLimit(state: State, market: Market, slot: number, end: MatchEnd): void {
  if (end === MatchEnd.filled) {
    closeResting(state, slot, CancelReason.none);
  } else if (end === MatchEnd.selfTrade) {
    closeResting(state, slot, CancelReason.stp);
  } else if (end === MatchEnd.noCapacity) {
    closeResting(state, slot, CancelReason.delegatedRiskOrder);
  } else if (end === MatchEnd.tooManyFills) {
    closeResting(state, slot, CancelReason.tradeTooManyTimes);
  } else if (state.slab.timeInForce[slot] === TimeInForce.ioc) {
    closeResting(state, slot, CancelReason.iocNotFull);
  } else if (state.slab.timeInForce[slot] === TimeInForce.fok) {
    closeResting(state, slot, CancelReason.fokNotFull);
  } else {
    restOrder(state, market, slot);
  }
}

/** Would an order that must not take anything take at this price? RPI orders look at non-RPI orders only. */
export function wouldTake(book: Book, slot: number, limitTicks: number): boolean {
  const { slab } = book;
  const flags = slab.flags[slot]!;
  const seesRpi = (flags & FLAG_RETAIL) !== 0 && (flags & FLAG_RPI) === 0;
  const buying = slab.side[slot] === Side.buy;
  const opposite = book.bestTicks(buying ? Side.sell : Side.buy, seesRpi);
  if (opposite === 0) return false;
  return buying ? opposite <= limitTicks : opposite >= limitTicks;
}

function restOrder(state: State, market: Market, slot: number): void {
  market.book.rest(slot);
  market.changes++;
  // Whoever could already be liquidated for it may not keep an order that takes margin.
  const account = state.accounts[state.slab.account[slot]!]!;
  if (account.warned) state.touch(account);
  emitOpen(state, slot);
}

function executeMarket(
  state: State,
  settlement: SpotSettlement,
  instrument: Instrument,
  market: Market,
  slot: number,
  budget: bigint,
): void {
  const { slab } = state;
  const buying = slab.side[slot] === Side.buy;
  const band = priceBand(instrument, market);
  const bandTicks = buying ? band.maxBuyTicks : band.minSellTicks;
  settlement.begin(instrument, market, budget);
  const end = market.book.match(slot, bandTicks, settlement, buying);
  const left = buying ? settlement.budgetLeft : baseUnits(instrument, slab.remaining[slot]!);
  const coin = lockedCoin(instrument, slab.side[slot] as Side);
  if (isMargin(state, slot)) closeMarginLock(state, slot, coin);
  else unlock(state, slab.account[slot]!, coin, left);
  // Money that is spent to the last unit leaves nothing to execute, whatever else the book holds (I18).
  const spent = buying && left === 0n;
  close(state, slot, spent ? CancelReason.none : marketEnd(end, buying, slab.filled(slot) !== 0), budget);
}

function executeFuturesMarket(
  state: State,
  settlement: FuturesSettlement,
  instrument: Instrument,
  market: Market,
  slot: number,
): void {
  const { slab } = state;
  const band = priceBand(instrument, market);
  const side = slab.side[slot] as Side;
  const account = state.accounts[slab.account[slot]!]!;
  const worst = closeLimit(state, account, instrument, side, posSideOf(slab.flags[slot]!));
  const limitTicks =
    side === Side.buy
      ? Math.min(band.maxBuyTicks, worst ?? band.maxBuyTicks)
      : Math.max(band.minSellTicks, worst ?? band.minSellTicks);
  settlement.begin(instrument, market);
  const closing = (slab.flags[slot]! & FLAG_CLOSING) !== 0;
  const end = market.book.match(slot, limitTicks, settlement, closing);
  const reason = end === MatchEnd.noCapacity ? CancelReason.delegatedRiskOrder : marketEnd(end, false, false);
  closeResting(state, slot, reason);
}

function marketEnd(end: MatchEnd, buying: boolean, bought: boolean): CancelReason {
  switch (end) {
    case MatchEnd.filled:
      return CancelReason.none;
    case MatchEnd.noCapacity:
      // The rest of the money does not buy another step: the order is done if it bought anything (rules 1.6).
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
