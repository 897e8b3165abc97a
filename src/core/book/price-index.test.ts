import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PRICE_TICKS_MAX } from '../model/limits.ts';
import { NO_LEVEL, PriceIndex } from './price-index.ts';

/** The obvious index: a sorted array. */
class SortedPrices {
  private readonly entries: { price: number; level: number }[] = [];

  find(price: number): number {
    return this.entries.find((entry) => entry.price === price)?.level ?? NO_LEVEL;
  }

  insert(price: number, level: number): void {
    this.entries.push({ price, level });
    this.entries.sort((a, b) => a.price - b.price);
  }

  remove(price: number): void {
    this.entries.splice(
      this.entries.findIndex((entry) => entry.price === price),
      1,
    );
  }

  take(price: number, upTo: boolean): number[] {
    const taken = this.entries.filter((entry) => (upTo ? entry.price <= price : entry.price >= price));
    for (const entry of taken) this.remove(entry.price);
    return taken.map(({ level }) => level);
  }

  below(price: number): number {
    return this.entries.findLast((entry) => entry.price < price)?.level ?? NO_LEVEL;
  }

  above(price: number): number {
    return this.entries.find((entry) => entry.price > price)?.level ?? NO_LEVEL;
  }
}

/** Extremes, powers of two and their neighbours, a crowded corner, and anything. */
const price = fc.oneof(
  fc.constantFrom(1, 2, 31, 32, 33, PRICE_TICKS_MAX - 1, PRICE_TICKS_MAX),
  fc
    .tuple(fc.integer({ min: 1, max: 29 }), fc.integer({ min: -1, max: 1 }))
    .map(([bits, step]) => Math.max(1, 2 ** bits + step)),
  fc.integer({ min: 6_000_000, max: 6_000_100 }),
  fc.integer({ min: 1, max: PRICE_TICKS_MAX }),
);

test('the index answers as a sorted array does, whatever is inserted and removed', () => {
  fc.assert(
    fc.property(
      fc.array(price, { minLength: 1, maxLength: 200, size: 'max' }),
      fc.array(price, { maxLength: 20 }),
      (moves, probes) => {
        const index = new PriceIndex();
        const sorted = new SortedPrices();
        let level = 0;
        for (const move of moves) {
          if (sorted.find(move) === NO_LEVEL) {
            index.insert(move, level);
            sorted.insert(move, level++);
          } else {
            index.remove(move);
            sorted.remove(move);
          }
          for (const probe of [move, 1, PRICE_TICKS_MAX, ...probes]) {
            equal(index.find(probe), sorted.find(probe));
            equal(index.below(probe), sorted.below(probe));
            equal(index.above(probe), sorted.above(probe));
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('all prices on one side of another are taken at once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ prices: fc.array(price, { maxLength: 60 }), bound: price, upTo: fc.boolean() }), {
        minLength: 1,
        maxLength: 6,
      }),
      (rounds) => {
        const index = new PriceIndex();
        const sorted = new SortedPrices();
        let level = 0;
        for (const { prices, bound, upTo } of rounds) {
          for (const at of prices) {
            if (sorted.find(at) !== NO_LEVEL) continue;
            index.insert(at, level);
            sorted.insert(at, level++);
          }
          const taken = index.take(bound, upTo);
          deepEqual(
            taken.sort((a, b) => a - b),
            sorted.take(bound, upTo).sort((a, b) => a - b),
          );
          for (const probe of [bound, 1, PRICE_TICKS_MAX, ...prices]) {
            equal(index.find(probe), sorted.find(probe));
            equal(index.below(probe), sorted.below(probe));
            equal(index.above(probe), sorted.above(probe));
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('thousands of levels come and go in a crowded range', () => {
  const index = new PriceIndex();
  const present = new Set<number>();
  let seed = 1;
  for (let n = 0; n < 20_000; n++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    const at = 1 + ((seed >>> 8) % 5_000);
    if (present.delete(at)) {
      index.remove(at);
    } else {
      index.insert(at, at);
      present.add(at);
    }
    equal(index.find(at), present.has(at) ? at : NO_LEVEL);
  }
  const sorted = [...present].sort((a, b) => a - b);
  sorted.forEach((at, n) => {
    equal(index.above(at), sorted[n + 1] ?? NO_LEVEL);
    equal(index.below(at), sorted[n - 1] ?? NO_LEVEL);
  });
});

test('the lowest and the highest price see each other across everything', () => {
  const index = new PriceIndex();
  index.insert(1, 7);
  index.insert(PRICE_TICKS_MAX, 8);
  equal(index.above(1), 8);
  equal(index.below(PRICE_TICKS_MAX), 7);
  equal(index.below(1), NO_LEVEL);
  equal(index.above(PRICE_TICKS_MAX), NO_LEVEL);
});

test('an emptied index is empty, and its room is used again', () => {
  const index = new PriceIndex();
  for (let round = 0; round < 100; round++) {
    for (let n = 0; n < 50; n++) index.insert(1 + n * 20_000_003, n);
    if (round % 2 === 0) index.take(PRICE_TICKS_MAX, true);
    else for (let n = 0; n < 50; n++) index.remove(1 + n * 20_000_003);
  }
  equal(index.above(1), NO_LEVEL);
  equal(index.below(PRICE_TICKS_MAX), NO_LEVEL);
  equal((index as unknown as { words: Int32Array }).words.length < 33 * 1024, true);
});
