import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Amount, differenceOf, numberOf, sumOf } from './amount.ts';

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
