import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LazyOrder } from './lazy-order.ts';

test('items come in order, whoever asks for which', () => {
  for (const count of [0, 1, 2, 3, 10, 127, 1000]) {
    const items = Array.from({ length: count }, (_, n) => (n * 7919) % 1009);
    const sorted = [...items].sort((a, b) => a - b);
    const order = () => new LazyOrder([...items], (a, b) => a < b);
    assert.deepEqual([...order()], sorted);
    const asked = order();
    for (const place of [3, 0, 1, 500, 2, count - 1, count])
      assert.equal(place < 0 ? undefined : asked.at(place), sorted[place], `${place} of ${count}`);
  }
});
