import assert from 'node:assert/strict';
import { test } from 'node:test';
import { journalContract, PAYLOAD_BYTES_MAX } from '../../test/journal/journal.contract.ts';
import { payloadOf, snapshotState } from '../../test/simulation/log-model.ts';
import { openMemoryJournal } from './memory-journal.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

journalContract('memory', async () => {
  const { journal } = openMemoryJournal({ payloadBytesMax: PAYLOAD_BYTES_MAX });
  return {
    journal,
    settle: turn,
    found: async () => {
      await journal.close();
      const { snapshot, records } = journal.kept();
      return { snapshot, records: [...records] };
    },
    remove: async () => {},
  };
});

test('a new journal has nothing to replay', () => {
  const { report, snapshot, records } = openMemoryJournal();
  assert.deepEqual([report.cleanEnd, report.lastSeq, snapshot, [...records]], [true, 0, undefined, []]);
  assert.match(report.instanceId, /^[0-9a-f]{32}$/);
});

test('what was appended in one turn is announced once, at its end', async () => {
  const { journal } = openMemoryJournal();
  const told: number[] = [];
  journal.onDurable((seq) => told.push(seq));
  journal.append(payloadOf(1));
  await Promise.resolve();
  journal.append(payloadOf(2));
  assert.deepEqual([told, journal.durableSeq], [[], 0]);
  await turn();
  assert.deepEqual(told, [2]);
  journal.append(payloadOf(3));
  await turn();
  assert.deepEqual(told, [2, 3]);
});

test('records before the older of two snapshots go, and with them their memory', async () => {
  const { journal } = openMemoryJournal();
  const firsts: number[] = [];
  for (let round = 1; round <= 40; round++) {
    for (let n = 0; n < 2000; n++) journal.append(payloadOf(n, 100));
    await journal.saveSnapshot(journal.appendedSeq, snapshotState(journal.appendedSeq));
    firsts.push(journal.firstSeq);
  }
  assert.equal(firsts[0], 1);
  // Segments go as a whole, so a part of one may be older.
  for (const [n, first] of firsts.entries())
    if (n > 0)
      assert.ok(first <= 2000 * n + 1 && first > 2000 * n + 1 - 1024, `${first} after round ${n + 1}`);
  await journal.close();
});

test('with room for a past, records and snapshots stay until they take it all, the oldest go first', async () => {
  const pastBytesMax = 2 ** 20;
  const { journal } = openMemoryJournal({ pastBytesMax });
  for (let round = 1; round <= 40; round++) {
    for (let n = 0; n < 500; n++) journal.append(payloadOf(n, 100));
    await turn();
    const past = journal.past();
    await journal.saveSnapshot(journal.appendedSeq, snapshotState(journal.appendedSeq));
    const { firstSeq, snapshots, recordsAfter } = journal.past();
    const records = [...recordsAfter(firstSeq - 1)];
    assert.deepEqual([records[0]?.seq, records.at(-1)?.seq], [firstSeq, 500 * round]);
    if (round < 16) assert.deepEqual([firstSeq, snapshots.length], [1, round]);
    else assert.ok(snapshots.length > 12 && firstSeq <= snapshots[0]!.seq + 1, 'each can be gone on from');
    assert.ok(records.length * 100 <= pastBytesMax);
    // What was taken before does not change.
    assert.ok([...past.recordsAfter(past.firstSeq - 1)].length >= 500);
  }
  await journal.close();
});

test('the snapshot is the bytes of the moment it was saved', async () => {
  const { journal } = openMemoryJournal();
  journal.append(payloadOf(1));
  const state = snapshotState(1);
  await journal.saveSnapshot(1, state);
  state.fill(0);
  assert.deepEqual(journal.kept().snapshot?.state, snapshotState(1));
});

test('the age of the queue is that of its oldest record', async () => {
  let nowMs = 1000;
  const { journal } = openMemoryJournal({ now: () => nowMs });
  journal.append(payloadOf(1));
  nowMs += 30;
  journal.append(payloadOf(2));
  nowMs += 5;
  assert.equal(journal.queueAgeMs(), 35);
  await turn();
  assert.equal(journal.queueAgeMs(), 0);
});
