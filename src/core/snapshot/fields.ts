/** Fields of the state in both directions, and lists of them. */
import { type Amount, amountOf } from '../model/amount.ts';
import { ByteReader, ByteWriter, type Fields, UnreadableRecord } from '../model/bytes.ts';

export interface StateFields extends Fields {
  /** Does the state come from the fields, or the fields from the state? */
  readonly reading: boolean;
  /** Which fields there are: a field that came with format 2 is there `if (f.format >= 2)`. */
  readonly format: number;
  /** How many items follow, of at least so many bytes each, or one. */
  count(value: number, bytesMin?: number): number;
  /** The memory of an array, as it is: a writer takes it, a reader fills it. */
  block(array: ArrayBufferView<ArrayBuffer>): void;
  /** A place in a table with so many. A place beyond its end would make the tables of others grow up to it. */
  index(value: number, end: number): number;
}

/** Money that the state has as a number where that is exact. */
export function amountField(f: Fields, amount: Amount): Amount {
  return amountOf(f.money(BigInt(amount)));
}

const FIRST_BYTES = 1 << 16;
/** With orders in columns, and one after the other. */
const BYTES_PER_ORDER = { columns: 72, rows: 128 };

export class StateWriter extends ByteWriter implements StateFields {
  readonly reading = false;
  readonly format: number;

  /** `orders`: about how many will be written. Room for them is cheaper than to grow again and again. */
  constructor(format: number, orders = 0) {
    super(FIRST_BYTES + orders * BYTES_PER_ORDER[format >= 8 ? 'columns' : 'rows']);
    this.format = format;
  }

  count(value: number): number {
    return this.i32(value);
  }

  index(value: number): number {
    return this.i32(value);
  }
}

export class StateReader extends ByteReader implements StateFields {
  readonly reading = true;
  /** The first field of every format. */
  readonly format = this.u16(0);

  count(value: number, bytesMin = 1): number {
    const count = this.i32(value);
    if (count < 0 || count * bytesMin > this.left)
      throw new UnreadableRecord(`${count} items in ${this.left} bytes`);
    return count;
  }

  index(value: number, end: number): number {
    const index = this.i32(value);
    if (index < 0 || index >= end) throw new UnreadableRecord(`place ${index} in a table of ${end}`);
    return index;
  }
}

/** So many items, then each of them. Written items are given to `item`; read ones are made by it. */
export function list<Item>(
  f: StateFields,
  items: readonly Item[],
  item: (known: Item | undefined) => Item,
): Item[] {
  return Array.from({ length: f.count(items.length) }, (_, n) => item(items[n]));
}

/** A map by number, ascending. */
export function mapByNumber<Value>(
  f: StateFields,
  map: ReadonlyMap<number, Value>,
  entry: (key: number, value: Value | undefined) => readonly [number, Value],
): (readonly [number, Value])[] {
  const entries = [...map].sort((a, b) => a[0] - b[0]);
  return list<readonly [number, Value]>(f, entries, (known) => entry(known?.[0] ?? 0, known?.[1]));
}
