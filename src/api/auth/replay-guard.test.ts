import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplayGuard } from './replay-guard.ts';

const SIGN = Buffer.alloc(32, 7).toString('base64');
const OTHER = Buffer.alloc(32, 8).toString('base64');

test('a signed request is new once within the window, per key', () => {
  const guard = new ReplayGuard(30_000);
  assert.equal(guard.check('a', SIGN, 0), 'new');
  assert.equal(guard.check('a', SIGN, 1), 'repeated');
  assert.equal(guard.check('b', SIGN, 1), 'new');
  assert.equal(guard.check('a', OTHER, 1), 'new');
  assert.equal(
    guard.check('a', SIGN, 60_000),
    'repeated',
    'as long as a timestamp ahead of the clock is good',
  );
  assert.equal(guard.check('a', SIGN, 60_001), 'new');
});

test('the same signature in another spelling of Base64 is the same', () => {
  const guard = new ReplayGuard(30_000);
  // The last digit before the padding carries two bits that belong to no byte.
  const respelt = `${SIGN.slice(0, 42)}${String.fromCharCode(SIGN.charCodeAt(42) + 1)}=`;
  assert.deepEqual(Buffer.from(respelt, 'base64'), Buffer.from(SIGN, 'base64'));
  assert.notEqual(respelt, SIGN);
  assert.equal(guard.check('a', SIGN, 0), 'new');
  assert.equal(guard.check('a', respelt, 0), 'repeated');
});

test('what is remembered is bounded: a request without room is not let in, and room comes with time', () => {
  const guard = new ReplayGuard(1000, 3);
  const signs = [1, 2, 3, 4].map((byte) => Buffer.alloc(32, byte).toString('base64'));
  assert.deepEqual(
    signs.map((sign, nowMs) => guard.check('a', sign, nowMs)),
    ['new', 'new', 'new', 'full'],
  );
  assert.equal(guard.check('a', signs[3]!, 2001), 'new');
  assert.equal(guard.size, 3);
});
