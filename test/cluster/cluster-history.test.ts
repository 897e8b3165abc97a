/** A node that starts while nobody writes the history, because the writer was just killed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterHistory } from '../../src/cluster/cluster-history.ts';
import type { OpenHistory } from '../../src/history/linked-history.ts';

test('what was generated is read while the history is behind; what commands made is not', async () => {
  const asked: string[] = [];
  const reader = {
    read: async (name: string) => {
      asked.push(name);
      return [];
    },
  } as unknown as OpenHistory;
  const history = new ClusterHistory(
    {
      reader,
      openWriter: () => Promise.reject(new Error('not asked')),
      storedSeq: async () => 1,
      wantStored: () => {},
    },
    1,
  );
  history.isStarting = false;
  history.project({ seq: 2, time: 0, events: [] });
  assert.deepEqual(await history.generatedBooks(), []);
  await assert.rejects(history.latestOrderByClientOid(1, 'a'), { name: 'HistoryUnavailable' });
  assert.deepEqual(asked, ['generatedBooks']);
});
