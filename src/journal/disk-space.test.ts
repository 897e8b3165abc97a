import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedDisk } from '../../test/simulation/disk.ts';
import { LogModel, payloadOf } from '../../test/simulation/log-model.ts';
import type { JournalCapacity } from './command-journal.ts';
import { JournalFull } from './journal-errors.ts';

test('a full disk lowers the capacity step by step, loses nothing, and space that returns restores it', async () => {
  const model = new LogModel();
  const disk = new SimulatedDisk(3, { capacityBytes: 200 * 1024 });
  const { journal } = model.open(disk);
  const modes: JournalCapacity[] = [];
  const note = (): void => {
    if (modes.at(-1) !== journal.capacity()) modes.push(journal.capacity());
  };
  assert.throws(
    () => {
      for (let index = 0; ; index += 1) {
        model.append(journal, payloadOf(index, 300));
        journal.flush();
        note();
      }
    },
    (error) => error instanceof JournalFull,
  );
  assert.deepEqual(modes, ['normal', 'cancel_only', 'read_only']);
  delete disk.faults.capacityBytes;
  for (let step = 0; step < 10; step += 1) journal.flush();
  note();
  assert.deepEqual(modes, ['normal', 'cancel_only', 'read_only', 'normal']);
  model.append(journal, payloadOf(1));
  await journal.close();
  model.open(disk.crash('lose_all'));
});

test('however large the queue was when the space ran out, all of it is committed', () => {
  for (let capacityKib = 140; capacityKib < 400; capacityKib += 9) {
    const model = new LogModel();
    const disk = new SimulatedDisk(capacityKib, { capacityBytes: capacityKib * 1024, shortWriteChance: 0.2 });
    const { journal } = model.open(disk);
    for (let refusals = 0, index = 0; refusals < 3; index += 1) {
      try {
        model.append(journal, payloadOf(index, (index * 97) % 4000));
      } catch (error) {
        assert.ok(error instanceof JournalFull, String(error));
        refusals += 1;
        journal.flush();
      }
    }
    journal.flush();
    assert.equal(model.acknowledgedSeq, model.appended.length);
    delete disk.faults.capacityBytes;
    model.open(disk.crash('lose_all'));
  }
});

test('a snapshot that finds no space leaves the log and the space as they were', async () => {
  const model = new LogModel();
  const disk = new SimulatedDisk(3, { capacityBytes: 280 * 1024 });
  const { journal } = model.open(disk);
  model.append(journal, payloadOf(1));
  for (let step = 0; step < 10; step += 1) journal.flush();
  const before = disk.usedBytes;
  await assert.rejects(journal.saveSnapshot(1, new Uint8Array(200 * 1024)), { code: 'ENOSPC' });
  assert.equal(disk.usedBytes, before);
  model.append(journal, payloadOf(2));
  journal.flush();
});

test('a write error in a commit is fatal', () => {
  const model = new LogModel();
  const disk = new SimulatedDisk(1);
  const { journal } = model.open(disk);
  model.append(journal, payloadOf(1));
  journal.flush();
  disk.faults.failWriteAfter = 1;
  model.append(journal, payloadOf(2));
  assert.throws(() => journal.flush(), { name: 'JournalFailed', message: /EIO/ });
  assert.equal(model.acknowledgedSeq, 1);
  assert.throws(() => journal.append(payloadOf(3)), { name: 'JournalFailed' });
  model.open(disk.crash());
});
