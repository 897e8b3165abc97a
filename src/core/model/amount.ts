/**
 * An amount of money in 10^-8: a `number` where that is exact, else a `bigint`. Nearly all amounts are exact numbers, which cost
 * no allocation. Comparisons with < and > may mix the two, not those with ===; sums, differences and shares are made here, and those of
 * big integers stay such until `amountOf`.
 */
import { exact, floorRatio } from './safe-integers.ts';
import { divFloor } from './units.ts';

export type Amount = number | bigint;

/** A number for further arithmetic, NaN when it would not be exact. */
export function numberOf(amount: Amount): number {
  return typeof amount === 'number' ? amount : exact(Number(amount));
}

/** The same amount, a number where that is exact. */
export function amountOf(amount: Amount): Amount {
  const number = numberOf(amount);
  return Number.isNaN(number) ? amount : number;
}

export function sumOf(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = exact(a + b);
    if (!Number.isNaN(sum)) return sum;
  }
  return BigInt(a) + BigInt(b);
}

export function differenceOf(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = exact(a - b);
    if (!Number.isNaN(difference)) return difference;
  }
  return BigInt(a) - BigInt(b);
}

/** `floor` of amount x m / d, for exact numbers m and d above zero. */
export function shareOf(amount: Amount, m: number, d: number): Amount {
  const share = floorRatio(numberOf(amount), m, d);
  return Number.isNaN(share) ? divFloor(BigInt(amount) * BigInt(m), BigInt(d)) : share;
}
