/**
 * All open orders of the exchange, one column per field (`order-columns.ts`), one slot per order. A million resting
 * orders are a few typed arrays: no objects for the garbage collector to visit. Fields that few orders have (executions,
 * a client id) are in side tables.
 */

import type { OrderKind, OrderOrigin } from '../model/enums.ts';
import type { Preset } from '../model/tpsl.ts';
import { ClientIds } from './client-ids.ts';
import { IdIndex } from './id-index.ts';
import {
  COLUMN_ARRAYS,
  ORDER_COLUMN_NAMES,
  ORDER_COLUMNS,
  type OrderColumnName,
  type OrderColumns,
} from './order-columns.ts';
import { SlotTable } from './slot-table.ts';

export const NIL = -1;

/** The sums of a partly filled order. */
export interface Execution {
  /** 10^-8 of the quote coin. */
  value: bigint;
  fee: bigint;
  /** Profit of what it closed, in the settlement coin; 0 on spot. */
  pnl: bigint;
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

/**
 * A slab that has more orders than a small market gets the room of a million at once: that costs addresses, memory only as
 * they are used, and no order waits until hundreds of thousands of others are copied.
 */
const LARGE_FROM = 2 ** 15;
const LARGE = 2 ** 20;

/** Fewer orders are in the cache as a rule, and there is nothing to wait for. */
const PREFETCH_FROM = 2 ** 14;

/** The arrays are declared one by one, so that the shape of the object is fixed before the first is allocated. */
export class OrderSlab implements OrderColumns {
  id!: Float64Array<ArrayBuffer>;
  account!: Int32Array<ArrayBuffer>;
  party!: Int32Array<ArrayBuffer>;
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
  capacity = 0;
  /** Slots ever used; free ones below it are chained through `next`. */
  used = 0;
  freeHead = NIL;
  count = 0;
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
      if (this.used === this.capacity) this.grow(capacityAfter(this.capacity));
      slot = this.used++;
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

  /** Orders whose columns are filled already, as the first of an empty slab. */
  enter(count: number): void {
    for (const links of [this.level, this.next, this.previous]) links.fill(NIL, 0, count);
    for (let slot = 0; slot < count; slot++) this.byId.set(this.id[slot]!, slot);
    this.used = count;
    this.count = count;
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

  /**
   * Reads the columns that a trade or a cancel uses right after each other, so that the cache misses of an order overlap.
   */
  prefetch(slot: number): void {
    if (this.used < PREFETCH_FROM) return;
    this.prefetchSink =
      this.id[slot]! +
      this.account[slot]! +
      this.party[slot]! +
      this.flags[slot]! +
      this.price[slot]! +
      this.size[slot]! +
      this.remaining[slot]! +
      this.prioritySeq[slot]! +
      this.createdTime[slot]! +
      this.updatedTime[slot]! +
      this.level[slot]! +
      this.next[slot]! +
      this.previous[slot]! +
      this.accountNext[slot]! +
      this.accountPrevious[slot]!;
  }

  filled(slot: number): number {
    return this.size[slot]! - this.remaining[slot]!;
  }

  /** All columns are in one buffer: twenty would cost the start of an exchange as much as all of the rest. */
  private grow(capacity: number): void {
    const bytesOf = (name: OrderColumnName) =>
      Math.ceil((capacity * COLUMN_ARRAYS[ORDER_COLUMNS[name].type].BYTES_PER_ELEMENT) / 8) * 8;
    const buffer = new ArrayBuffer(ORDER_COLUMN_NAMES.reduce((sum, name) => sum + bytesOf(name), 0));
    let at = 0;
    for (const name of ORDER_COLUMN_NAMES) {
      const grown = new COLUMN_ARRAYS[ORDER_COLUMNS[name].type](buffer, at, capacity);
      at += bytesOf(name);
      if (this[name] !== undefined) grown.set(this[name]);
      (this as unknown as Record<OrderColumnName, unknown>)[name] = grown;
    }
    this.capacity = capacity;
  }
}

function capacityAfter(capacity: number): number {
  return capacity >= LARGE_FROM && capacity < LARGE ? LARGE : 2 * capacity;
}
