import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UidPlaces } from './uid-places.ts';

/** Neighbours, with a gap or a step back now and then; over the edges of several pages. */
const uids = fc
  .tuple(
    fc.constantFrom(1, 1000, 1_000_000_001, 2 ** 40),
    fc.array(fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, fc.integer({ min: -30, max: 1500 })), {
      maxLength: 300,
    }),
  )
  .map(([first, steps]) => {
    let uid = first;
    return [...new Set([first, ...steps.map((step) => (uid = Math.max(1, uid + step)))])];
  });

test('every uid has the place that it was given, and its neighbours have none', () => {
  fc.assert(
    fc.property(uids, (given) => {
      const places = new UidPlaces();
      const expected = new Map<number, number>();
      for (const uid of given) {
        places.set(uid, expected.size);
        expected.set(uid, expected.size);
      }
      for (const uid of given)
        for (const near of [uid - 1, uid, uid + 1, uid + 1024])
          assert.equal(places.get(near), expected.get(near) ?? -1, String(near));
    }),
  );
});
