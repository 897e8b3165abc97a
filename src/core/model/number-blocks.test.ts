import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { NumberBlocks } from './number-blocks.ts';

const PAGE = 20;

test('blocks lie side by side, and a page that has no room for one is left', () => {
  const blocks = new NumberBlocks(PAGE);
  const [one, other, third] = [blocks.take(8), blocks.take(8), blocks.take(8)];
  equal(one.numbers, other.numbers);
  deepEqual([one.base, other.base, third.base], [0, 8, 0]);
  notEqual(third.numbers, one.numbers);
});

test('a block may be larger than a page', () => {
  const { numbers, base } = new NumberBlocks(PAGE).take(2 * PAGE);
  deepEqual([numbers.length, base], [2 * PAGE, 0]);
});

test('a block that was given back is the next of its size, empty', () => {
  const blocks = new NumberBlocks(PAGE);
  const block = blocks.take(4);
  blocks.take(4);
  block.numbers.fill(7, block.base, block.base + 4);
  blocks.giveBack(block, 4);
  equal(blocks.take(5).base, 8);
  const again = blocks.take(4);
  deepEqual([again.numbers, again.base], [block.numbers, block.base]);
  deepEqual([...again.numbers.subarray(again.base, again.base + 4)], [0, 0, 0, 0]);
});
