/** Open orders, one after the other, as formats before 8 and the state hash have them; and waiting strategy orders. */

import type { Execution, OrderSlab } from '../book/order-slab.ts';
import { IS_LITTLE_ENDIAN } from '../model/bytes.ts';
import { OrderOrigin, type PosSide, type Side, type Source, type StrategyKind } from '../model/enums.ts';
import { NO_PRESET, presetFields } from '../model/tpsl.ts';
import { restoreMarginHold } from '../orders/margin-order-hold.ts';
import { heldCoin, holdOf, register } from '../orders/order-lifecycle.ts';
import type { State } from '../state/state.ts';
import { StrategyOrder } from '../state/strategy-order.ts';
import { enrollStrategy } from '../strategy/strategy-lifecycle.ts';
import { amountField, list, type StateFields } from './fields.ts';

/** Amount of an order that has no hold of the kind. */
export const NO_HOLD = -1n;
export const NO_EXECUTION: Readonly<Execution> = { value: 0, fee: 0, pnl: 0 };

export function orderFields(f: StateFields, state: State): void {
  const { slab } = state;
  const known = slotsById(slab);
  const slots = new Int32Array(f.count(known.length));
  for (let n = 0; n < slots.length; n++) {
    const id = f.f64(f.reading ? 0 : slab.id[known[n]!]!);
    const slot = f.reading ? slab.allocate(id) : known[n]!;
    slots[n] = slot;
    columnFields(f, state, slot);
    const marginHeld = holdFields(f, slab, slot);
    attachmentFields(f, slab, slot);
    if (f.reading) adopt(state, slot, marginHeld);
  }
  if (f.reading) restInOrder(state, slots);
}

export function slotsById(slab: OrderSlab): Int32Array {
  const slots = new Int32Array(slab.count);
  let count = 0;
  slab.eachSlot((slot) => {
    slots[count++] = slot;
  });
  return inOrderOf(slab.id, slots);
}

/**
 * The columns that the table (`order-columns.ts`) does not call derived, in its order. Written out, because a loop over
 * the table makes a snapshot take half as long again.
 */
function columnFields(f: StateFields, { slab, accounts, instruments }: State, slot: number): void {
  slab.account[slot] = f.index(slab.account[slot]!, accounts.length);
  slab.instrument[slot] = f.index(slab.instrument[slot]!, instruments.length);
  slab.side[slot] = f.u8(slab.side[slot]!);
  slab.orderType[slot] = f.u8(slab.orderType[slot]!);
  slab.timeInForce[slot] = f.u8(slab.timeInForce[slot]!);
  slab.stpMode[slot] = f.u8(slab.stpMode[slot]!);
  slab.flags[slot] = f.u8(slab.flags[slot]!);
  slab.price[slot] = f.i32(slab.price[slot]!);
  slab.size[slot] = f.f64(slab.size[slot]!);
  slab.remaining[slot] = f.f64(slab.remaining[slot]!);
  slab.prioritySeq[slot] = f.f64(slab.prioritySeq[slot]!);
  slab.createdTime[slot] = f.f64(slab.createdTime[slot]!);
  slab.updatedTime[slot] = f.f64(slab.updatedTime[slot]!);
  const clientOid = f.text(slab.clientOids.get(slot) ?? '');
  if (f.reading && clientOid !== '') slab.clientOids.set(slot, slab.account[slot], clientOid);
}

/** Returns what a margin order holds; its borrowed part follows from what it needs. */
function holdFields(f: StateFields, slab: OrderSlab, slot: number): bigint {
  const isolated = f.money(slab.isolatedHolds.get(slot) ?? NO_HOLD);
  if (f.reading && isolated !== NO_HOLD) slab.isolatedHolds.set(slot, isolated);
  return f.money(slab.marginHolds.get(slot)?.held ?? NO_HOLD);
}

function attachmentFields(f: StateFields, slab: OrderSlab, slot: number): void {
  const execution = slab.executions.get(slot);
  if (f.flag(execution !== undefined)) {
    const { value, fee, pnl } = execution ?? NO_EXECUTION;
    const read = { value: amountField(f, value), fee: amountField(f, fee), pnl: amountField(f, pnl) };
    if (f.reading) slab.executions.set(slot, read);
  }
  const origin = f.u8(slab.origins.get(slot) ?? OrderOrigin.hand) as OrderOrigin;
  if (f.reading && origin !== OrderOrigin.hand) slab.origins.set(slot, origin);
  const attached = slab.presets.get(slot);
  if (f.flag(attached !== undefined)) {
    const preset = presetFields(f, attached?.preset ?? NO_PRESET);
    const strategyId = f.f64(attached?.strategyId ?? 0);
    if (f.reading) slab.presets.set(slot, { preset, strategyId });
  }
}

/** Enters an order that was read into the tables that follow from it. */
export function adopt(state: State, slot: number, marginHeld: bigint): void {
  const { slab } = state;
  const instrument = state.instrumentOf(slot);
  if (marginHeld !== NO_HOLD) {
    const coin = heldCoin(instrument, slab.side[slot] as Side);
    restoreMarginHold(state, slot, coin, marginHeld, BigInt(holdOf(state, instrument, slot)));
  }
  const account = state.accountOf(slot);
  slab.party[slot] = account.party;
  register(state, account, instrument, slot);
}

/** Queues are in the order of the places given (I14). */
export function restInOrder(state: State, slots: Int32Array): void {
  for (const slot of inOrderOf(state.slab.prioritySeq, slots))
    state.market(state.instrumentOf(slot)).book.rest(slot);
}

const WORD = 2 ** 32;

/** Slots, sorted in their place by a column of numbers that are different and not negative. */
function inOrderOf(column: Float64Array, slots: Int32Array): Int32Array {
  let [least, most, last, isSorted] = [Number.POSITIVE_INFINITY, 0, -1, true];
  for (const slot of slots) {
    const value = column[slot]!;
    isSorted &&= value > last;
    last = value;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (isSorted) return slots;
  if (most - least >= WORD || !IS_LITTLE_ENDIAN) return slots.sort((a, b) => column[a]! - column[b]!);
  // A million calls to compare two of them take longer than all the rest: each is a number of 64 bits, its slot the lower half.
  const keys = new BigUint64Array(slots.length);
  const halves = new Uint32Array(keys.buffer);
  for (let n = 0; n < slots.length; n++) {
    halves[2 * n] = slots[n]!;
    halves[2 * n + 1] = column[slots[n]!]! - least;
  }
  keys.sort();
  for (let n = 0; n < slots.length; n++) slots[n] = halves[2 * n]!;
  return slots;
}

/** Triggers are set again from what the records say. */
export function strategyFields(f: StateFields, state: State): void {
  const { strategies } = state;
  const { byId } = strategies;
  const known = [...byId.values()].sort((a, b) => a.id - b.id);
  list(f, known, (order) => strategyOrderFields(f, state, order));
  const queued = list(f, strategies.queued(), (id) => f.f64(id ?? 0));
  if (f.reading) strategies.enqueue(queued);
  strategies.paused = f.flag(strategies.paused);
  const ids = list<[string, number]>(f, strategies.recentOids(state.now), ([key, time] = ['', 0]) => [
    f.uidText(key),
    f.f64(time),
  ]);
  if (f.reading) for (const [key, time] of ids) strategies.rememberKey(key, time);
}

function strategyOrderFields(f: StateFields, state: State, known: StrategyOrder | undefined): StrategyOrder {
  const id = f.f64(known?.id ?? 0);
  const account = f.index(known?.account ?? 0, state.accounts.length);
  const instrument = f.index(known?.instrument ?? 0, state.instruments.length);
  const kind = f.u8(known?.kind ?? 0) as StrategyKind;
  const side = f.u8(known?.side ?? 0) as Side;
  const posSide = f.u8(known?.posSide ?? 0) as PosSide;
  const source = f.u8(known?.source ?? 0) as Source;
  const createdTime = f.f64(known?.createdTime ?? 0);
  const order = known ?? new StrategyOrder(id, account, instrument, kind, side, posSide, source, createdTime);
  order.fields(f);
  if (f.reading) enrollStrategy(state, order);
  return order;
}
