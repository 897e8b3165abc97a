import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CrashKind, SimulatedDisk, seededRandom } from '../../test/simulation/disk.ts';
import { LogModel, payloadOf, SMALL, snapshotState } from '../../test/simulation/log-model.ts';
import type { SyncJournal } from './sync-journal.ts';

const KINDS: readonly CrashKind[] = ['lose_all', 'keep_all', 'keep_some', 'keep_prefix'];
const SEEDS = Number(process.env.LOG_SEEDS ?? 60);
const LIVES_PER_SEED = 8;

test('no acknowledged command is lost, whenever the power fails', async () => {
  let crashes = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) crashes += await liveThroughPowerLosses(seed);
  assert.ok(crashes > SEEDS, `only ${crashes} crashes`);
});

async function liveThroughPowerLosses(seed: number): Promise<number> {
  const random = seededRandom(seed);
  const model = new LogModel();
  let disk = new SimulatedDisk(seed);
  let crashes = 0;
  for (let life = 0; life < LIVES_PER_SEED; life += 1) {
    disk.faults.powerFailsAfter = 1 + Math.floor(random() * 120);
    disk.faults.shortWriteChance = 0.05;
    try {
      await work(model, disk, random);
    } catch (error) {
      if (disk.faults.powerFailsAfter !== 0) throw new Error(`seed ${seed}, life ${life}`, { cause: error });
      crashes += 1;
    }
    disk = disk.crash(KINDS[Math.floor(random() * KINDS.length)]);
  }
  model.open(disk);
  return crashes;
}

async function work(model: LogModel, disk: SimulatedDisk, random: () => number): Promise<void> {
  const { journal } = model.open(disk, SMALL);
  for (let step = 0; step < 60; step += 1) {
    const count = 1 + Math.floor(random() * 20);
    for (let index = 0; index < count; index += 1) {
      model.append(journal, payloadOf(Math.floor(random() * 1e6), Math.floor(random() * 900)));
    }
    journal.flush();
    if (random() < 0.05) await snapshot(journal);
  }
  if (random() < 0.5) await journal.close();
}

async function snapshot(journal: SyncJournal): Promise<void> {
  await journal.saveSnapshot(journal.durableSeq, snapshotState(journal.durableSeq));
}

test('a machine that stays up after an fsync error finds everything acknowledged in a new file', () => {
  for (let failAt = 1; failAt <= 40; failAt += 1) {
    const model = new LogModel();
    const disk = new SimulatedDisk(failAt);
    const { journal } = model.open(disk);
    let failures = 0;
    journal.onFailure(() => {
      failures += 1;
    });
    disk.faults.failSyncAfter = failAt;
    assert.throws(() => {
      for (let index = 0; index < 200; index += 1) {
        model.append(journal, payloadOf(index, 500));
        journal.flush();
      }
    }, /EIO/);
    assert.equal(failures, 1);
    const acknowledged = model.acknowledgedSeq;
    assert.throws(() => journal.append(payloadOf(1)), { name: 'JournalFailed' });
    assert.throws(() => journal.flush(), { name: 'JournalFailed' });
    assert.equal(model.acknowledgedSeq, acknowledged, 'nothing is acknowledged after the error');
    // The restart reads the page cache; the power loss after it must find what the restart has shown.
    model.open(disk);
    model.open(disk.crash('lose_all'));
  }
});
