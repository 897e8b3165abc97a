import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { amountOf } from './amount.ts';
import { feeOf, rebateOf } from './fees.ts';

const ONE = 10n ** 12n;
const SMALL = 100n * ONE;

/** Rules 4.3 and 13.10 in big integers. */
function byHand(amount: bigint, rate: bigint, floors: boolean): bigint {
  const exact = amount * rate;
  return floors && exact > 0n && exact < SMALL ? (exact + ONE - 1n) / ONE : exact / ONE;
}

const amounts = fc.oneof(
  fc.bigInt(0n, 10n ** 9n),
  fc.bigInt(0n, 2n ** 53n),
  fc.bigInt(2n ** 52n, 2n ** 54n),
  fc.bigInt(0n, 2n ** 90n),
);
const ofEitherSign = fc.oneof(
  amounts,
  amounts.map((amount) => -amount),
);
/** As fee tables have them, and to the last digit. */
const rates = fc.oneof(
  fc.integer({ min: -100, max: 100 }).map((n) => BigInt(n) * 10n ** 8n),
  fc.bigInt(-ONE, ONE),
);

test('a fee is the exact product, truncated, or rounded up where it is small', () => {
  fc.assert(
    fc.property(ofEitherSign, rates, fc.boolean(), (amount, rate, floors) => {
      equal(BigInt(feeOf(amountOf(amount), rate, floors)), byHand(amount, rate, floors));
    }),
    { numRuns: 5000 },
  );
});

test('products next to the bound of small fees are rounded by their own side of it', () => {
  for (const [amount, rate] of [
    [99_999_999n, 1_000_000n],
    [100_000_000n, 1_000_000n],
    [100_000_001n, 1_000_000n],
    [1n, 1n],
    [0n, ONE],
  ] as const) {
    equal(BigInt(feeOf(Number(amount), rate, true)), byHand(amount, rate, true));
    equal(BigInt(feeOf(Number(amount), -rate, true)), byHand(amount, -rate, true));
  }
});

test('a rebate takes its share of the other fee, rounded up; a fee takes nothing', () => {
  fc.assert(
    fc.property(amounts, rates, (amount, rate) => {
      const share = amount * -rate;
      equal(BigInt(rebateOf(amountOf(amount), rate)), rate < 0n ? (share + ONE - 1n) / ONE : 0n);
    }),
  );
});
