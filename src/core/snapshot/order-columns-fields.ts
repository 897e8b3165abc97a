/**
 * Open orders since format 8: column by column, in the order of their ids, then what few of them have. A million orders are
 * written and read as a dozen blocks of memory. Formats before it, and the state hash, have one order after the other
 * (`order-fields.ts`).
 */

import {
  COLUMN_ARRAYS,
  ORDER_COLUMN_NAMES,
  ORDER_COLUMNS,
  type OrderColumns,
} from '../book/order-columns.ts';
import { type OrderSlab, SLOT_STEP } from '../book/order-slab.ts';
import { UnreadableRecord } from '../model/bytes.ts';
import type { OrderOrigin } from '../model/enums.ts';
import { NO_PRESET, presetFields } from '../model/tpsl.ts';
import type { State } from '../state/state.ts';
import { amountField, type StateFields } from './fields.ts';
import { adopt, NO_EXECUTION, NO_HOLD, restInOrder, slotsById } from './order-fields.ts';

const SAVED_COLUMNS = ORDER_COLUMN_NAMES.filter((name) => !('derived' in ORDER_COLUMNS[name]));
const BYTES_PER_ORDER = SAVED_COLUMNS.reduce(
  (sum, name) => sum + COLUMN_ARRAYS[ORDER_COLUMNS[name].type].BYTES_PER_ELEMENT,
  0,
);

export function orderColumnsFields(f: StateFields, state: State): void {
  const { slab } = state;
  const known = slotsById(slab);
  const count = f.count(known.length, BYTES_PER_ORDER);
  // Orders that are read have the first places of the slab.
  const slots = f.reading ? places(count, SLOT_STEP) : known;
  const values = columnsFields(f, slab, slots);
  if (f.reading) {
    requireAscending(values.id);
    requireBelow(values.account, state.accounts.length);
    requireBelow(values.instrument, state.instruments.length);
    slab.reserve(count);
    copy(values, places(count, 1), slab, slots);
    slab.enter(count);
  }
  const marginHeld = attachmentFields(f, slab, slots);
  if (!f.reading) return;
  for (const slot of slots) adopt(state, slot, marginHeld.get(slot) ?? NO_HOLD);
  restInOrder(state, slots);
}

/** The first so many. */
function places(count: number, step: number): Int32Array {
  const slots = new Int32Array(count);
  for (let n = 0; n < count; n++) slots[n] = n * step;
  return slots;
}

/** The values of orders in the saved columns, one behind the other. */
type SavedColumns = Pick<OrderColumns, (typeof SAVED_COLUMNS)[number]>;

function columnsFields(f: StateFields, slab: OrderSlab, slots: Int32Array): SavedColumns {
  const count = slots.length;
  const arrays = SAVED_COLUMNS.map((name) => [name, new COLUMN_ARRAYS[ORDER_COLUMNS[name].type](count)]);
  const values = Object.fromEntries(arrays) as SavedColumns;
  if (!f.reading) copy(slab, slots, values, places(count, 1));
  for (const name of SAVED_COLUMNS) f.block(values[name]);
  return values;
}

/** Order by order, and written out: the values of an order are side by side, and a loop over the columns takes twice as long. */
function copy(from: SavedColumns, fromSlots: Int32Array, to: SavedColumns, toSlots: Int32Array): void {
  for (let n = 0; n < fromSlots.length; n++) {
    const a = fromSlots[n]!;
    const b = toSlots[n]!;
    to.id[b] = from.id[a]!;
    to.account[b] = from.account[a]!;
    to.instrument[b] = from.instrument[a]!;
    to.side[b] = from.side[a]!;
    to.orderType[b] = from.orderType[a]!;
    to.timeInForce[b] = from.timeInForce[a]!;
    to.stpMode[b] = from.stpMode[a]!;
    to.flags[b] = from.flags[a]!;
    to.price[b] = from.price[a]!;
    to.size[b] = from.size[a]!;
    to.remaining[b] = from.remaining[a]!;
    to.prioritySeq[b] = from.prioritySeq[a]!;
    to.createdTime[b] = from.createdTime[a]!;
    to.updatedTime[b] = from.updatedTime[a]!;
  }
}

/** Ids of orders are given once, and never 0, which marks a free slot. */
function requireAscending(ids: Float64Array): void {
  let last = 0;
  for (const id of ids) {
    if (!(id > last)) throw new UnreadableRecord(`order ${id} behind order ${last}`);
    last = id;
  }
}

function requireBelow(places: Int32Array, end: number): void {
  for (const place of places)
    if (place < 0 || place >= end) throw new UnreadableRecord(`place ${place} in a table of ${end}`);
}

/** What few orders have. Returns what margin orders hold; the borrowed part follows from what they need. */
function attachmentFields(f: StateFields, slab: OrderSlab, slots: Int32Array): ReadonlyMap<number, bigint> {
  const { clientOids, isolatedHolds, marginHolds, executions, origins, presets } = slab;
  const marginHeld = new Map<number, bigint>();
  thoseIn(clientOids, f, slots, (slot) => {
    const clientOid = f.text(clientOids.get(slot) ?? '');
    if (f.reading) clientOids.set(slot, slab.account[slot]!, clientOid);
  });
  thoseIn(isolatedHolds, f, slots, (slot) => {
    isolatedHolds.set(slot, f.money(isolatedHolds.get(slot) ?? 0n));
  });
  thoseIn(marginHolds, f, slots, (slot) => {
    marginHeld.set(slot, f.money(marginHolds.get(slot)?.held ?? 0n));
  });
  thoseIn(executions, f, slots, (slot) => {
    const { value, fee, pnl } = executions.get(slot) ?? NO_EXECUTION;
    const read = { value: amountField(f, value), fee: amountField(f, fee), pnl: amountField(f, pnl) };
    if (f.reading) executions.set(slot, read);
  });
  thoseIn(origins, f, slots, (slot) => {
    origins.set(slot, f.u8(origins.get(slot) ?? 0) as OrderOrigin);
  });
  thoseIn(presets, f, slots, (slot) => {
    const attached = presets.get(slot);
    const preset = presetFields(f, attached?.preset ?? NO_PRESET);
    const strategyId = f.f64(attached?.strategyId ?? 0);
    if (f.reading) presets.set(slot, { preset, strategyId });
  });
  return marginHeld;
}

interface SideTable {
  readonly size?: number;
  has(slot: number): boolean;
}

/** So many orders, then the place of each among all and its fields. */
function thoseIn(table: SideTable, f: StateFields, slots: Int32Array, fields: (slot: number) => void): void {
  const known: number[] = [];
  if (!f.reading && table.size !== 0)
    for (let n = 0; n < slots.length; n++) if (table.has(slots[n]!)) known.push(n);
  const count = f.count(known.length);
  let last = -1;
  for (let n = 0; n < count; n++) {
    const place = f.index(known[n] ?? 0, slots.length);
    if (place <= last) throw new UnreadableRecord(`order ${place} behind order ${last}`);
    last = place;
    fields(slots[place]!);
  }
}
