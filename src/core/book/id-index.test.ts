import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IdIndex } from './id-index.ts';

/** Consecutive ids as they are given, ids that share a hash, and ids beyond 32 bits. */
const id = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 1, max: 300 }).map((n) => n + 2 ** 32),
  fc.integer({ min: 1, max: 300 }).map((n) => n * 2 ** 27),
  fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
);

test('the index answers as a Map does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(id, fc.nat(1_000_000)), { minLength: 1, maxLength: 2000, size: 'max' }),
      (moves) => {
        const index = new IdIndex();
        const map = new Map<number, number>();
        for (const [key, slot] of moves) {
          if (map.has(key)) {
            index.delete(key);
            map.delete(key);
          } else {
            index.set(key, slot);
            map.set(key, slot);
          }
          equal(index.get(key), map.get(key) ?? -1);
        }
        for (const [key] of moves) equal(index.get(key), map.get(key) ?? -1);
      },
    ),
    { numRuns: 50 },
  );
});

test('a long life of orders that come and go leaves every open one to be found', () => {
  const index = new IdIndex();
  const open: number[] = [];
  let seed = 1;
  for (let next = 1; next <= 50_000; next++) {
    index.set(next, next % 1000);
    open.push(next);
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    if (open.length > 3000 || seed % 3 === 0) {
      const [gone] = open.splice((seed >>> 8) % open.length, 1);
      index.delete(gone!);
      equal(index.get(gone!), -1);
    }
  }
  for (const openId of open) equal(index.get(openId), openId % 1000);
});

test('while entries move to a larger table every open id is found, and those that go meanwhile are not', () => {
  const index = new IdIndex();
  const open = new Map<number, number>();
  let seed = 7;
  const draw = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed;
  };
  // The first table is full with 1,024; the next holds them all after so many more.
  for (let n = 0; n < 1300; n++) {
    const drawn = 1 + draw();
    if (open.has(drawn)) continue;
    index.set(drawn, n);
    open.set(drawn, n);
    if (n < 1020) continue;
    if (n % 3 === 0) {
      const gone = [...open.keys()][draw() % open.size]!;
      index.delete(gone);
      open.delete(gone);
      equal(index.get(gone), -1);
    }
    for (const [id, slot] of open) equal(index.get(id), slot);
  }
});

test('deleting an unknown id changes nothing; clearing forgets all', () => {
  const index = new IdIndex();
  index.set(1, 10);
  index.delete(2);
  equal(index.get(1), 10);
  index.clear();
  equal(index.get(1), -1);
  index.set(1, 11);
  equal(index.get(1), 11);
});
