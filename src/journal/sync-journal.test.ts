import assert from 'node:assert/strict';
import { test } from 'node:test';
import { journalContract } from '../../test/journal/journal.contract.ts';
import { SimulatedDisk } from '../../test/simulation/disk.ts';
import { LogModel, payloadOf, SMALL, snapshotState } from '../../test/simulation/log-model.ts';
import { segmentNumbers, snapshotSeqs } from './file-names.ts';
import { openSyncJournal } from './sync-journal.ts';

journalContract('sync', async () => {
  const disk = new SimulatedDisk();
  const { journal } = openSyncJournal(disk, SMALL);
  return {
    journal,
    settle: async () => journal.flush(),
    found: async () => {
      await journal.close();
      const { snapshot, records } = openSyncJournal(disk, SMALL);
      return { snapshot, records: [...records] };
    },
    remove: async () => {},
  };
});

test('records come back in order with their payloads after a clean close', async () => {
  const model = new LogModel();
  const disk = new SimulatedDisk();
  const { journal } = model.open(disk);
  for (let index = 0; index < 300; index += 1) {
    model.append(journal, payloadOf(index, index));
    if (index % 50 === 0) journal.flush();
  }
  await journal.close();
  const again = model.open(disk.crash('lose_all'));
  assert.equal(again.report.lastSeq, 300);
  assert.equal(again.report.cleanEnd, true);
  assert.equal(again.report.quarantined, undefined);
  assert.equal(again.report.epoch, 2);
  assert.equal(again.journal.append(payloadOf(1)), 301);
});

test('all commands queued between two flushes share one write and one sync', () => {
  const disk = new SimulatedDisk();
  const { journal } = openSyncJournal(disk, SMALL);
  while (!disk.list().includes('reserve-1') || !disk.list().includes('reserve-2')) journal.flush();
  const reported: number[] = [];
  journal.onDurable((seq) => reported.push(seq));
  const before = disk.syncCount;
  for (let index = 0; index < 100; index += 1) journal.append(payloadOf(index, 50));
  assert.equal(journal.durableSeq, 0);
  assert.equal(journal.appendedSeq, 100);
  journal.flush();
  assert.equal(disk.syncCount - before, 1);
  assert.deepEqual(reported, [100]);
});

test('a full segment is followed by the next, and all of them are replayed', async () => {
  const model = new LogModel();
  const disk = new SimulatedDisk();
  const { journal } = model.open(disk);
  for (let index = 0; index < 1000; index += 1) {
    model.append(journal, payloadOf(index, 1000));
    if (index % 7 === 0) journal.flush();
  }
  journal.flush();
  assert.ok(segmentNumbers(disk.list()).length > 10);
  model.open(disk.crash('lose_all'));
});

test('a queue without room refuses with JournalFull and takes the same number again later', () => {
  const { journal } = openSyncJournal(new SimulatedDisk(), SMALL);
  assert.throws(
    () => {
      for (;;) journal.append(payloadOf(1, 1000));
    },
    { name: 'JournalFull' },
  );
  const refused = journal.appendedSeq + 1;
  journal.flush();
  assert.equal(journal.append(payloadOf(1, 1000)), refused);
});

test('records that belong together are taken all or none, and stay neighbours', () => {
  const { journal } = openSyncJournal(new SimulatedDisk(), SMALL);
  assert.equal(journal.appendAll([payloadOf(1, 1000), payloadOf(2, 1000)]), 2);
  const several = Array.from({ length: 3 }, (_, n) => payloadOf(n, 1000));
  assert.throws(
    () => {
      for (;;) journal.appendAll(several);
    },
    { name: 'JournalFull' },
  );
  const { appendedSeq } = journal;
  assert.equal((appendedSeq - 2) % 3, 0);
  journal.flush();
  assert.equal(journal.appendAll(several), appendedSeq + 3);
});

test('the age of the queue is that of its oldest record', () => {
  let nowMs = 1000;
  const { journal } = openSyncJournal(new SimulatedDisk(), { ...SMALL, now: () => nowMs });
  assert.equal(journal.queueAgeMs(), 0);
  journal.append(payloadOf(1));
  nowMs += 30;
  journal.append(payloadOf(2));
  nowMs += 5;
  assert.equal(journal.queueAgeMs(), 35);
  journal.flush();
  assert.equal(journal.queueAgeMs(), 0);
  nowMs += 1;
  journal.append(payloadOf(3));
  nowMs += 2;
  assert.equal(journal.queueAgeMs(), 2);
});

test('two snapshots stay, and only the segments that the older one does not need go', async () => {
  const model = new LogModel();
  const disk = new SimulatedDisk();
  const { journal } = model.open(disk);
  for (let round = 1; round <= 4; round += 1) {
    for (let index = 0; index < 200; index += 1) {
      model.append(journal, payloadOf(index, 1000));
      if (index % 10 === 0) journal.flush();
    }
    await journal.saveSnapshot(journal.appendedSeq, snapshotState(journal.appendedSeq));
  }
  assert.deepEqual(snapshotSeqs(disk.list()), [600, 800]);
  const found = disk.crash('lose_all');
  const newest = new LogModel();
  newest.appended.push(...model.appended);
  assert.equal(newest.open(found.copy()).snapshot?.seq, 800);
  found.flipBit('snapshot-0000000000000800', 100, 3);
  const { report, snapshot } = model.open(found);
  assert.equal(snapshot?.seq, 600);
  assert.equal(report.recordsToReplay, 200);
  assert.equal(report.damagedSnapshots[0]!.file, 'snapshot-0000000000000800');
});

test('a saved snapshot survives a power loss', async () => {
  const model = new LogModel();
  const disk = new SimulatedDisk();
  const { journal } = model.open(disk);
  model.append(journal, payloadOf(1));
  await journal.saveSnapshot(1, snapshotState(1));
  assert.equal(model.open(disk.crash('lose_all')).snapshot?.seq, 1);
});

test('a damaged snapshot no longer counts as one of the two', async () => {
  const model = new LogModel();
  const disk = new SimulatedDisk();
  const first = model.open(disk).journal;
  for (const seq of [1, 2]) {
    model.append(first, payloadOf(seq));
    await first.saveSnapshot(seq, snapshotState(seq));
  }
  await first.close();
  disk.flipBit('snapshot-0000000000000002', 70, 0);
  const second = model.open(disk).journal;
  model.append(second, payloadOf(3));
  await second.saveSnapshot(3, snapshotState(3));
  assert.deepEqual(snapshotSeqs(disk.list()), [1, 3]);
});
