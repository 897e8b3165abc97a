import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NumberHeap } from './number-heap.ts';

const steps = fc.array(
  fc.record({ item: fc.nat(100), rank: fc.integer({ min: -50, max: 50 }), leaves: fc.boolean() }),
  { maxLength: 200 },
);

test('the item of the lowest rank comes first, of equal ones the smallest, whatever was put in, moved and taken out', () => {
  fc.assert(
    fc.property(steps, (made) => {
      const heap = new NumberHeap();
      const ranks = new Map<number, number>();
      for (const { item, rank, leaves } of made) {
        if (leaves) {
          heap.remove(item);
          ranks.delete(item);
        } else {
          heap.set(item, rank);
          ranks.set(item, rank);
        }
        equal(heap.size, ranks.size);
        const [first] = [...ranks].sort(([a, rankA], [b, rankB]) => rankA - rankB || a - b);
        equal(heap.first(), first?.[0]);
      }
      const ascending = [...ranks.values()].sort((a, b) => a - b);
      deepEqual(
        [...heap.ascending()].map((item) => ranks.get(item)),
        ascending,
      );
      for (const rank of [-60, 0, 7, 60]) {
        equal(heap.countBelow(rank), ascending.filter((each) => each < rank).length);
        const upTo = [...ranks.keys()].filter((item) => ranks.get(item)! <= rank);
        deepEqual(new Set(heap.upTo(rank, upTo.length)), new Set(upTo));
        if (upTo.length > 0) equal(heap.upTo(rank, upTo.length - 1), undefined);
      }
      const left: number[] = [];
      for (let first = heap.first(); first !== undefined; first = heap.first()) {
        equal(heap.rankOf(first), ranks.get(first));
        left.push(ranks.get(first)!);
        heap.remove(first);
        equal(heap.has(first), false);
      }
      deepEqual(left, ascending);
    }),
  );
});
