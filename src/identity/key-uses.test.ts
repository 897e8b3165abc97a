import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey } from './identity.ts';
import { KeyUses } from './key-uses.ts';

test('a use that could not be written is shown, and written the next time', async () => {
  const written: unknown[] = [];
  let hasSpace = false;
  const uses = new KeyUses(async (each) => {
    if (hasSpace) written.push(...each);
    return hasSpace;
  });
  uses.note('bk_1', 7);
  await uses.write();
  const key = { apiKey: 'bk_1', lastUsedTime: 3 } as ApiKey;
  assert.equal(uses.withLast(key).lastUsedTime, 7);
  hasSpace = true;
  await uses.close();
  assert.deepEqual(written, [['bk_1', 7]]);
  assert.equal(uses.withLast(key).lastUsedTime, 3);
});
