/** The life of an order between acceptance and its last record: opening, updates, end (rules 2). */

import {
  FLAG_CLOSING,
  FLAG_ISOLATED,
  FLAG_LONG,
  FLAG_RETAIL,
  FLAG_SHORT,
  NIL,
  type OrderSlab,
} from '../book/order-slab.ts';
import { type Amount, sumOf } from '../model/amount.ts';
import {
  CancelReason,
  HoldMode,
  OrderKind,
  OrderStatus,
  OrderType,
  PosSide,
  Side,
  Source,
  type StpMode,
  type TimeInForce,
} from '../model/enums.ts';
import type { FuturesOrderFields, OrderRecord } from '../model/event.ts';
import { type Instrument, isFutures, payableAmount, valueNumber } from '../model/instrument.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { formatOrderId } from '../model/order-id.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { closeMarginHold } from './margin-order-hold.ts';

/** A record under construction. */
type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

export function clientOidOf({ slab }: State, slot: number): string {
  const own = slab.clientOids.size === 0 ? undefined : slab.clientOids.get(slot);
  return own ?? formatOrderId(slab.id[slot]!);
}

/** Enters an accepted order into its owner's list and counts. */
export function register(state: State, account: Account, instrument: Instrument, slot: number): void {
  const { slab } = state;
  slab.accountPrevious[slot] = account.lastOrder;
  slab.accountNext[slot] = NIL;
  if (account.lastOrder === NIL) account.firstOrder = slot;
  else slab.accountNext[account.lastOrder] = slot;
  account.lastOrder = slot;
  noteOpenSizeChange(state, account, instrument, slot, slab.remaining[slot]!);
  if ((slab.flags[slot]! & FLAG_CLOSING) !== 0) account.openClosing++;
  if (isFutures(instrument.category)) account.openFutures++;
  else account.openSpot++;
  if (instrument.margin !== undefined) account.openMargin++;
  state.openOrders.add(account.index, instrument.index);
}

/** Does the order need margin of the whole account? Market orders never rest; they are checked when they are placed. */
export function countsAsOpening(slab: OrderSlab, instrument: Instrument, slot: number): boolean {
  return (
    instrument.futures !== undefined &&
    (slab.flags[slot]! & (FLAG_CLOSING | FLAG_ISOLATED)) === 0 &&
    slab.orderType[slot] === OrderType.limit
  );
}

/** Reports to the margin cache of the account and to its party that the open size of an order has changed by `lots`. */
export function noteOpenSizeChange(
  { slab }: State,
  { index, margin, partySums }: Account,
  instrument: Instrument,
  slot: number,
  lots: number,
): void {
  partySums?.changed(instrument.index, index);
  if (margin === undefined) return;
  // The margin requirement depends on price and coin too, so it may change while the locked amount stays the same.
  if (instrument.futures === undefined) margin.claimsChanged();
  if (!countsAsOpening(slab, instrument, slot)) return;
  const priceTicks = slab.price[slot]!;
  const value = valueNumber(instrument, priceTicks, lots);
  margin.orderChanged(instrument.index, slab.side[slot] === Side.buy, priceTicks, value);
}

/** Removes a finished order from its owner's list and frees its slot. It must have left the book. */
function unregister(state: State, slot: number): void {
  const { slab } = state;
  const account = state.accountOf(slot);
  const instrument = state.instrumentOf(slot);
  const next = slab.accountNext[slot]!;
  const previous = slab.accountPrevious[slot]!;
  if (next === NIL) account.lastOrder = previous;
  else slab.accountPrevious[next] = previous;
  if (previous === NIL) account.firstOrder = next;
  else slab.accountNext[previous] = next;
  noteOpenSizeChange(state, account, instrument, slot, -slab.remaining[slot]!);
  if ((slab.flags[slot]! & FLAG_CLOSING) !== 0) account.openClosing--;
  if (isFutures(instrument.category)) account.openFutures--;
  else account.openSpot--;
  if (instrument.margin !== undefined) account.openMargin--;
  state.openOrders.drop(account.index, instrument.index);
  slab.release(slot);
}

/** Money a resting spot order holds: quote for a buy, base for a sell. */
export function holdOf({ slab }: State, instrument: Instrument, slot: number): Amount {
  return payableAmount(instrument, slab.side[slot] as Side, slab.price[slot]!, slab.remaining[slot]!);
}

export function heldCoin(instrument: Instrument, side: Side): number {
  return side === Side.buy ? instrument.quote : instrument.base;
}

export function hold({ ledger }: State, account: number, coin: number, amount: Amount): void {
  const row = ledger.row(account, coin);
  ledger.move(row + Bucket.cash, row + Bucket.locked, amount);
}

export function release({ ledger }: State, account: number, coin: number, amount: Amount): void {
  const row = ledger.row(account, coin);
  ledger.move(row + Bucket.locked, row + Bucket.cash, amount);
}

/** Is it a margin order, which may borrow a part of what it pays? */
export function isMargin(state: State, slot: number): boolean {
  return state.slab.marginHolds.size !== 0 && state.slab.marginHolds.has(slot);
}

/** Finishes an order that rested: releases its hold and writes its last record. It must have left the book. */
export function finishRestingOrder(state: State, slot: number, reason: CancelReason): void {
  const { slab } = state;
  const instrument = state.instrumentOf(slot);
  if (instrument.futures !== undefined) releaseIsolated(state, instrument.futures.settle, slot);
  else if (isMargin(state, slot)) closeMarginHold(state, slot, heldCoin(instrument, slab.side[slot] as Side));
  else if (slab.remaining[slot] !== 0) {
    const side = slab.side[slot] as Side;
    release(state, slab.account[slot]!, heldCoin(instrument, side), holdOf(state, instrument, slot));
  }
  finishOrder(state, slot, reason);
}

/** Returns the margin that an isolated order still holds to cash. */
function releaseIsolated(state: State, coin: number, slot: number): void {
  const { slab, ledger } = state;
  const held = slab.isolatedHolds.get(slot);
  if (held === undefined) return;
  const account = slab.account[slot]!;
  slab.isolatedHolds.delete(slot);
  ledger.move(
    ledger.cell(account, coin, Bucket.isolatedOrders),
    ledger.cell(account, coin, Bucket.cash),
    held,
  );
  // The returned margin backs crossed positions again.
  state.markDirty(state.accounts[account]!);
}

/** Writes the last record of an order whose holds are settled, and removes it. */
export function finishOrder(state: State, slot: number, reason: CancelReason, quoteAmount = 0n): void {
  state.slab.updatedTime[slot] = state.now;
  state.digest.fold(state.slab.id[slot]! * 16 + reason);
  emitOrder(
    state,
    slot,
    reason === CancelReason.none ? OrderStatus.filled : OrderStatus.cancelled,
    reason,
    quoteAmount,
  );
  unregister(state, slot);
}

/** Emits the present record of a resting order after a change. */
export function emitOrderUpdate(state: State, slot: number): void {
  state.slab.updatedTime[slot] = state.now;
  const status = state.slab.filled(slot) === 0 ? OrderStatus.new : OrderStatus.partiallyFilled;
  emitOrder(state, slot, status, CancelReason.none, 0n);
}

function emitOrder(
  state: State,
  slot: number,
  status: OrderStatus,
  reason: CancelReason,
  quoteAmount: bigint,
): void {
  if (state.suppressEvents || state.accountOf(slot).house) return;
  state.emit({ type: 'order', order: recordOf(state, slot, status, reason, quoteAmount) });
}

export function openRecord(state: State, slot: number): OrderRecord {
  const status = state.slab.filled(slot) === 0 ? OrderStatus.new : OrderStatus.partiallyFilled;
  return recordOf(state, slot, status, CancelReason.none, 0n);
}

/** A fill, or a part of one, counts for the sums of the order. */
export function noteExecution({ slab }: State, slot: number, value: Amount, fee: Amount, pnl: Amount): void {
  const execution = slab.executions.get(slot);
  if (execution === undefined) {
    slab.executions.set(slot, { value, fee, pnl });
    return;
  }
  execution.value = sumOf(execution.value, value);
  execution.fee = sumOf(execution.fee, fee);
  execution.pnl = sumOf(execution.pnl, pnl);
}

function recordOf(
  state: State,
  slot: number,
  status: OrderStatus,
  cancelReason: CancelReason,
  quoteAmount: bigint,
): OrderRecord {
  const { slab } = state;
  const instrument = state.instrumentOf(slot);
  const execution = slab.executions.get(slot);
  const side = slab.side[slot] as Side;
  // A market buy by amount has no size: its slot starts at the largest size.
  const filledLots = slab.filled(slot);
  const record: Writable<OrderRecord> = {
    orderId: slab.id[slot]!,
    clientOid: clientOidOf(state, slot),
    uid: state.accountOf(slot).uid,
    instrument: instrument.index,
    category: instrument.category,
    side,
    orderType: slab.orderType[slot] as OrderType,
    timeInForce: slab.timeInForce[slot] as TimeInForce,
    stpMode: slab.stpMode[slot] as StpMode,
    source: (slab.flags[slot]! & FLAG_RETAIL) === 0 ? Source.api : Source.retail,
    priceTicks: slab.price[slot]!,
    sizeLots: quoteAmount === 0n ? slab.size[slot]! : 0,
    quoteAmount,
    filledLots,
    filledValue: execution === undefined ? 0n : BigInt(execution.value),
    feeCoin: instrument.futures?.settle ?? (side === Side.buy ? instrument.base : instrument.quote),
    fee: execution === undefined ? 0n : BigInt(execution.fee),
    status,
    cancelReason,
    createdTime: slab.createdTime[slot]!,
    updatedTime: slab.updatedTime[slot]!,
  };
  if (instrument.futures !== undefined) record.futures = futuresFields(state, slot, execution);
  if (slab.origins.size !== 0 && slab.origins.has(slot)) record.origin = slab.origins.get(slot)!;
  if (slab.presets.size !== 0 && slab.presets.has(slot)) record.preset = slab.presets.get(slot)!.preset;
  return record;
}

function futuresFields(
  state: State,
  slot: number,
  execution: { readonly pnl: Amount } | undefined,
): FuturesOrderFields {
  const { slab } = state;
  const flags = slab.flags[slot]!;
  const account = state.accountOf(slot);
  const hedge = account.holdMode === HoldMode.hedge;
  return {
    posSide: posSideOf(flags),
    hedge,
    // In hedge mode side and position side say that an order closes; the flag exists in one-way mode only (rules 1.11).
    reduceOnly: !hedge && (flags & FLAG_CLOSING) !== 0,
    closing: (flags & FLAG_CLOSING) !== 0,
    isolated: (flags & FLAG_ISOLATED) !== 0,
    kind: kindOf(state, slot),
    pnl: execution === undefined ? 0n : BigInt(execution.pnl),
  };
}

/** Who or what placed the order: all kinds but `user` are orders of the exchange. */
export function kindOf({ slab }: State, slot: number): OrderKind {
  return (slab.kinds.size === 0 ? undefined : slab.kinds.get(slot)) ?? OrderKind.user;
}

export function posSideOf(flags: number): PosSide {
  if ((flags & FLAG_LONG) !== 0) return PosSide.long;
  return (flags & FLAG_SHORT) !== 0 ? PosSide.short : PosSide.none;
}
