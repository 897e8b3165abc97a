/** The slab, the snapshot and the commands of the log hold an order as the table of its columns says. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import {
  COLUMN_ARRAYS,
  COLUMNS_OF_A_TYPE,
  ORDER_COLUMN_NAMES,
  ORDER_COLUMNS,
  type OrderColumn,
  type OrderColumnName,
} from '../../src/core/book/order-columns.ts';
import { OrderSlab, SLOT_STEP } from '../../src/core/book/order-slab.ts';
import { ORDER_LAYOUTS } from '../../src/core/codec/order-layouts.ts';
import type { Fields } from '../../src/core/model/bytes.ts';
import type { AmendOrders, PlaceOrder } from '../../src/core/model/command.ts';
import type { StateFields } from '../../src/core/snapshot/fields.ts';
import { orderFields } from '../../src/core/snapshot/order-fields.ts';
import { openFloor } from './trading-floor.ts';

type Written = readonly [type: string, value: unknown];

/** Notes what is written; the two-way descriptions take their own values back. */
function recorder(): { readonly f: StateFields; readonly written: Written[] } {
  const written: Written[] = [];
  const note = (type: string) => (value: unknown) => {
    written.push([type, value]);
    return value;
  };
  // Counts and places are written as what they are.
  const typeOf = (name: string) => (name === 'count' || name === 'index' ? 'i32' : name);
  const get = (_: StateFields, name: string) => (name === 'reading' ? false : note(typeOf(name)));
  return { f: new Proxy(Object.create(null) as StateFields, { get }), written };
}

/** Which values of the log a column can hold. */
const FITTING: Readonly<Record<string, readonly string[]>> = {
  u8: ['u8'],
  i32: ['u8', 'u16', 'i32'],
  f64: ['u8', 'u16', 'i32', 'f64'],
};

test('the slab has the arrays of the table and no other', () => {
  const slab = new OrderSlab(4);
  for (const name of ORDER_COLUMN_NAMES)
    ok(slab[name] instanceof COLUMN_ARRAYS[ORDER_COLUMNS[name].type], name);
  const arrays = Object.keys(slab).filter((name) => ArrayBuffer.isView(slab[name as keyof OrderSlab]));
  deepEqual(arrays.sort(), [...ORDER_COLUMN_NAMES].sort());
});

test('no type has more columns than an order has room for', () => {
  for (const type of Object.keys(COLUMN_ARRAYS)) {
    const names = ORDER_COLUMN_NAMES.filter((name) => ORDER_COLUMNS[name].type === type);
    ok(names.length <= COLUMNS_OF_A_TYPE, `${names.length} columns of ${type}`);
  }
});

test('every order has every column for itself, also when the slab grows', () => {
  const slab = new OrderSlab(1);
  const slots = Array.from({ length: 9 }, (_, n) => slab.allocate(n + 1));
  const value = (order: number, column: number) => 1 + order * ORDER_COLUMN_NAMES.length + column;
  for (const [order, slot] of slots.entries())
    for (const [column, name] of ORDER_COLUMN_NAMES.entries()) slab[name][slot] = value(order, column);
  while (slab.capacity < 16) slots.push(slab.allocate(slots.length + 1));
  while (slab.capacity === 16) slots.push(slab.allocate(slots.length + 1));
  for (let order = 0; order < 9; order++)
    for (const [column, name] of ORDER_COLUMN_NAMES.entries())
      equal(slab[name][slots[order]!], value(order, column), `${name} of order ${order}`);
});

test('the state hash takes every column that does not follow from others, in the order and types of the table', () => {
  const floor = openFloor('ann');
  const order = floor.buy('ann', '1', '59000', { clientOid: 'mine' });
  const { slab } = floor.state;
  const slot = slab.byId.get(order.orderId);
  const { f, written } = recorder();
  orderFields(f, floor.state);
  const saved = ORDER_COLUMN_NAMES.filter((name) => !('derived' in ORDER_COLUMNS[name]));
  const expected = saved.map((name) => [ORDER_COLUMNS[name].type, slab[name][slot]]);
  deepEqual(written.slice(0, saved.length + 2), [['i32', 1], ...expected, ['text', 'mine']]);
});

test('a column that is left out of the snapshot is there again after loading', () => {
  const floor = openFloor('ann', 'bob');
  for (const name of ['ann', 'bob', 'ann'])
    for (const price of ['59000', '59001']) floor.buy(name, '1', price);
  const columns = () => {
    const { slab } = floor.state;
    const byId = Array.from({ length: slab.count }, (_, n) => n * SLOT_STEP).sort(
      (a, b) => slab.id[a]! - slab.id[b]!,
    );
    const idOf = (slot: number) => (slot < 0 ? 0 : slab.id[slot]!);
    const links = ['next', 'previous', 'accountNext', 'accountPrevious'] as const;
    return byId.map((slot) => [slab.party[slot], ...links.map((name) => idOf(slab[name][slot]!))]);
  };
  const before = columns();
  floor.restart();
  deepEqual(columns(), before);
});

/** Columns and the fields of a command that they come from. */
function sources(command: 'placed' | 'amended'): (readonly [OrderColumnName, string])[] {
  return ORDER_COLUMN_NAMES.flatMap((name) => {
    const { [command]: field }: OrderColumn = ORDER_COLUMNS[name];
    return field === undefined ? [] : [[name, field] as const];
  });
}

/** By field: the type in which the log has it. Each field is written with a value of its own. */
function logTypes(
  fields: readonly string[],
  write: (f: Fields, values: object) => void,
): (string | undefined)[] {
  const values = Object.fromEntries(fields.map((name, n) => [name, 1000 + n]));
  const { f, written } = recorder();
  write(f, values);
  return fields.map((name) => written.find(([, value]) => value === values[name])?.[0]);
}

test('every column that an order brings or an amendment changes fits the type of the log', () => {
  const { placeOrder, amendOrders } = ORDER_LAYOUTS;
  const commands = {
    placed: (f: Fields, values: object) => placeOrder.fields(f, values as PlaceOrder, 0),
    amended: (f: Fields, item: object) =>
      amendOrders.fields(f, { items: [item] } as unknown as AmendOrders, 0),
  };
  for (const command of ['placed', 'amended'] as const) {
    const columns = sources(command);
    const fields = columns.map(([, field]) => field);
    for (const [n, type] of logTypes(fields, commands[command]).entries()) {
      const [name] = columns[n]!;
      const fits = FITTING[ORDER_COLUMNS[name].type]!.includes(type ?? '');
      ok(fits, `${name} is ${ORDER_COLUMNS[name].type}, the log has ${fields[n]} as ${type}`);
    }
  }
  equal(sources('placed').length, 7);
  equal(sources('amended').length, 2);
});
