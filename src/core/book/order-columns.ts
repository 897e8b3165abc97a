/**
 * The columns of an open order. The slab has one typed array for each, the snapshot saves those that do not follow from
 * others, in this order, and order commands in the journal carry the values of some. A column is added here; the
 * compiler and `test/core/order-columns.test.ts` check the slab, the snapshot and the codec against the table.
 */

/** Names of `Fields`, the two-way description of bytes. */
export type ColumnType = 'f64' | 'i32' | 'u8';

export interface OrderColumn {
  readonly type: ColumnType;
  /** Follows from other columns or from the book, so the snapshot leaves it out. */
  readonly derived?: true;
  /** Field of the `placeOrder` command that the value comes from, unchanged. */
  readonly placed?: string;
  /** Field of an item of the `amendOrders` command that may change it. */
  readonly amended?: string;
}

export const ORDER_COLUMNS = {
  id: { type: 'f64' },
  account: { type: 'i32' },
  /** The account's party (`Account.party`). Of this type because integers have as many columns as fit. */
  party: { type: 'f64', derived: true },
  instrument: { type: 'i32', placed: 'instrument' },
  side: { type: 'u8', placed: 'side' },
  orderType: { type: 'u8', placed: 'orderType' },
  timeInForce: { type: 'u8', placed: 'timeInForce' },
  stpMode: { type: 'u8', placed: 'stpMode' },
  /** `FLAG_*` of the slab. */
  flags: { type: 'u8' },
  /** Ticks. */
  price: { type: 'i32', placed: 'priceTicks', amended: 'priceTicks' },
  /** Lots: the ordered size, and the unfilled rest. */
  size: { type: 'f64', placed: 'sizeLots', amended: 'sizeLots' },
  remaining: { type: 'f64' },
  /** Place in the queue of its level: earlier numbers first. */
  prioritySeq: { type: 'f64' },
  createdTime: { type: 'f64' },
  updatedTime: { type: 'f64' },
  /** Level of the book, or NIL when the order does not rest. */
  level: { type: 'i32', derived: true },
  /** Neighbours in the queue of the level. */
  next: { type: 'i32', derived: true },
  previous: { type: 'i32', derived: true },
  /** Neighbours among the owner's open orders, oldest first. */
  accountNext: { type: 'i32', derived: true },
  accountPrevious: { type: 'i32', derived: true },
} as const satisfies Record<string, OrderColumn>;

export type OrderColumnName = keyof typeof ORDER_COLUMNS;

export const ORDER_COLUMN_NAMES = Object.keys(ORDER_COLUMNS) as OrderColumnName[];

export const COLUMN_ARRAYS = { f64: Float64Array, i32: Int32Array, u8: Uint8Array } as const;

/**
 * Columns that a type may have. In the slab the values of an order in all columns of a type follow each other, then come those of
 * the next order: an order is in three pages of the machine's memory, about a line of the processor's cache in each, and not in one
 * page and line for every column.
 */
const SLOT_BITS = 3;
export const COLUMNS_OF_A_TYPE = 1 << SLOT_BITS;

/** The arrays of a slab, as the table says. */
export type OrderColumns = {
  readonly [Name in OrderColumnName]: InstanceType<
    (typeof COLUMN_ARRAYS)[(typeof ORDER_COLUMNS)[Name]['type']]
  >;
};

/** Slots are as far from each other as a type may have columns; their numbers follow each other. */
export function slotNumber(slot: number): number {
  return slot >> SLOT_BITS;
}
