import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CommitLoop } from './commit-loop.ts';
import { journalSettings } from './journal-settings.ts';
import { JournalWriter } from './journal-writer.ts';
import { NodeDisk } from './node-disk.ts';
import { RecordRing } from './record-ring.ts';
import { recover } from './recovery.ts';
import { SharedJournalState } from './shared-journal-state.ts';

const SETTINGS = journalSettings({ segmentBytes: 256 * 1024, prepareStepBytes: 64 * 1024 });

/** The appending thread appends and requests the close just after the writing thread found nothing to write. */
class RingWithLateRecords extends RecordRing {
  readonly #late: () => void;
  #isLate = false;

  constructor(memory: SharedArrayBuffer, late: () => void) {
    super(memory);
    this.#late = late;
  }

  override next(): Uint8Array | undefined {
    const run = super.next();
    if (run === undefined && !this.#isLate) {
      this.#isLate = true;
      this.#late();
    }
    return run;
  }
}

test('a record that was appended before the request to close is written, whenever the writer looks', (context) => {
  const parent = mkdtempSync(join(tmpdir(), 'bourse-log-'));
  context.after(() => rmSync(parent, { recursive: true, force: true }));
  const directory = join(parent, 'data');
  mkdirSync(directory);
  const state = new SharedJournalState(SharedJournalState.allocate());
  const memory = RecordRing.allocate(SETTINGS.queueBytes);
  const ring = new RingWithLateRecords(memory, () => {
    for (const seq of [1, 2]) assert.ok(new RecordRing(memory).push(seq, new Uint8Array([seq])));
    state.requestClose();
  });
  const disk = new NodeDisk(directory, 'hold');
  const { resume } = recover(disk, SETTINGS);
  new CommitLoop(state, ring, new JournalWriter(disk, SETTINGS, resume), SETTINGS).run();
  disk.close();
  assert.equal(state.durableSeq, 2);
  const found = recover(new NodeDisk(directory), SETTINGS).records;
  assert.deepEqual(
    Array.from(found, ({ seq, payload }) => [seq, ...payload]),
    [
      [1, 1],
      [2, 2],
    ],
  );
});
