import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IdHeap } from './id-heap.ts';

test('ids are taken in ascending order, and those that are left can be listed at any time', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.maxSafeNat(), { maxLength: 300, size: 'max' }), (ids) => {
      const heap = new IdHeap(Float64Array.from(ids));
      const sorted = ids.toSorted((a, b) => a - b);
      for (let taken = 0; taken < sorted.length; taken++) {
        equal(heap.size, sorted.length - taken);
        if (taken % 16 === 0) deepEqual([...heap.ascending()], sorted.slice(taken));
        equal(heap.first(), sorted[taken]);
        heap.takeFirst();
      }
      equal(heap.first(), undefined);
      equal(heap.size, 0);
    }),
  );
});
