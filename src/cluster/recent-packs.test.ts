import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredPack } from './engine.ts';
import { RecentPacks } from './recent-packs.ts';

test('the last packs stay, as many as fit, without gaps', () => {
  const recent = new RecentPacks(10_000);
  const numbers = () => recent.all().map(({ no }) => no);
  assert.deepEqual(numbers(), []);
  for (let no = 1; no <= 1_000; no++) {
    recent.note({ no, body: new Uint8Array(488) } as StoredPack);
    const first = Math.max(1, no - 9);
    assert.deepEqual(
      numbers(),
      Array.from({ length: no - first + 1 }, (_, n) => first + n),
    );
  }
  recent.note({ no: 1_001, body: new Uint8Array(20_000) } as StoredPack);
  assert.deepEqual(numbers(), [], 'one that is larger than all');
});
