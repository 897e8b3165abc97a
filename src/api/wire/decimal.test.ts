import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatUnits } from '../../core/model/units.ts';
import { exactUnits, parseDecimal, parseInteger, unitsAtScale } from './decimal.ts';

test('decimal text becomes exact units without trailing zeros', () => {
  assert.deepEqual(parseDecimal('65000.00012345'), { units: 6500000012345n, scale: 8 });
  assert.deepEqual(parseDecimal('1.50'), { units: 15n, scale: 1 });
  assert.deepEqual(parseDecimal('1.000'), { units: 1n, scale: 0 });
  assert.deepEqual(parseDecimal('0'), { units: 0n, scale: 0 });
  assert.deepEqual(parseDecimal('0.0'), { units: 0n, scale: 0 });
  assert.deepEqual(parseDecimal('100'), { units: 100n, scale: 0 });
  assert.deepEqual(parseDecimal('999999999999999999.999999999999999999'), {
    units: 999999999999999999999999999999999999n,
    scale: 18,
  });
});

test('JSON numbers count when they print without an exponent and lost no digits', () => {
  assert.deepEqual(parseDecimal(1.5), { units: 15n, scale: 1 });
  assert.deepEqual(parseDecimal(51000), { units: 51000n, scale: 0 });
  assert.deepEqual(parseDecimal(0.000001), { units: 1n, scale: 6 });
  assert.equal(parseDecimal(0.0000001), undefined);
  assert.equal(parseDecimal(1e21), undefined);
  assert.equal(parseDecimal(Number.NaN), undefined);
  assert.equal(parseDecimal(-1), undefined);
  assert.deepEqual(parseDecimal(-0), { units: 0n, scale: 0 });
});

/** reliability 3.3: what the language accepts, and a door must not. */
test('the known parsing hazards are real, and none of them is a decimal or an integer here', () => {
  const accepted: ReadonlyArray<readonly [unknown, unknown, unknown]> = [
    [Number('1e999'), Number.POSITIVE_INFINITY, '1e999'],
    [Number(''), 0, ''],
    [Number(' 12 '), 12, ' 12 '],
    [Number('0x10'), 16, '0x10'],
    [Number('00012.5'), 12.5, '00012.5'],
    [Number('5.'), 5, '5.'],
    [Number([]), 0, []],
    [Number(['7']), 7, ['7']],
    [BigInt(''), 0n, ''],
    [BigInt(' 12 '), 12n, ' 12 '],
    [BigInt('0x10'), 16n, '0x10'],
    [BigInt('+5'), 5n, '+5'],
    [JSON.parse('1e999'), Number.POSITIVE_INFINITY, JSON.parse('1e999')],
    [JSON.parse('12345678901234567890'), 12345678901234567000, JSON.parse('12345678901234567890')],
    [Number.parseInt('9007199254740993', 10), 9007199254740992, 9007199254740992],
    [Number.parseFloat('12abc'), 12, '12abc'],
    ['１２'.normalize('NFKC'), '12', '１２'],
  ];
  for (const [languageSays, asKnown, input] of accepted) {
    assert.equal(languageSays, asKnown);
    assert.equal(parseDecimal(input), undefined, `decimal ${String(input)}`);
    assert.equal(parseInteger(input, 0, Number.MAX_SAFE_INTEGER), undefined, `integer ${String(input)}`);
  }
});

test('other spellings that are no decimal', () => {
  const spellings = [
    '-1',
    '+1',
    '.5',
    '1_000',
    '1,5',
    '01',
    '1.',
    '1e5',
    'NaN',
    'Infinity',
    '1.5\n',
    '1\u0000',
    '٣',
  ];
  for (const text of [...spellings, '1'.repeat(19), `0.${'1'.repeat(19)}`, '9'.repeat(1_000_000)]) {
    assert.equal(parseDecimal(text), undefined, text.slice(0, 40));
  }
  for (const value of [null, undefined, true, {}, 5n, { toString: () => '5' }]) {
    assert.equal(parseDecimal(value), undefined);
  }
});

test('a decimal fits a scale or is refused, never rounded', () => {
  assert.equal(unitsAtScale({ units: 15n, scale: 1 }, 8), 150000000n);
  assert.equal(unitsAtScale({ units: 15n, scale: 1 }, 1), 15n);
  assert.equal(unitsAtScale({ units: 15n, scale: 1 }, 0), undefined);
});

test('units print without exponent, trailing zeros or minus zero', () => {
  assert.equal(formatUnits(0n, 8), '0');
  assert.equal(formatUnits(-0n, 0), '0');
  assert.equal(formatUnits(1n, 8), '0.00000001');
  assert.equal(formatUnits(-1n, 8), '-0.00000001');
  assert.equal(formatUnits(150000000n, 8), '1.5');
  assert.equal(formatUnits(100n, 0), '100');
  assert.equal(formatUnits(-1234500n, 4), '-123.45');
  assert.equal(formatUnits(10n ** 30n, 8), '10000000000000000000000');
});

test('what is printed is read back as the same value', () => {
  const units = fc.bigInt({ min: 0n, max: 10n ** 26n - 1n });
  fc.assert(
    fc.property(units, fc.integer({ min: 8, max: 18 }), (value, scale) => {
      const parsed = parseDecimal(formatUnits(value, scale));
      assert.ok(parsed !== undefined);
      assert.equal(unitsAtScale(parsed, scale), value);
    }),
  );
});

test('integers are plain digits within their range', () => {
  assert.equal(parseInteger('100', 1, 100), 100);
  assert.equal(parseInteger('007', 0, 10), 7);
  assert.equal(parseInteger(20, 1, 100), 20);
  assert.equal(parseInteger('9007199254740991', 0, Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  for (const text of ['0', '101', '-1', '1.0', '1e2', '9007199254740993', '12345678901234567', '1 ', '']) {
    assert.equal(parseInteger(text, 1, text.length > 3 ? Number.MAX_VALUE : 100), undefined, text);
  }
});

/** Well formed and not, short and long. */
const texts = fc.oneof(
  fc.stringMatching(/^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$/),
  fc.stringMatching(/^(0|[1-9][0-9]{0,8})\.[0-9]{1,3}0{0,4}$/),
  fc.stringMatching(/^[0-9.]{0,18}$/),
  fc.stringMatching(/^[-+e 0-9.]{0,6}$/),
  fc.constantFrom(
    '',
    '.',
    '0',
    '00',
    '0.',
    '.5',
    '5.',
    '1.2.3',
    '9007199254740991',
    '9007199254740992',
    '１',
  ),
);

test('short decimals are the same units as numbers, or are left to big integers', () => {
  fc.assert(
    fc.property(texts, fc.nat(10), (text, scale) => {
      const units = exactUnits(text, scale);
      const decimal = parseDecimal(text);
      const exact = decimal === undefined ? undefined : unitsAtScale(decimal, scale);
      if (!Number.isNaN(units)) assert.equal(BigInt(units), exact);
      else if (exact !== undefined && text.length <= 12) assert.ok(exact > 2n ** 53n - 1n, `left ${text}`);
    }),
    { numRuns: 20_000 },
  );
});
