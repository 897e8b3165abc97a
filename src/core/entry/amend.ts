/** Modifying resting orders (rules 1.12): which changes are allowed, their margin, and whether priority is kept. */

import { FLAG_CLOSING, NIL } from '../book/order-slab.ts';
import { changeIsolatedHold, checkFuturesAmend } from '../futures/futures-amend.ts';
import { checkSpending } from '../margin/spending-check.ts';
import { type Amount, differenceOf } from '../model/amount.ts';
import type { AmendItem, AmendOrders } from '../model/command.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { CancelReason, Category, Side, type Source, TimeInForce } from '../model/enums.ts';
import { type Instrument, payableAmount } from '../model/instrument.ts';
import { amendingRejectReason } from '../model/instrument-status.ts';
import { BATCH_ITEMS_MAX, OUTSTANDING_AMENDS_MAX } from '../model/limits.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { changedPreset, isEmpty, NO_PRESET, type Preset, samePreset } from '../model/tpsl.ts';
import { findOpenOrder } from '../orders/cancel.ts';
import { changeMarginHold } from '../orders/margin-order-hold.ts';
import { checkAmount, checkBand, checkPrice, checkSize } from '../orders/order-checks.ts';
import type { OrderContext } from '../orders/order-context.ts';
import {
  clientOidOf,
  emitOrderUpdate,
  finishOrder,
  finishRestingOrder,
  heldCoin,
  hold,
  holdOf,
  isMargin,
  noteOpenSizeChange,
  release,
} from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { Market } from '../state/market.ts';
import type { State } from '../state/state.ts';
import { attachedRecord, checkStrategyCount, replacePreset } from '../strategy/attached-tpsl.ts';
import { checkPreset, normalisedPreset } from '../strategy/tpsl-checks.ts';
import { type EntryContext, finishLimit, matchLimit, type Settlements, wouldTake } from './execution.ts';
import { checkFillPreset } from './pre-trade-checks.ts';

export function amendOrders(state: State, settlements: Settlements, command: AmendOrders): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  if (command.items.length > BATCH_ITEMS_MAX || hasDuplicates(state, account, command.items)) {
    return rejected(RejectReason.duplicateInBatch);
  }
  const { items: given, source } = command;
  const items = new Array<CommandResult>(given.length);
  const { fillsDone: fillsBefore, removalsDone: removalsBefore } = state.slab;
  const batch = { state, settlements, account, source, fillsBefore, removalsBefore };
  for (let n = 0; n < given.length; n++) items[n] = amendItem(batch, given[n]!);
  return { rejectReason: RejectReason.none, orderId: 0, clientOid: '', items };
}

/** What the amendments of a command have in common. */
interface Batch {
  readonly state: State;
  readonly settlements: Settlements;
  readonly account: Account;
  readonly source: Source;
  readonly fillsBefore: number;
  readonly removalsBefore: number;
}

function amendItem(batch: Batch, item: AmendItem): CommandResult {
  const { state } = batch;
  const emitted = state.events.length;
  const result = amendOrder(batch, item);
  if (item.requestId) nameEvents(state, emitted, result.orderId, item.requestId);
  return result;
}

/** The order events that an amendment causes carry the client's id of it (wire 4.1). */
function nameEvents({ events }: State, from: number, orderId: number, requestId: string): void {
  for (const event of events.slice(from)) {
    if (event.type === 'order' && event.order.orderId === orderId) event.requestId = requestId;
  }
}

/** An order named once by id and once by client id is a duplicate. */
function hasDuplicates(state: State, account: Account, items: readonly AmendItem[]): boolean {
  if (items.length === 1) return false;
  const seen = new Set<number>();
  for (const item of items) {
    const slot = findOpenOrder(state, account, item);
    if (slot === NIL) continue;
    if (seen.has(slot)) return true;
    seen.add(slot);
  }
  return false;
}

/** Fills that the next amendment may bring: since the ninth edition those of a command count together (rules 19.2). */
function fillsLeft({ state, fillsBefore }: Batch): number {
  const { fillsMax, fillsDone } = state.slab;
  return state.rules.fewerMatches ? Math.max(0, fillsMax - (fillsDone - fillsBefore)) : fillsMax;
}

function removalsLeft({ state, removalsBefore }: Batch): number {
  const { removalsMax, removalsDone } = state.slab;
  return state.rules.fewerMatches ? Math.max(0, removalsMax - (removalsDone - removalsBefore)) : removalsMax;
}

function amendOrder(batch: Batch, item: AmendItem): CommandResult {
  const { state, settlements, account, source } = batch;
  const slot = findOpenOrder(state, account, item);
  if (slot === NIL) {
    const failed = state.hasFailedAmend(account.index, item.orderId, item.clientOid);
    const rejectReason = failed ? RejectReason.amendAfterFailure : RejectReason.unknownOrder;
    return { rejectReason, orderId: item.orderId, clientOid: item.clientOid };
  }
  const { slab } = state;
  const orderId = slab.id[slot]!;
  const clientOid = clientOidOf(state, slot);
  if (item.outstanding >= OUTSTANDING_AMENDS_MAX) {
    return {
      rejectReason: RejectReason.tooManyOutstandingAmends,
      orderId,
      clientOid,
      bound: OUTSTANDING_AMENDS_MAX,
    };
  }
  const instrument = state.instrumentOf(slot);
  const market = state.market(instrument);
  const context = { state, account, instrument, market, settlements };
  const priceTicks = item.priceTicks === 0 ? slab.price[slot]! : item.priceTicks;
  const sizeLots = item.sizeLots === 0 ? slab.size[slot]! : item.sizeLots;
  const preset = changedProtection(state, instrument, slot, item);
  const moves = priceTicks !== slab.price[slot] || sizeLots !== slab.size[slot];
  const failure =
    (moves || preset === undefined ? checkAmend(context, source, slot, priceTicks, sizeLots) : undefined) ??
    (preset === undefined ? undefined : checkProtection(context, slot, priceTicks, preset));
  if (failure !== undefined) {
    if (item.autoCancel) failAndCancel(state, market, slot);
    return { ...failure, orderId, clientOid };
  }
  if (preset !== undefined) replacePreset(state, slot, preset);
  if (moves) applyAmend(context, slot, priceTicks, sizeLots, batch);
  else emitOrderUpdate(state, slot);
  return { rejectReason: RejectReason.none, orderId, clientOid };
}

/** The new take-profit and stop-loss of the order; undefined when they do not change. */
function changedProtection(
  state: State,
  instrument: Instrument,
  slot: number,
  item: AmendItem,
): Preset | undefined {
  if (item.preset === undefined) return undefined;
  const present = state.slab.presets.get(slot)?.preset ?? NO_PRESET;
  const preset = normalisedPreset(instrument, changedPreset(present, item.preset));
  return samePreset(present, preset) ? undefined : preset;
}

/** Checked against the expected fill price of the rest of the order; for filled lots, against the market. */
function checkProtection(
  context: OrderContext,
  slot: number,
  priceTicks: number,
  preset: Preset,
): CommandResult | undefined {
  const { state, account, instrument, market } = context;
  const { slab } = state;
  if (isEmpty(preset)) return undefined;
  const side = slab.side[slot] as Side;
  const opening =
    instrument.futures !== undefined
      ? (slab.flags[slot]! & FLAG_CLOSING) === 0
      : side === Side.buy || instrument.category === Category.margin;
  if (!opening) return rejected(RejectReason.presetNotOpening);
  const long = side === Side.buy;
  return (
    (slab.presets.has(slot) ? undefined : checkStrategyCount(state, account)) ??
    checkFillPreset(context, side, priceTicks, preset) ??
    (attachedRecord(state, slot) === undefined
      ? undefined
      : checkPreset(preset, { instrument, market, long }))
  );
}

function checkAmend(
  context: OrderContext,
  source: Source,
  slot: number,
  priceTicks: number,
  sizeLots: number,
): CommandResult | undefined {
  const { state, account, instrument, market } = context;
  const { slab } = state;
  const side = slab.side[slot] as Side;
  const filled = slab.filled(slot);
  const priceChanges = priceTicks !== slab.price[slot];
  if (!priceChanges && sizeLots === slab.size[slot]) return rejected(RejectReason.nothingToAmend);
  if (state.halted) return rejected(RejectReason.tradingHalted);
  const raises = priceTicks > slab.price[slot]!;
  // A lower sell of a contract opens as much as a higher buy.
  const sells = state.rules.clearingShortfall && instrument.futures !== undefined && side === Side.sell;
  const enlarges =
    sizeLots > slab.size[slot]! || (side === Side.buy ? raises : sells && priceTicks < slab.price[slot]!);
  const opening =
    instrument.futures === undefined ? side === Side.buy : (slab.flags[slot]! & FLAG_CLOSING) === 0;
  const status = amendingRejectReason(instrument, opening, source, state.now, enlarges, account.house);
  if (status !== RejectReason.none) return rejected(status);
  const offGrid = checkPrice(instrument, priceTicks) ?? checkSize(instrument, sizeLots, instrument.maxLots);
  if (offGrid !== undefined) return offGrid;
  if (sizeLots < filled) return rejected(RejectReason.sizeBelowFilled, filled);
  if (sizeLots === filled) return undefined;
  const outside =
    checkAmount(instrument, priceTicks, sizeLots) ??
    (priceChanges ? checkBand(instrument, market, side, priceTicks) : undefined);
  if (outside !== undefined) return outside;
  if (priceChanges && isMakerOnly(slab.timeInForce[slot]!) && wouldTake(market.book, slot, priceTicks)) {
    return rejected(RejectReason.amendWouldTake);
  }
  if (instrument.futures !== undefined) {
    return checkFuturesAmend(context, slot, priceTicks, sizeLots - filled);
  }
  const need = payableAmount(instrument, side, priceTicks, sizeLots - filled);
  const oldTicks = slab.price[slot]!;
  const dearer = side === Side.buy ? priceTicks > oldTicks : priceTicks < oldTicks;
  if (need <= holdOf(state, instrument, slot) && !dearer) return undefined;
  return checkSpending(state, account, instrument, side, priceTicks, need, slot);
}

function isMakerOnly(timeInForce: number): boolean {
  return timeInForce === TimeInForce.postOnly || timeInForce === TimeInForce.rpi;
}

function applyAmend(
  context: EntryContext,
  slot: number,
  priceTicks: number,
  sizeLots: number,
  batch: Batch,
): void {
  const { state, account, instrument, market } = context;
  const { slab } = state;
  const { book } = market;
  const side = slab.side[slot] as Side;
  const remaining = sizeLots - slab.filled(slot);
  if (instrument.futures === undefined) {
    holdOtherAmount(state, instrument, slot, payableAmount(instrument, side, priceTicks, remaining));
  } else {
    changeIsolatedHold(context, slot, priceTicks, remaining);
  }
  state.digest.fold(slab.id[slot]! * 4 + 1);
  state.digest.fold(priceTicks);
  state.digest.fold(sizeLots);
  market.changes++;
  noteOpenSizeChange(state, account, instrument, slot, -slab.remaining[slot]!);

  const keepsPlace = priceTicks === slab.price[slot] && sizeLots < slab.size[slot]!;
  if (keepsPlace && remaining > 0) {
    book.reduce(slot, slab.size[slot]! - sizeLots);
    slab.size[slot] = sizeLots;
    noteOpenSizeChange(state, account, instrument, slot, remaining);
    emitOrderUpdate(state, slot);
    return;
  }
  const priceChanges = priceTicks !== slab.price[slot];
  book.remove(slot);
  slab.size[slot] = sizeLots;
  slab.remaining[slot] = remaining;
  slab.price[slot] = priceTicks;
  noteOpenSizeChange(state, account, instrument, slot, remaining);
  if (remaining === 0) {
    finishOrder(state, slot, CancelReason.none);
    return;
  }
  slab.prioritySeq[slot] = ++state.lastPriority;
  if (priceChanges && !isMakerOnly(slab.timeInForce[slot]!)) {
    finishLimit(context, slot, matchLimit(context, slot, fillsLeft(batch), removalsLeft(batch)));
    return;
  }
  book.rest(slot);
  emitOrderUpdate(state, slot);
}

/** Changes what the order holds to `need`. */
function holdOtherAmount(state: State, instrument: Instrument, slot: number, need: Amount): void {
  const { slab } = state;
  const coin = heldCoin(instrument, slab.side[slot] as Side);
  if (isMargin(state, slot)) {
    changeMarginHold(state, slot, coin, BigInt(need));
    return;
  }
  const held = holdOf(state, instrument, slot);
  if (need > held) hold(state, slab.account[slot]!, coin, differenceOf(need, held));
  else release(state, slab.account[slot]!, coin, differenceOf(held, need));
}

/** Auto-cancel: later amendments of this order are rejected as amended after a failure (25573). */
function failAndCancel(state: State, market: Market, slot: number): void {
  const { slab } = state;
  state.rememberFailedAmend({
    account: slab.account[slot]!,
    orderId: slab.id[slot]!,
    clientOid: clientOidOf(state, slot),
  });
  market.book.remove(slot);
  market.changes++;
  finishRestingOrder(state, slot, CancelReason.modifyLimitOrder);
}
