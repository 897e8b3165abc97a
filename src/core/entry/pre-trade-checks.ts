/** The checks of every new order that come before positions, money and margin (rules 1.2 numbers 1 to 11). */

import { NIL } from '../book/order-slab.ts';
import { positionOf } from '../margin/margin.ts';
import type { PlaceOrder } from '../model/command.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import {
  HoldMode,
  InstrumentStatus,
  OrderType,
  PosSide,
  Side,
  Source,
  TimeInForce,
  TriggerBy,
} from '../model/enums.ts';
import { type Instrument, isFutures } from '../model/instrument.ts';
import { isCloseOnly, placingRejectReason } from '../model/instrument-status.ts';
import { OPEN_ORDERS_PER_PRODUCT_LINE_MAX } from '../model/limits.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { isEmpty, type Preset } from '../model/tpsl.ts';
import { findByClientOid } from '../orders/cancel.ts';
import {
  checkAmount,
  checkBand,
  checkPrice,
  checkQuoteAmount,
  checkSize,
  referenceTicks,
} from '../orders/order-checks.ts';
import type { OrderContext } from '../orders/order-context.ts';
import type { Account } from '../state/account.ts';
import type { Market } from '../state/market.ts';
import type { State } from '../state/state.ts';
import type { TriggeredBy } from '../state/strategy-order.ts';
import { checkStrategyCount } from '../strategy/attached-tpsl.ts';
import { checkPreset, normalisedPreset, triggerReference } from '../strategy/tpsl-checks.ts';

export function checkOrder(
  context: OrderContext,
  command: PlaceOrder,
  triggeredBy: TriggeredBy | undefined,
): CommandResult | undefined {
  const { state, account, instrument, market } = context;
  if (state.halted) return rejected(RejectReason.tradingHalted);
  const status = statusRejectReason(context, command);
  if (status !== RejectReason.none) return rejected(status);
  if (account.liquidating) return rejected(RejectReason.accountLiquidating);
  if (!isLegalCombination(instrument, command)) return rejected(RejectReason.illegalCombination);
  if (instrument.futures !== undefined && needsPosSide(account, command))
    return rejected(RejectReason.positionSideNeeded);
  if (instrument.futures !== undefined && market.futures?.markTicks === 0)
    return rejected(RejectReason.noIndexPrice);
  return (
    checkNumbers(instrument, market, command, triggeredBy?.closesAll ?? false) ??
    checkRpi(account, command) ??
    checkCounts(state, account, instrument) ??
    checkClientOid(state, account, command.clientOid)
  );
}

/** Hedge mode has two positions, so an order must name one. */
export function needsPosSide(account: Account, { posSide = PosSide.none }: PlaceOrder): boolean {
  return account.holdMode === HoldMode.hedge && posSide === PosSide.none;
}

/** Number 14: only opening orders carry take-profit and stop-loss, which must fit the expected fill price. */
export function checkTpsl(context: OrderContext, command: PlaceOrder): CommandResult | undefined {
  const { state, account, instrument } = context;
  const { preset, side } = command;
  if (preset === undefined || isEmpty(preset)) return undefined;
  // A margin sale may open a debt in the base coin, which is a short position in effect.
  const opening = instrument.margin !== undefined || isOpening(account, instrument, command);
  if (!opening) return rejected(RejectReason.presetNotOpening);
  return (
    checkStrategyCount(state, account) ??
    checkFillPreset(context, side, command.priceTicks, normalisedPreset(instrument, preset))
  );
}

/** Checks a preset against the expected fill price: the market, or a limit price on the better side of it. */
export function checkFillPreset(
  { instrument, market }: OrderContext,
  side: Side,
  limitTicks: number,
  preset: Preset,
): CommandResult | undefined {
  const long = side === Side.buy;
  const last = triggerReference(instrument, market, TriggerBy.market);
  const waits = limitTicks > 0 && (long ? limitTicks < last : limitTicks > last);
  const place = { instrument, market, long };
  return checkPreset(preset, waits ? { ...place, expectedTicks: limitTicks } : place);
}

/** Spot buys open and spot sells close; a futures order closes by reduce-only or, in hedge mode, by side and position. */
function isOpening(account: Account, instrument: Instrument, command: PlaceOrder): boolean {
  const buying = command.side === Side.buy;
  if (instrument.futures === undefined) return buying;
  if (account.holdMode === HoldMode.oneWay) return command.reduceOnly !== true;
  return buying === (command.posSide === PosSide.long);
}

/**
 * Number 2. In one-way mode an order against the position closes with or without reduce-only (rules 1.11). It also opens
 * when it could reverse the position together with the open orders of its side.
 */
export function statusRejectReason(
  { state, account, instrument }: OrderContext,
  command: PlaceOrder,
): RejectReason {
  const { source, side, sizeLots } = command;
  const opening = isOpening(account, instrument, command);
  const { house } = account;
  const free = instrument.status === InstrumentStatus.online && !isCloseOnly(instrument, house);
  if (!opening || instrument.futures === undefined || free)
    return placingRejectReason(instrument, opening, source, state.now, house);
  const position = positionOf(account, instrument.index, PosSide.none);
  const closing = position !== undefined && position.long === (side === Side.sell);
  const opens = !closing || sizeLots + waitingLots(state, account, instrument, side) > position.lots;
  return (
    (closing ? placingRejectReason(instrument, false, source, state.now) : RejectReason.none) ||
    (opens ? placingRejectReason(instrument, true, source, state.now, house) : RejectReason.none)
  );
}

function waitingLots({ slab }: State, account: Account, { index }: Instrument, side: Side): number {
  let lots = 0;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    if (slab.instrument[slot] === index && slab.side[slot] === side) lots += slab.remaining[slot]!;
  }
  return lots;
}

/**
 * An order that a contract in limit-open status accepts may only close: as reduce-only it cannot open a position when it
 * fills after the old one is closed.
 */
export function asReduceOnly(account: Account, instrument: Instrument, command: PlaceOrder): PlaceOrder {
  const closes = instrument.status === InstrumentStatus.limitOpen || isCloseOnly(instrument, account.house);
  const bound = closes && account.holdMode === HoldMode.oneWay;
  return bound ? { ...command, reduceOnly: true } : command;
}

/** Number 4: a limit order has a price; a market order has none and never rests. */
export function isLegalCombination(instrument: Instrument, command: PlaceOrder): boolean {
  if (command.orderType === OrderType.limit) return command.priceTicks !== 0 && command.quoteAmount === 0n;
  if (command.priceTicks !== 0) return false;
  if (command.timeInForce !== TimeInForce.gtc && command.timeInForce !== TimeInForce.ioc) return false;
  if (instrument.futures !== undefined) return command.quoteAmount === 0n;
  // A spot market buy spends quote money, a market sell gives base (rules 1.6).
  return command.side === Side.buy ? command.sizeLots === 0 : command.quoteAmount === 0n;
}

export function isQuoteSized(instrument: Instrument, command: PlaceOrder): boolean {
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
): CommandResult | undefined {
  if (isQuoteSized(instrument, command)) return checkQuoteAmount(instrument, command.quoteAmount);
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

/** The rest of a position may be below the minimum of an order. */
function checkClosingNumbers(
  instrument: Instrument,
  market: Market,
  command: PlaceOrder,
): CommandResult | undefined {
  const limit = command.orderType === OrderType.limit;
  const most = limit ? instrument.maxLots : instrument.maxMarketLots;
  if (most !== 0 && command.sizeLots > most) return rejected(RejectReason.sizeTooLarge, most);
  if (!limit) return undefined;
  return (
    checkPrice(instrument, command.priceTicks) ??
    checkBand(instrument, market, command.side, command.priceTicks)
  );
}

/** Number 9. */
export function checkRpi(account: Account, command: PlaceOrder): CommandResult | undefined {
  if (command.timeInForce !== TimeInForce.rpi) return undefined;
  return account.marketMaker && command.source === Source.api
    ? undefined
    : rejected(RejectReason.rpiNotAllowed);
}

/** Number 10. Counted before matching: order 401 is rejected even if it would fill at once. */
export function checkCounts(
  state: State,
  account: Account,
  instrument: Instrument,
): CommandResult | undefined {
  const open = isFutures(instrument.category) ? account.openFutures : account.openSpot;
  if (open >= OPEN_ORDERS_PER_PRODUCT_LINE_MAX)
    return rejected(RejectReason.tooManyOpenOrders, OPEN_ORDERS_PER_PRODUCT_LINE_MAX);
  const { maxProductOrders, maxSymbolOrders } = instrument;
  if (maxProductOrders !== 0 && open >= maxProductOrders)
    return rejected(RejectReason.tooManyOpenOrders, maxProductOrders);
  if (maxSymbolOrders !== 0 && state.openOrders.of(account.index, instrument.index) >= maxSymbolOrders)
    return rejected(RejectReason.tooManyOpenOrders, maxSymbolOrders);
  return undefined;
}

/** Number 11: unique among open orders only. The client id of an order without one is its printed order id. */
export function checkClientOid(state: State, account: Account, clientOid: string): CommandResult | undefined {
  if (clientOid === '') return undefined;
  return findByClientOid(state, account, clientOid) === NIL
    ? undefined
    : rejected(RejectReason.clientOidInUse);
}
