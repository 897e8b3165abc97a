/**
 * All open orders of the exchange, one column per field (`order-columns.ts`), one slot per order: its place in each column. A
 * million resting orders are a few typed arrays: no objects for the garbage collector to visit. Fields that few orders have
 * (executions, a client id) are in side tables.
 */

import type { Amount } from '../model/amount.ts';
import type { OrderKind, OrderOrigin } from '../model/enums.ts';
import { MATCHES_PER_ORDER_MAX_BEFORE } from '../model/limits.ts';
import type { Preset } from '../model/tpsl.ts';
import { assert } from '../model/units.ts';
import { ClientIds } from './client-ids.ts';
import { IdIndex } from './id-index.ts';
import {
  COLUMN_ARRAYS,
  COLUMNS_OF_A_TYPE,
  type ColumnType,
  ORDER_COLUMN_NAMES,
  ORDER_COLUMNS,
  type OrderColumnName,
  type OrderColumns,
} from './order-columns.ts';
import { SlotTable } from './slot-table.ts';

export const NIL = -1;

/** From a slot to the next one: the values in other columns of a type are in between. */
export const SLOT_STEP = COLUMNS_OF_A_TYPE;

/** The sums of a partly filled order. */
export interface Execution {
  /** 10^-8 of the quote coin. */
  value: Amount;
  fee: Amount;
  /** Profit of what it closed, in the settlement coin; 0 on spot. */
  pnl: Amount;
}

/** Take-profit and stop-loss of an order, and the strategy order that its fills have created. */
export interface AttachedPreset {
  readonly preset: Preset;
  /** 0 = none yet. */
  strategyId: number;
}

/** Held and borrowed part of a margin order, in 10^-8 of the coin that it pays; the sum is the amount it still needs. */
export interface MarginHold {
  held: bigint;
  borrowed: bigint;
}

/** Bits of `flags`. */
export const FLAG_RPI = 1;
export const FLAG_RETAIL = 2;
/** A closing order, which can only make a position smaller: reduce-only in one-way mode, the closing side in hedge mode. */
export const FLAG_CLOSING = 4;
export const FLAG_LONG = 8;
export const FLAG_SHORT = 16;
export const FLAG_ISOLATED = 32;
/** Placed by the exchange: no self-trade prevention. */
export const FLAG_FORCED = 64;
/** A forced order that does not meet those of its own party (rules 19.2). */
export const FLAG_PASSES_OWN = 128;

/**
 * A slab that has more orders than a small market gets the room of a million at once: that costs addresses, memory only as
 * they are used, and no order waits until hundreds of thousands of others are copied.
 */
const LARGE_FROM = 2 ** 15;
const LARGE = 2 ** 20;

/** Links between slots are integers of 32 bits with a sign. */
const PLACES_MAX = 2 ** 31;

/** Orders. Fewer are in the cache as a rule, and there is nothing to wait for. */
const PREFETCH_FROM = 2 ** 14;

/** Those of more bytes come first, so that each is aligned. */
const COLUMN_TYPES = Object.keys(COLUMN_ARRAYS) as ColumnType[];

/** The arrays are declared one by one, so that the shape of the object is fixed before the first is allocated. */
export class OrderSlab implements OrderColumns {
  id!: Float64Array<ArrayBuffer>;
  account!: Int32Array<ArrayBuffer>;
  party!: Float64Array<ArrayBuffer>;
  instrument!: Int32Array<ArrayBuffer>;
  side!: Uint8Array<ArrayBuffer>;
  orderType!: Uint8Array<ArrayBuffer>;
  timeInForce!: Uint8Array<ArrayBuffer>;
  stpMode!: Uint8Array<ArrayBuffer>;
  flags!: Uint8Array<ArrayBuffer>;
  price!: Int32Array<ArrayBuffer>;
  size!: Float64Array<ArrayBuffer>;
  remaining!: Float64Array<ArrayBuffer>;
  prioritySeq!: Float64Array<ArrayBuffer>;
  createdTime!: Float64Array<ArrayBuffer>;
  updatedTime!: Float64Array<ArrayBuffer>;
  level!: Int32Array<ArrayBuffer>;
  next!: Int32Array<ArrayBuffer>;
  previous!: Int32Array<ArrayBuffer>;
  accountNext!: Int32Array<ArrayBuffer>;
  accountPrevious!: Int32Array<ArrayBuffer>;

  readonly byId = new IdIndex();
  /** From the first fill on. */
  readonly executions = new SlotTable<Execution>();
  readonly clientOids = new ClientIds();
  /** Kinds of orders that the exchange placed; they never rest. */
  readonly kinds = new Map<number, OrderKind>();
  /** Origins of orders that a strategy order placed. */
  readonly origins = new Map<number, OrderOrigin>();
  readonly presets = new Map<number, AttachedPreset>();
  /** Margin that isolated orders hold, in 10^-8 of the settlement coin. */
  readonly isolatedHolds = new Map<number, bigint>();
  /** Held and borrowed parts of margin orders. */
  readonly marginHolds = new Map<number, MarginHold>();
  /** Orders that there is room for. */
  capacity = 0;
  /** End of the slots ever used; free ones below it are chained through `next`. */
  private used = 0;
  freeHead = NIL;
  count = 0;
  /** Fills and removals of resting orders that one order may bring (rules 1.4, 13.1, 19.2). */
  fillsMax = MATCHES_PER_ORDER_MAX_BEFORE;
  removalsMax = MATCHES_PER_ORDER_MAX_BEFORE;
  /** Since the ninth edition orders that self-trade prevention cancels are removals too (rules 19.2). */
  countsOwn = false;
  /** Fills so far, in all books and between two orders of the exchange, and removals. Only differences count; not saved. */
  fillsDone = 0;
  removalsDone = 0;
  /** Sum of the numbers that were read: the compiler would remove reads whose result is not used. */
  prefetchSink = 0;

  constructor(capacity = 128) {
    this.grow(capacity);
  }

  allocate(id: number): number {
    let slot = this.freeHead;
    if (slot !== NIL) {
      this.freeHead = this.next[slot]!;
    } else {
      if (this.used === this.capacity * SLOT_STEP) this.grow(capacityAfter(this.capacity));
      slot = this.used;
      this.used += SLOT_STEP;
    }
    this.id[slot] = id;
    this.level[slot] = NIL;
    this.next[slot] = NIL;
    this.previous[slot] = NIL;
    this.byId.set(id, slot);
    this.count++;
    return slot;
  }

  /** Room for so many orders in an empty slab. */
  reserve(count: number): void {
    let { capacity } = this;
    while (capacity < count) capacity = capacityAfter(capacity);
    if (capacity !== this.capacity) this.grow(capacity);
    this.byId.reserve(count);
  }

  /** Visits the slot of every order, in no particular order. */
  eachSlot(visit: (slot: number) => void): void {
    for (let slot = 0; slot < this.used; slot += SLOT_STEP) if (this.id[slot] !== 0) visit(slot);
  }

  /** Orders whose columns are filled already, as the first of an empty slab. */
  enter(count: number): void {
    this.used = count * SLOT_STEP;
    this.count = count;
    for (let slot = 0; slot < this.used; slot += SLOT_STEP) {
      this.level[slot] = NIL;
      this.next[slot] = NIL;
      this.previous[slot] = NIL;
      this.byId.set(this.id[slot]!, slot);
    }
  }

  release(slot: number): void {
    this.byId.delete(this.id[slot]!);
    this.executions.delete(slot);
    if (this.clientOids.size !== 0) this.clientOids.delete(slot, this.account[slot]!);
    if (this.isolatedHolds.size !== 0) this.isolatedHolds.delete(slot);
    if (this.marginHolds.size !== 0) this.marginHolds.delete(slot);
    if (this.kinds.size !== 0) this.kinds.delete(slot);
    if (this.origins.size !== 0) this.origins.delete(slot);
    if (this.presets.size !== 0) this.presets.delete(slot);
    this.id[slot] = 0;
    this.next[slot] = this.freeHead;
    this.freeHead = slot;
    this.count--;
  }

  /** Reads a value of each type right after each other, so that the cache misses overlap. */
  prefetch(slot: number): void {
    if (this.used < PREFETCH_FROM * SLOT_STEP) return;
    this.prefetchSink = this.id[slot]! + this.account[slot]! + this.side[slot]!;
  }

  filled(slot: number): number {
    return this.size[slot]! - this.remaining[slot]!;
  }

  /** All columns are in one buffer: twenty would cost the start of an exchange as much as all of the rest. */
  private grow(capacity: number): void {
    const places = capacity * SLOT_STEP;
    assert(places <= PLACES_MAX, 'a slot is a number of 31 bits');
    const buffer = new ArrayBuffer(
      COLUMN_TYPES.reduce((sum, type) => sum + places * COLUMN_ARRAYS[type].BYTES_PER_ELEMENT, 0),
    );
    let at = 0;
    for (const type of COLUMN_TYPES) {
      const Column = COLUMN_ARRAYS[type];
      const names = ORDER_COLUMN_NAMES.filter((name) => ORDER_COLUMNS[name].type === type);
      // The first column of a type begins where the memory of the type does.
      const present: ArrayBufferView | undefined = this[names[0]!];
      if (present !== undefined)
        new Uint8Array(buffer, at).set(
          new Uint8Array(present.buffer, present.byteOffset, present.byteLength),
        );
      for (const [n, name] of names.entries()) {
        const column = new Column(buffer, at + n * Column.BYTES_PER_ELEMENT, places - n);
        (this as unknown as Record<OrderColumnName, unknown>)[name] = column;
      }
      at += places * Column.BYTES_PER_ELEMENT;
    }
    this.capacity = capacity;
  }
}

function capacityAfter(capacity: number): number {
  return capacity >= LARGE_FROM && capacity < LARGE ? LARGE : 2 * capacity;
}
