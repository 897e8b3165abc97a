import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decay, exp, expSmall, log } from './deterministic-math.ts';
import { Rng } from './rng.ts';

const close = (a: number, b: number) => Math.abs(a - b) <= 4e-15 * Math.max(1, Math.abs(b));

test('exponential and logarithm are what mathematics says, to the last digits', () => {
  for (let x = -30; x <= 30; x += 0.37) assert.ok(close(exp(x) / Math.exp(x), 1), `exp ${x}`);
  for (const x of [1e-9, 0.003, 0.5, 1, 1.5, 2, 10, 60_000, 1e15])
    assert.ok(close(log(x), Math.log(x)), `log ${x}`);
  for (let x = -0.02; x <= 0.02; x += 0.001)
    assert.ok(Math.abs(expSmall(x) - Math.exp(x)) < 1e-13, `small ${x}`);
  assert.ok(close(decay(10, 10), 0.5));
  assert.equal(exp(-800), 0);
});

test('dice of one seed and name always fall the same, and others otherwise', () => {
  const rolls = (seed: number, name: string) => {
    const rng = new Rng(seed, name);
    return Array.from({ length: 5 }, () => rng.next());
  };
  assert.deepEqual(rolls(1, 'a'), rolls(1, 'a'));
  assert.notDeepEqual(rolls(1, 'a'), rolls(2, 'a'));
  assert.notDeepEqual(rolls(1, 'a'), rolls(1, 'b'));
  // Written down: another machine must roll these too.
  assert.deepEqual(
    rolls(1, 'market').map((roll) => Math.floor(roll * 1e6)),
    PINNED,
  );
});

const PINNED = [966799, 412574, 404797, 5231, 392221];

test('normal rolls have mean 0 and deviation 1, waiting times their mean', () => {
  const rng = new Rng(7, 'normal');
  let sum = 0;
  let square = 0;
  let waited = 0;
  const count = 20_000;
  for (let n = 0; n < count; n++) {
    const roll = rng.normal();
    sum += roll;
    square += roll * roll;
    waited += rng.exponential(3);
  }
  assert.ok(Math.abs(sum / count) < 0.03);
  assert.ok(Math.abs(square / count - 1) < 0.05);
  assert.ok(Math.abs(waited / count - 3) < 0.1);
});
