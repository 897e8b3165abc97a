import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Amount, differenceOf, numberOf, shareOf, sumOf } from './amount.ts';
import { divFloor } from './units.ts';

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const amounts: fc.Arbitrary<Amount> = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt(-(2n ** 70n), 2n ** 70n),
  fc.bigInt(SAFE - 2n, SAFE + 2n),
);

test('sums and differences are those of big integers', () => {
  fc.assert(
    fc.property(amounts, amounts, (a, b) => {
      equal(BigInt(sumOf(a, b)), BigInt(a) + BigInt(b));
      equal(BigInt(differenceOf(a, b)), BigInt(a) - BigInt(b));
    }),
  );
});

test('a number is the amount itself, or NaN where it would not be exact', () => {
  fc.assert(
    fc.property(amounts, (amount) => {
      const exact = BigInt(amount) >= -SAFE && BigInt(amount) <= SAFE;
      equal(numberOf(amount), exact ? Number(amount) : Number.NaN);
    }),
  );
});

test('a share of an amount is that of big integers, rounded down', () => {
  const factor = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 2 ** 45 }));
  fc.assert(
    fc.property(amounts, factor, factor, (amount, m, d) => {
      equal(BigInt(shareOf(amount, m, d)), divFloor(BigInt(amount) * BigInt(m), BigInt(d)));
    }),
    { numRuns: 5000 },
  );
});
