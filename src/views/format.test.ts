import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatId, parseId } from './format.ts';

const anyId = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

test('an id is printed with 19 digits and read back', () => {
  assert.equal(formatId(1), '1000000000000000001');
  fc.assert(
    fc.property(anyId, (id) => {
      assert.equal(formatId(id).length, 19);
      assert.equal(parseId(formatId(id)), id);
    }),
  );
});

test('printed ids sort as text in the order they were given', () => {
  fc.assert(
    fc.property(anyId, anyId, (a, b) => {
      assert.equal(formatId(a) < formatId(b), a < b);
    }),
  );
});

test('nothing but the printed form is an id', () => {
  const refused = [
    '',
    '1',
    '42',
    '0000000000000000001',
    '2000000000000000001',
    '100000000000000000',
    '10000000000000000001',
    ' 1000000000000000001',
    '1000000000000000001\n',
    '-000000000000000001',
    '1e00000000000000001',
    '1٠00000000000000001',
    // Above 2^53 two ids would read as one.
    '1009007199254740993',
  ];
  for (const text of refused) assert.equal(parseId(text), undefined, text);
  assert.equal(parseId('1009007199254740991'), Number.MAX_SAFE_INTEGER);
});
