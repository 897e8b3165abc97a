import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestTimer, timed } from './request-timer.ts';

class Followed {
  timing: Pick<RequestTimer, 'applied' | 'durable'> | undefined;
}

test('a request is followed while its handler runs, and by nothing that comes after it', async () => {
  const followed = new Followed();
  const timing = new RequestTimer(0.5);
  const behind = timed(followed, timing, async () => {
    followed.timing!.applied(7);
    await Promise.resolve();
    return followed.timing;
  });
  assert.equal(followed.timing, undefined);
  assert.equal(await behind, undefined);
  assert.deepEqual(timing.commands, [7]);
  assert.ok(timing.parsedUs >= 500 && timing.admittedUs >= timing.parsedUs);
  assert.ok(timing.appliedUs >= timing.admittedUs);
});

test('nor after a handler that throws', () => {
  const followed = new Followed();
  const fail = () => {
    throw new Error('broken');
  };
  assert.throws(() => timed(followed, new RequestTimer(0), fail), /broken/);
  assert.equal(followed.timing, undefined);
});

test('without a timing nothing is followed', () => {
  const followed = new Followed();
  assert.equal(
    timed(followed, undefined, () => followed.timing),
    undefined,
  );
});
