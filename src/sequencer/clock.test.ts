import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock, ScaledClock, WallClock } from './clock.ts';
import { openClock, readClockChoice } from './clock-choice.ts';
import { formatDuration, parseDuration } from './duration.ts';

test('a clock is named wall, manual or scaled with a whole factor', () => {
  for (const good of ['wall', 'manual', 'scaled:1', 'scaled:3600']) assert.equal(readClockChoice(good), good);
  for (const bad of ['', 'Wall', 'scaled', 'scaled:', 'scaled:0', 'scaled:1.5', 'scaled:3601', 'scaled:-2'])
    assert.equal(readClockChoice(bad), undefined, bad);
});

test('a scaled clock runs from its start by the monotonic timer alone', () => {
  let timer = 5000;
  const clock = new ScaledClock(1_000_000, 60, () => timer);
  assert.equal(clock.now(), 1_000_000);
  timer += 1500;
  assert.equal(clock.now(), 1_090_000);
});

test('a new venue begins at the start that was asked for, an old one where it left off', () => {
  const wall = new WallClock(
    () => 9_000_000,
    () => 0,
  );
  assert.equal(openClock('wall', 5, 7, wall), wall);
  assert.equal(openClock('manual', 0, 0, wall).now(), 9_000_000);
  assert.equal(openClock('manual', 0, 7_000_000, wall).now(), 7_000_000);
  const resumed = openClock('manual', 8_000_000, 7_000_000, wall);
  assert.ok(resumed instanceof ManualClock);
  assert.equal(resumed.now(), 8_000_000);
});

test('spans of time are read and written as people do', () => {
  assert.equal(parseDuration('8h'), 28_800_000);
  assert.equal(parseDuration('1d12h'), 129_600_000);
  assert.equal(parseDuration('90s250ms'), 90_250);
  for (const bad of ['', '8', 'h', '8 h', '-1h', '1.5h', '8H'])
    assert.equal(parseDuration(bad), undefined, bad);
  assert.equal(formatDuration(129_600_000), '1d12h');
  assert.equal(formatDuration(61_001), '1m1s1ms');
  assert.equal(formatDuration(0), '0s');
});
