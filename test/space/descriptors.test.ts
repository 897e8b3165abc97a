/** What a process that may open few files does about it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryGuard, type MemoryUse } from '../../src/app/observability/memory-guard.ts';
import { connectionsWithin, descriptorLimit } from '../../src/app/start/descriptors.ts';

test('memory that cannot be looked at is looked at again later', () => {
  let use: MemoryUse | undefined;
  const watch = new MemoryGuard(
    () => {
      if (use !== undefined) return use;
      throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
    },
    { short: () => assert.fail('nothing is known to be short'), leave: () => assert.fail('nothing is full') },
  );
  watch.check();
  use = { process: 0.1, heap: 0.1 };
  watch.check();
  watch.stop();
});

test('connections get what files leave, and too little is refused with what to do', () => {
  assert.equal(connectionsWithin(undefined, 40), undefined);
  assert.equal(connectionsWithin(1024, 40), 1024 - 40 - 112);
  assert.throws(() => connectionsWithin(128, 40), {
    name: 'CannotStart',
    message: /may open 128 files and sockets; it needs at least 168\. Raise the limit \(ulimit -n/,
  });
  const limit = descriptorLimit();
  if (process.platform !== 'win32' && limit !== undefined) assert.ok(limit >= 64, String(limit));
});
