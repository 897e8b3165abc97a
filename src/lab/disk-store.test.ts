import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import type { HistoryCopies } from '../history/history.ts';
import { DiskStore } from './disk-store.ts';
import type { Image, SnapshotFacts } from './snapshot.ts';

const FACTS = { name: 'one', taken: 1, seq: 1, time: 1 } as unknown as SnapshotFacts;
const FULL = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

/** Its identity cannot be written. */
const UNWRITABLE = {
  get identity(): never {
    throw FULL;
  },
} as unknown as Image;

test('a snapshot that finds no space waits for the copy of the history before it is removed', async () => {
  const store = new DiskStore(temporaryDirectory());
  const copied = Promise.withResolvers<void>();
  let place = '';
  const copies = {
    copyTo: (path: string) => {
      place = dirname(path);
      return copied.promise;
    },
  } as unknown as HistoryCopies;
  const saved = assert.rejects(store.save(FACTS, UNWRITABLE, copies), FULL);
  await nextTurn();
  assert.ok(existsSync(place), 'the history still writes there');
  copied.reject(new Error('history cannot answer: ENOSPC'));
  await saved;
  assert.ok(!existsSync(place));
});

test('a branch whose log cannot be begun fails for that reason, whatever becomes of its files', async (context) => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.prependListener('unhandledRejection', note);
  const { open } = fsPromises;
  context.after(() => {
    process.off('unhandledRejection', note);
    Object.assign(fsPromises, { open });
    syncBuiltinESMExports();
  });
  const data = temporaryDirectory();
  const snapshot = join(data, 'lab/snapshots/one');
  mkdirSync(snapshot, { recursive: true });
  writeFileSync(join(snapshot, 'snapshot.json'), JSON.stringify(FACTS));
  writeFileSync(join(snapshot, 'history.sqlite'), '');
  const store = new DiskStore(data);
  Object.assign(fsPromises, { open: async () => Promise.reject(FULL) });
  syncBuiltinESMExports();
  await assert.rejects(store.begin('one', 1), { code: 'ENOENT' });
  await nextTurn();
  assert.deepEqual(unhandled, []);
});
