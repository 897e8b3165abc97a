import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floorRatio } from './safe-integers.ts';
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
