import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  add,
  amount,
  compare,
  decimal,
  divide,
  floorTo,
  integer,
  multiply,
  nearest,
  rescale,
  subtract,
  textOf,
  trimmed,
} from './decimal.ts';
import { countdown, fixed, grouped, percent, short, signed, signedPercent } from './format.ts';

const D = amount;

test('sums and products are exact where floats are not', () => {
  assert.equal(textOf(add(D('0.1'), D('0.2'))), '0.3');
  assert.equal(textOf(subtract(D('0.3'), D('0.1'))), '0.2');
  assert.equal(textOf(multiply(D('64218.4'), D('0.25'))), '16054.600');
  assert.equal(trimmed(multiply(D('99999999999.99'), D('1.0001'))), '100009999999.989999');
  assert.equal(textOf(multiply(D('-1.5'), D('2'))), '-3.0');
});

test('a division is cut after the digits asked for, and by zero is nothing', () => {
  assert.equal(textOf(divide(D('1'), D('3'), 4)), '0.3333');
  assert.equal(textOf(divide(D('-1'), D('3'), 2)), '-0.33');
  assert.equal(textOf(divide(D('100.00'), D('0.001'), 0)), '100000');
  assert.equal(textOf(divide(D('1'), D('0'), 4)), '0');
});

test('what is no number is told apart from zero', () => {
  for (const text of ['', '.', '-', 'x', '1e5', '1.2.3', ' 1']) assert.equal(decimal(text), undefined, text);
  assert.deepEqual(decimal('.5'), { units: 5n, scale: 1 });
  assert.deepEqual(decimal('5.'), { units: 5n, scale: 0 });
  assert.deepEqual(decimal('1,234.5'), { units: 12345n, scale: 1 });
});

test('steps: the one below, the nearest, and fewer digits towards zero', () => {
  assert.equal(textOf(floorTo(D('1.2345'), D('0.01'))), '1.2300');
  assert.equal(trimmed(nearest(D('100.26'), D('0.5'))), '100.5');
  assert.equal(trimmed(nearest(D('100.24'), D('0.5'))), '100');
  assert.equal(textOf(rescale(D('-1.239'), 2)), '-1.23');
  assert.equal(compare(D('1.50'), D('1.5')), 0);
  assert.equal(compare(integer(2), D('1.9')), 1);
});

test('numbers as people read them', () => {
  assert.equal(grouped('1234567.8901'), '1,234,567.8901');
  assert.equal(fixed('60274', 1), '60,274.0');
  assert.equal(fixed('0.00001234', 6), '0.000012');
  assert.equal(fixed(undefined, 2), '–');
  assert.equal(signed('-12.345', 2), '−12.34');
  assert.equal(signed('12.3', 2), '+12.30');
  assert.equal(signed('-0.001', 2), '0.00');
  assert.equal(percent('0.142', 1), '14.2 %');
  assert.equal(signedPercent('0.0213', 2), '+2.13 %');
  assert.equal(short('1234567890'), '1.23B');
  assert.equal(short('840000000'), '840M');
  assert.equal(short('12.5'), '12.5');
  assert.equal(short('999'), '999');
  assert.equal(countdown(8_024_000), '02:13:44');
  assert.equal(countdown(-5), '00:00:00');
});
