import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IndexedHeap } from './indexed-heap.ts';

interface Item {
  readonly id: number;
  rank: number;
}

const isBefore = (a: Item, b: Item) => a.rank < b.rank || (a.rank === b.rank && a.id < b.id);

/** The same by looking at all. */
function least(items: Iterable<Item>): Item | undefined {
  let first: Item | undefined;
  for (const item of items) if (first === undefined || isBefore(item, first)) first = item;
  return first;
}

const step = fc.record({
  kind: fc.constantFrom('add', 'change', 'remove', 'take'),
  pick: fc.nat(1000),
  rank: fc.nat(20),
});

test('the first of a heap is the first of all, whatever was added, changed and taken out', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = new IndexedHeap<Item>(isBefore);
      const items: Item[] = [];
      for (const [id, { kind, pick, rank }] of steps.entries()) {
        const known = items[pick % Math.max(1, items.length)];
        if (kind === 'add' || known === undefined) {
          const item = { id, rank };
          items.push(item);
          heap.add(item);
        } else if (kind === 'change') {
          known.rank = rank;
          heap.settle(known);
        } else {
          const gone = kind === 'take' ? heap.first()! : known;
          heap.remove(gone);
          items.splice(items.indexOf(gone), 1);
        }
        equal(heap.size, items.length);
        equal(heap.first(), least(items));
      }
    }),
  );
});

test('what is not in a heap cannot be taken out of it', () => {
  const heap = new IndexedHeap<Item>(isBefore);
  heap.add({ id: 1, rank: 1 });
  heap.remove({ id: 1, rank: 1 });
  equal(heap.size, 1);
});
