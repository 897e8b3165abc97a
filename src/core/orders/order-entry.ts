/**
 * Placing an order: all checks in the order of domain.md 1.2, then the lock, the match and the time-in-force rule.
 * A refused order leaves no record and no id.
 */
import type { Account } from '../account.ts';
import { type Book, MatchEnd } from '../book/book.ts';
import { FLAG_CLOSING, FLAG_RETAIL, FLAG_RPI, NIL } from '../book/order-slab.ts';
import { checkSpending } from '../borrowing/margin-entry.ts';
import { closeMarginLock, openMarginLock } from '../borrowing/margin-lock.ts';
import type { PlaceOrder } from '../command.ts';
import { holdForOrder } from '../futures/futures-amend.ts';
import { closeLimit, makeRoom, planFuturesOrder } from '../futures/futures-entry.ts';
import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { baseUnits, type Instrument, isFutures, tradeValue } from '../instrument.ts';
import { OPEN_ORDERS_PER_LINE_MAX, SIZE_LOTS_MAX } from '../limits.ts';
import { type Outcome, refused } from '../outcome.ts';
import { Refusal } from '../refusal.ts';
import type { Market, State } from '../state.ts';
import { checkStrategyCount } from '../strategy/attached.ts';
import { checkPreset, fittingPreset, triggerReference } from '../strategy/tpsl-checks.ts';
import { isEmpty, type Preset } from '../strategy/trigger-leg.ts';
import {
  CancelReason,
  HoldMode,
  type OrderOrigin,
  OrderType,
  PosSide,
  Side,
  Source,
  TimeInForce,
  TriggerBy,
} from '../terms.ts';
import { findByClientOid } from './cancel.ts';
import { placingRefusal } from './instrument-status.ts';
import {
  bandOf,
  checkAmount,
  checkBand,
  checkPrice,
  checkQuoteAmount,
  checkSize,
  referenceTicks,
} from './order-checks.ts';
import { formatOrderId } from './order-id.ts';
import {
  clientOidOf,
  close,
  closeResting,
  emitOpen,
  enroll,
  isMargin,
  lock,
  lockedCoin,
  posSideOf,
  unlock,
} from './order-life.ts';
import type { SpotSettlement } from './spot-settlement.ts';

/** Who settles the trades of an order. */
export interface Settlements {
  readonly spot: SpotSettlement;
  readonly futures: FuturesSettlement;
}

/** The order of a strategy order that has fired (domain.md 3.5). */
export interface Child {
  readonly origin: OrderOrigin;
  /** Closing orders that stand in its way go. */
  readonly takesPrecedence: boolean;
  /** What closes the whole position may be smaller than any other order. */
  readonly closesAll: boolean;
}

export function placeOrder(
  state: State,
  settlements: Settlements,
  command: PlaceOrder,
  child?: Child,
): Outcome {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return refused(Refusal.unknownAccount);
  const instrument = state.instruments[command.instrument];
  if (instrument === undefined) return refused(Refusal.unknownInstrument);
  const market = state.market(instrument);
  const refusal = checkOrder(state, account, instrument, market, command, child);
  if (refusal !== undefined) return refusal;
  return instrument.futures === undefined
    ? placeSpot(state, settlements, account, instrument, market, command, child)
    : placeFutures(state, settlements, account, instrument, market, command, child);
}

function placeSpot(
  state: State,
  settlements: Settlements,
  account: Account,
  instrument: Instrument,
  market: Market,
  command: PlaceOrder,
  child: Child | undefined,
): Outcome {
  const byAmount = isByAmount(instrument, command);
  const need = byAmount
    ? command.quoteAmount
    : command.side === Side.buy
      ? tradeValue(instrument, command.priceTicks, command.sizeLots)
      : baseUnits(instrument, command.sizeLots);
  const coin = lockedCoin(instrument, command.side);
  const refusal = checkSpending(state, account, {
    instrument,
    side: command.side,
    limitTicks: command.priceTicks,
    need,
    slot: NIL,
  });
  if (refusal !== undefined) return refusal;

  const size = byAmount ? SIZE_LOTS_MAX : command.sizeLots;
  const slot = accept(state, account, instrument, command, size, 0, child);
  if (instrument.margin === undefined) lock(state, account.index, coin, need);
  else {
    account.mayOwe = true;
    openMarginLock(state, slot, coin, need);
  }
  return run(state, settlements, instrument, market, slot, byAmount ? command.quoteAmount : 0n);
}

function placeFutures(
  state: State,
  settlements: Settlements,
  account: Account,
  instrument: Instrument,
  market: Market,
  command: PlaceOrder,
  child: Child | undefined,
): Outcome {
  const precedence = child?.takesPrecedence ?? false;
  const plan = planFuturesOrder(state, account, instrument, market, command, precedence);
  if ('refusal' in plan) return plan;
  account.mayOwe = true;
  makeRoom(state, plan, precedence ? CancelReason.tpslPlan : CancelReason.normal);
  const slot = accept(state, account, instrument, command, plan.lots, plan.flags, child);
  if (plan.isolatedLock > 0n) holdForOrder(state, account, instrument, slot, plan.isolatedLock);
  return run(state, settlements, instrument, market, slot, 0n);
}

function run(
  state: State,
  settlements: Settlements,
  instrument: Instrument,
  market: Market,
  slot: number,
  budget: bigint,
): Outcome {
  const orderId = state.slab.id[slot]!;
  const clientOid = clientOidOf(state, slot);
  execute(state, settlements, instrument, market, slot, budget);
  return { refusal: Refusal.none, orderId, clientOid };
}

function checkOrder(
  state: State,
  account: Account,
  instrument: Instrument,
  market: Market,
  command: PlaceOrder,
  child: Child | undefined,
): Outcome | undefined {
  if (state.halted) return refused(Refusal.tradingHalted);
  const status = placingRefusal(
    instrument,
    isOpening(account, instrument, command),
    command.source,
    state.now,
  );
  if (status !== Refusal.none) return refused(status);
  if (account.liquidating) return refused(Refusal.accountLiquidating);
  if (!isLegalCombination(instrument, command)) return refused(Refusal.illegalCombination);
  if (instrument.futures !== undefined && market.futures?.markTicks === 0)
    return refused(Refusal.noIndexPrice);
  return (
    checkNumbers(instrument, market, command, child?.closesAll ?? false) ??
    checkRpi(account, command) ??
    checkCounts(account, instrument) ??
    checkClientOid(state, account, command.clientOid) ??
    checkAttached(state, account, instrument, market, command)
  );
}

/** Take-profit and stop-loss come with opening orders only, and must make sense where the order is expected to fill. */
function checkAttached(
  state: State,
  account: Account,
  instrument: Instrument,
  market: Market,
  command: PlaceOrder,
): Outcome | undefined {
  const { preset, side } = command;
  if (preset === undefined || isEmpty(preset)) return undefined;
  // A margin sale may open a debt in the base coin, which is a short position by another name.
  const opening = instrument.margin !== undefined || isOpening(account, instrument, command);
  if (!opening) return refused(Refusal.presetNotOpening);
  return (
    checkStrategyCount(state, account) ??
    checkFillPreset(instrument, market, side, command.priceTicks, fittingPreset(instrument, preset))
  );
}

/** Measures a preset by where the order will fill: at the market, or at a limit price on the better side of it. */
export function checkFillPreset(
  instrument: Instrument,
  market: Market,
  side: Side,
  limitTicks: number,
  preset: Preset,
): Outcome | undefined {
  const long = side === Side.buy;
  const last = triggerReference(instrument, market, TriggerBy.market);
  const waits = limitTicks > 0 && (long ? limitTicks < last : limitTicks > last);
  const place = { instrument, market, long };
  return checkPreset(preset, waits ? { ...place, expectedTicks: limitTicks } : place);
}

/** Spot buys open and spot sells close; a futures order closes by reduce-only or, in hedge mode, by its sides. */
function isOpening(account: Account, instrument: Instrument, command: PlaceOrder): boolean {
  const buying = command.side === Side.buy;
  if (instrument.futures === undefined) return buying;
  if (account.holdMode === HoldMode.oneWay) return command.reduceOnly !== true;
  return buying === (command.posSide === PosSide.long);
}

/** Number 4: a limit order has a price; a market order takes what is there and never waits. */
function isLegalCombination(instrument: Instrument, command: PlaceOrder): boolean {
  if (command.orderType === OrderType.limit) return command.priceTicks !== 0 && command.quoteAmount === 0n;
  if (command.priceTicks !== 0) return false;
  if (command.timeInForce !== TimeInForce.gtc && command.timeInForce !== TimeInForce.ioc) return false;
  if (instrument.futures !== undefined) return command.quoteAmount === 0n;
  // A spot market buy spends quote money, a market sell gives base (domain.md 1.6).
  return command.side === Side.buy ? command.sizeLots === 0 : command.quoteAmount === 0n;
}

function isByAmount(instrument: Instrument, command: PlaceOrder): boolean {
  return (
    instrument.futures === undefined && command.orderType === OrderType.market && command.side === Side.buy
  );
}

/** Numbers 5 to 8. */
function checkNumbers(
  instrument: Instrument,
  market: Market,
  command: PlaceOrder,
  closesAll: boolean,
): Outcome | undefined {
  if (isByAmount(instrument, command)) return checkQuoteAmount(instrument, command.quoteAmount);
  if (closesAll) return checkClosingNumbers(instrument, market, command);
  if (command.orderType === OrderType.market) {
    return (
      checkSize(instrument, command.sizeLots, instrument.maxMarketLots) ??
      checkAmount(instrument, referenceTicks(instrument, market), command.sizeLots)
    );
  }
  return (
    checkPrice(instrument, command.priceTicks) ??
    checkSize(instrument, command.sizeLots, instrument.maxLots) ??
    checkAmount(instrument, command.priceTicks, command.sizeLots) ??
    checkBand(instrument, market, command.side, command.priceTicks)
  );
}

/** The last of a position may be less than what an order must have. */
function checkClosingNumbers(
  instrument: Instrument,
  market: Market,
  command: PlaceOrder,
): Outcome | undefined {
  const limit = command.orderType === OrderType.limit;
  const most = limit ? instrument.maxLots : instrument.maxMarketLots;
  if (most !== 0 && command.sizeLots > most) return refused(Refusal.sizeTooLarge, most);
  if (!limit) return undefined;
  return (
    checkPrice(instrument, command.priceTicks) ??
    checkBand(instrument, market, command.side, command.priceTicks)
  );
}

/** Number 9. */
function checkRpi(account: Account, command: PlaceOrder): Outcome | undefined {
  if (command.timeInForce !== TimeInForce.rpi) return undefined;
  return account.marketMaker && command.source === Source.api ? undefined : refused(Refusal.rpiNotAllowed);
}

/** Number 10. The count is taken before matching: order 401 is refused even if it would fill at once. */
function checkCounts(account: Account, instrument: Instrument): Outcome | undefined {
  const open = isFutures(instrument.category) ? account.openFutures : account.openSpot;
  if (open >= OPEN_ORDERS_PER_LINE_MAX) return refused(Refusal.tooManyOpenOrders, OPEN_ORDERS_PER_LINE_MAX);
  const { maxProductOrders, maxSymbolOrders } = instrument;
  if (maxProductOrders !== 0 && open >= maxProductOrders)
    return refused(Refusal.tooManyOpenOrders, maxProductOrders);
  if (maxSymbolOrders !== 0 && account.openByInstrument.of(instrument.index) >= maxSymbolOrders) {
    return refused(Refusal.tooManyOpenOrders, maxSymbolOrders);
  }
  return undefined;
}

/** Number 11: unique among pending orders only. An order without an own client id answers to its printed order id. */
function checkClientOid(state: State, account: Account, clientOid: string): Outcome | undefined {
  if (clientOid === '') return undefined;
  return findByClientOid(state, account, clientOid) === NIL ? undefined : refused(Refusal.clientOidInUse);
}

/** The next id whose printed form the account has not taken for a client id of its own. */
function newOrderId(state: State, account: Account, command: PlaceOrder): number {
  let id = state.nextId();
  if (command.clientOid !== '' || account.clientOids.size === 0) return id;
  while (account.clientOids.has(formatOrderId(id))) id = state.nextId();
  return id;
}

function accept(
  state: State,
  account: Account,
  instrument: Instrument,
  command: PlaceOrder,
  size: number,
  flags: number,
  child: Child | undefined,
): number {
  const { slab } = state;
  const slot = slab.allocate(newOrderId(state, account, command));
  slab.account[slot] = account.index;
  slab.party[slot] = account.party;
  slab.instrument[slot] = instrument.index;
  slab.side[slot] = command.side;
  slab.orderType[slot] = command.orderType;
  slab.timeInForce[slot] = command.orderType === OrderType.market ? TimeInForce.gtc : command.timeInForce;
  slab.stpMode[slot] = command.stpMode;
  slab.flags[slot] =
    flags |
    (command.timeInForce === TimeInForce.rpi ? FLAG_RPI : 0) |
    (command.source === Source.retail ? FLAG_RETAIL : 0);
  slab.price[slot] = command.priceTicks;
  slab.size[slot] = size;
  slab.remaining[slot] = size;
  slab.prioritySeq[slot] = ++state.lastPriority;
  slab.createdTime[slot] = state.now;
  slab.updatedTime[slot] = state.now;
  if (command.clientOid !== '') slab.clientOids.set(slot, command.clientOid);
  if (child !== undefined) slab.origins.set(slot, child.origin);
  if (command.preset !== undefined && !isEmpty(command.preset))
    slab.presets.set(slot, { preset: fittingPreset(instrument, command.preset), strategyId: 0 });
  enroll(state, account, instrument, slot);
  state.digest.fold(slab.id[slot]!);
  return slot;
}

/** Match, then what the time in force says about the rest (domain.md 1.5). */
function execute(
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
  } else if (end === MatchEnd.noRoom) {
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
  const band = bandOf(instrument, market);
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
  const band = bandOf(instrument, market);
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
  const reason = end === MatchEnd.noRoom ? CancelReason.delegatedRiskOrder : marketEnd(end, false, false);
  closeResting(state, slot, reason);
}

function marketEnd(end: MatchEnd, buying: boolean, bought: boolean): CancelReason {
  switch (end) {
    case MatchEnd.filled:
      return CancelReason.none;
    case MatchEnd.noRoom:
      // The rest of the money does not buy another step: the order is done if it bought anything (domain.md 1.6).
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
