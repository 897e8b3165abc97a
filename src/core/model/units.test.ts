/** The rounding rules with worked numbers (rules 0.3, 0.4). */
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { divCeil, divFloor, divHalf, divTrunc, formatUnits, parseUnits, RATE_ONE } from './units.ts';

const money = (text: string) => parseUnits(text, 8)!;
const rate = (text: string) => parseUnits(text, 12)!;

test('a fee is truncated: 0.00531168 x 0.001 is 0.00000531', () => {
  equal(formatUnits(divTrunc(money('0.00531168') * rate('0.001'), RATE_ONE), 8), '0.00000531');
});

test('a fee below the last place is 0, a rebate too', () => {
  equal(divTrunc(money('0.00000009') * rate('0.001'), RATE_ONE), 0n);
  equal(divTrunc(money('0.00000009') * rate('-0.001'), RATE_ONE), 0n);
});

test('interest is rounded up: 0.0000033811 is shown as 0.00000339', () => {
  equal(divCeil(33_811n, 100n), 339n);
});

test('a percentage is rounded half away from zero: 0.0000337 is 0.00003', () => {
  equal(formatUnits(divHalf(337n, 100n), 5), '0.00003');
  equal(divHalf(25n, 10n), 3n);
  equal(divHalf(-25n, 10n), -3n);
  equal(divHalf(25n, -10n), -3n);
  equal(divHalf(24n, 10n), 2n);
  equal(divHalf(-24n, 10n), -2n);
});

test('floor and ceil go down and up on both sides of zero', () => {
  equal(divFloor(-7n, 2n), -4n);
  equal(divFloor(7n, -2n), -4n);
  equal(divFloor(7n, 2n), 3n);
  equal(divFloor(-8n, 2n), -4n);
  equal(divCeil(-7n, 2n), -3n);
  equal(divCeil(7n, 2n), 4n);
  equal(divCeil(-7n, -2n), 4n);
  equal(divCeil(8n, 2n), 4n);
});

test('every rounding is within one of the exact quotient, on its side', () => {
  const divisor = fc.bigInt({ min: -1000n, max: 1000n }).filter((d) => d !== 0n);
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), divisor, (a, b) => {
      // a/b <= q is a*|b| <= q*b*|b|/b: compare after making the divisor positive.
      const [n, d] = b < 0n ? [-a, -b] : [a, b];
      const floor = divFloor(a, b);
      const ceil = divCeil(a, b);
      const half = divHalf(a, b);
      equal(floor * d <= n && n < (floor + 1n) * d, true);
      equal(ceil * d >= n && n > (ceil - 1n) * d, true);
      const distance = half * d - n;
      equal((distance < 0n ? -distance : distance) * 2n <= d, true);
      equal(divTrunc(a, b), n < 0n ? ceil : floor);
    }),
  );
});

test('decimals are written without exponent, trailing zeros or a negative zero', () => {
  equal(formatUnits(0n, 8), '0');
  equal(formatUnits(-0n, 8), '0');
  equal(formatUnits(1n, 8), '0.00000001');
  equal(formatUnits(-1n, 8), '-0.00000001');
  equal(formatUnits(100_000_000n, 8), '1');
  equal(formatUnits(-150_000_000n, 8), '-1.5');
  equal(formatUnits(1_000n, 0), '1000');
  equal(formatUnits(10n ** 38n, 8), `1${'0'.repeat(30)}`);
});

test('decimals are read exactly or not at all', () => {
  equal(parseUnits('0.1', 8), 10_000_000n);
  equal(parseUnits('-0.5', 2), -50n);
  equal(parseUnits('-0', 2), 0n);
  equal(parseUnits('1.500', 1), 15n);
  equal(parseUnits('1.25', 1), undefined);
  equal(parseUnits('9007199254740993', 0), 9_007_199_254_740_993n);
  for (const hazard of [
    '',
    '.',
    '.5',
    '5.',
    '+1',
    '1e3',
    '0x10',
    '01',
    '00',
    ' 1',
    '1 ',
    '1,5',
    '1_0',
    '--1',
    'NaN',
    'Infinity',
    '١',
    '1\n',
  ]) {
    equal(parseUnits(hazard, 8), undefined, JSON.stringify(hazard));
  }
});

test('what is written can be read again', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n }),
      fc.integer({ min: 0, max: 12 }),
      (units, scale) => {
        equal(parseUnits(formatUnits(units, scale), scale), units);
      },
    ),
  );
});
