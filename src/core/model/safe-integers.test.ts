import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ceilShares, ceilValue, floorRatio, floorShare, floorValue } from './safe-integers.ts';
import { divFloor } from './units.ts';

const RATE = 1e12;
const LARGEST = Number.MAX_SAFE_INTEGER;

/** Whole numbers of every length, the same in each run. */
function* numbers(count: number): Generator<number> {
  let seed = 12_345;
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed / 2 ** 32;
  };
  for (let n = 0; n < count; n++) yield Math.floor(next() * 2 ** Math.floor(1 + next() * 53));
}

test('a ratio in numbers is that of big integers, or none', () => {
  const all = [0, 1, 2, 3, 10 ** 8, RATE - 1, RATE, RATE + 1, LARGEST - 1, LARGEST, ...numbers(400)];
  let [known, unknown] = [0, 0];
  for (const a of all) {
    for (const d of all) {
      if (d === 0) continue;
      for (const [dividend, factor] of [
        [a, RATE],
        [-a, RATE],
        [d, a + 1],
        [a - d, d],
      ] as const) {
        const exact = divFloor(BigInt(dividend) * BigInt(factor), BigInt(d));
        const found = floorRatio(dividend, factor, d);
        if (Number.isNaN(found)) {
          assert.ok(exact > 2n ** 49n || exact < -(2n ** 49n), `${dividend} x ${factor} / ${d}`);
          unknown++;
        } else {
          assert.ok(BigInt(found) === exact, `${dividend} x ${factor} / ${d} is ${exact}, not ${found}`);
          known++;
        }
      }
    }
  }
  assert.ok(known > 100_000 && unknown > 10_000, `${known} ${unknown}`);
});

test('values at a price and shares are those of big integers, or none', () => {
  const all = [0, 1, 2, 3, 10 ** 8 - 1, 10 ** 8, 10 ** 8 + 1, LARGEST - 1, LARGEST, ...numbers(400)];
  const ONE = 10n ** 8n;
  const counted = { known: 0, unknown: 0 };
  const compare = (found: number, exact: bigint, what: string) => {
    if (Number.isNaN(found)) counted.unknown++;
    else {
      assert.ok(BigInt(found) === exact, `${what} is ${exact}, not ${found}`);
      counted.known++;
    }
    // Whoever gets none computes in big integers, which must be rare.
    if (Number.isNaN(found)) assert.ok(exact > 2n ** 53n - 1n || exact < -(2n ** 53n - 1n), what);
  };
  for (const amount of all) {
    for (const price of all) {
      for (const signed of [amount, -amount]) {
        const product = BigInt(signed) * BigInt(price);
        compare(floorValue(signed, price), divFloor(product, ONE), `floor of ${signed} at ${price}`);
        compare(ceilValue(signed, price), -divFloor(-product, ONE), `ceil of ${signed} at ${price}`);
      }
      const [m, d, other, n] = [1 + (price % 997), 1000, price % 10 ** 6, 3];
      const share = BigInt(amount) * BigInt(m);
      compare(floorShare(amount, m, d), divFloor(share, BigInt(d)), `${amount} x ${m} / ${d}`);
      const shares = share + BigInt(other) * BigInt(n);
      compare(
        ceilShares(amount, m, other, n, d),
        -divFloor(-shares, BigInt(d)),
        `${amount} x ${m}, ${other} x ${n}`,
      );
    }
  }
  assert.ok(counted.known > 500_000 && counted.unknown > 10_000, JSON.stringify(counted));
});
