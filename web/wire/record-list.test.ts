import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordList } from './record-list.ts';

interface Row {
  readonly id: string;
  readonly open: boolean;
  readonly updatedTime: string;
  readonly price?: string;
}

const list = () =>
  new RecordList<Row>(
    ({ id }) => id,
    ({ open }) => open,
  );
const row = (id: string, updatedTime: number, open = true, price?: string): Row => ({
  id,
  open,
  updatedTime: String(updatedTime),
  ...(price !== undefined && { price }),
});
const ids = (of: RecordList<Row>) => of.rows().map(({ id }) => id);

test('an order that ends while HTTP is asked does not come back with the answer', () => {
  const orders = list();
  const known = orders.ask();
  orders.push(row('1', 5, false));
  orders.answer([row('1', 4), row('2', 3)], known);
  assert.deepEqual(ids(orders), ['2']);
});

test('an order that a push told first is kept as the push told it', () => {
  const orders = list();
  const known = orders.ask();
  orders.push(row('1', 9, true, '101'));
  orders.answer([row('1', 4, true, '100')], known);
  assert.equal(orders.get('1')!.price, '101');
});

test('what was known before a break and is not in the answer has ended; what came since is kept', () => {
  const orders = list();
  orders.push(row('1', 1));
  const known = orders.ask();
  orders.push(row('2', 2));
  orders.answer([], known);
  assert.deepEqual(ids(orders), ['2']);
});

test('pushes complete a row of HTTP and leave what they do not tell; newest first', () => {
  const orders = list();
  orders.answer([row('1', 1, true, '100'), row('2', 2)], orders.ask());
  orders.push(row('1', 3));
  assert.deepEqual(ids(orders), ['1', '2']);
  assert.equal(orders.get('1')!.price, '100');
});
