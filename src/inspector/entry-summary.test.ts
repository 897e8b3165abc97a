import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timesOf } from './entry-summary.ts';
import type { Entry } from './recorder.ts';

const REACHED = { parsedUs: 100, admittedUs: 300, appliedUs: 350, durableUs: 900, commands: [7] };
const took = (tookMs: number, steps: Partial<Entry>) => timesOf({ tookMs, ...steps } as Entry);

test('each step is given the time since the one before it', () => {
  assert.deepEqual(took(1, REACHED), {
    parse: 0.1,
    authenticate: 0.2,
    apply: 0.05,
    durable: 0.55,
    answer: 0.1,
  });
});

test('a step that was not taken is none, and its time belongs to the next', () => {
  const read = { ...REACHED, appliedUs: 0, durableUs: 0, commands: [] };
  assert.deepEqual(took(1, read), { parse: 0.1, authenticate: 0.2, apply: null, durable: null, answer: 0.7 });
  assert.equal(took(1, { parsedUs: 0 }), null);
});
