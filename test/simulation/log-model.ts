import assert from 'node:assert/strict';
import type { Recovered } from '../../src/journal/command-journal.ts';
import type { Disk } from '../../src/journal/disk.ts';
import {
  openSyncJournal,
  type SyncJournal,
  type SyncJournalOptions,
} from '../../src/journal/sync-journal.ts';

/** Small segments and queues, so that a short test crosses every boundary. */
export const SMALL: SyncJournalOptions = {
  segmentBytes: 64 * 1024,
  queueBytes: 32 * 1024,
  payloadBytesMax: 4 * 1024,
  batchBytesMax: 16 * 1024,
  prepareStepBytes: 16 * 1024,
  replayBytesMax: 128 * 1024,
  newInstanceId: () => new Uint8Array(16).fill(0xb0),
};

/** What a client of the log knows: everything appended, and how far it was acknowledged. */
export class LogModel {
  readonly appended: Uint8Array[] = [];
  acknowledgedSeq = 0;

  open(disk: Disk, options: SyncJournalOptions = SMALL): Recovered<SyncJournal> {
    const recovered = openSyncJournal(disk, options);
    this.check(recovered);
    recovered.journal.onDurable((seq) => {
      this.acknowledgedSeq = seq;
    });
    return recovered;
  }

  append(journal: SyncJournal, payload: Uint8Array): void {
    const seq = journal.append(payload);
    assert.equal(seq, this.appended.length + 1);
    this.appended.push(payload.slice());
  }

  /** No acknowledged record is missing, none is changed, none appears that was never appended. */
  check({ records, report, snapshot }: Recovered<SyncJournal>): void {
    const snapshotSeq = snapshot?.seq ?? 0;
    assert.ok(
      report.lastSeq >= this.acknowledgedSeq,
      `recovered up to ${report.lastSeq}, acknowledged up to ${this.acknowledgedSeq}`,
    );
    assert.ok(
      report.lastSeq <= this.appended.length,
      `recovered ${report.lastSeq} of ${this.appended.length}`,
    );
    if (snapshot !== undefined) assert.deepEqual(snapshot.state, snapshotState(snapshotSeq));
    let seq = snapshotSeq;
    for (const record of records) {
      seq += 1;
      assert.equal(record.seq, seq);
      assert.ok(Buffer.compare(record.payload, this.appended[seq - 1]!) === 0, `payload of ${seq}`);
    }
    assert.equal(seq, report.lastSeq);
    // What a start has shown must survive from now on, acknowledged or not.
    this.appended.length = report.lastSeq;
    this.acknowledgedSeq = report.lastSeq;
  }
}

export function snapshotState(seq: number): Uint8Array {
  return new TextEncoder().encode(`state after ${seq} `.repeat(20));
}

export function payloadOf(seed: number, length = 20 + ((seed * 37) % 200)): Uint8Array {
  const payload = new Uint8Array(length);
  for (let index = 0; index < length; index += 1) payload[index] = (seed * 131 + index * 7) & 0xff;
  return payload;
}
