import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestTrace, traced } from './request-trace.ts';

class Followed {
  trace: Pick<RequestTrace, 'applied' | 'durable'> | undefined;
}

test('a request is followed while its handler runs, and by nothing that comes after it', async () => {
  const followed = new Followed();
  const trace = new RequestTrace(0.5);
  const behind = traced(followed, trace, async () => {
    followed.trace!.applied(7);
    await Promise.resolve();
    return followed.trace;
  });
  assert.equal(followed.trace, undefined);
  assert.equal(await behind, undefined);
  assert.deepEqual(trace.commands, [7]);
  assert.ok(trace.parsedUs >= 500 && trace.admittedUs >= trace.parsedUs);
  assert.ok(trace.appliedUs >= trace.admittedUs);
});

test('nor after a handler that throws', () => {
  const followed = new Followed();
  const fail = () => {
    throw new Error('broken');
  };
  assert.throws(() => traced(followed, new RequestTrace(0), fail), /broken/);
  assert.equal(followed.trace, undefined);
});

test('without a trace nothing is followed', () => {
  const followed = new Followed();
  assert.equal(
    traced(followed, undefined, () => followed.trace),
    undefined,
  );
});
