/**
 * Copies of a log that changes meanwhile, at every step that it makes: the log stops right before each change of a
 * name, as a copy that began there sees it. Each snapshot of a copy, and the first command where there is none, must
 * lead through its segments to the last command.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { HeldJournal } from '../../src/app/backup/held-journal.ts';
import { provenEnd } from '../../src/app/backup/journal-proof.ts';
import { ReadOnlyDisk } from '../../src/app/data/read-only-disk.ts';
import type { Disk, DiskFile } from '../../src/journal/disk.ts';
import { segmentName, segmentNumbers, snapshotName, snapshotSeqs } from '../../src/journal/file-names.ts';
import { journalSettings } from '../../src/journal/journal-settings.ts';
import { NodeDisk } from '../../src/journal/node-disk.ts';
import { recover } from '../../src/journal/recovery.ts';
import { continues, readSegmentHeaders } from '../../src/journal/segment-files.ts';
import { openSyncJournal } from '../../src/journal/sync-journal.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { payloadOf, snapshotState } from '../simulation/log-model.ts';

const SETTINGS = {
  segmentBytes: 16 * 1024,
  queueBytes: 16 * 1024,
  payloadBytesMax: 2 * 1024,
  batchBytesMax: 4 * 1024,
  prepareStepBytes: 16 * 1024,
  spareBytes: 0,
  newInstanceId: () => new Uint8Array(16).fill(0xb0),
};
/** Several segments between two snapshots, so that each lets go of some. */
const ROUNDS = 4;
const COMMANDS_A_ROUND = 36;
/** Copies begin at the change that they end at, and this many before it. */
const CHANGES_HELD = 8;
/** The others only prepare space. */
const OF_THE_LOG = /(?:segment|snapshot)-/;

class Stopped extends Error {}

/** Hears of each change of a name before it is made. Nothing is synced: no machine fails here. */
class WatchedDisk implements Disk {
  readonly #disk: Disk;
  readonly #before: (change: string) => void;

  constructor(directory: string, before: (change: string) => void) {
    this.#disk = new NodeDisk(directory);
    this.#before = before;
  }

  list(): readonly string[] {
    return this.#disk.list();
  }

  open(name: string): DiskFile {
    return unsynced(this.#disk.open(name));
  }

  create(name: string): DiskFile {
    this.#before(`create ${name}`);
    return unsynced(this.#disk.create(name));
  }

  rename(from: string, to: string): void {
    this.#before(`rename ${from} to ${to}`);
    this.#disk.rename(from, to);
  }

  link(from: string, to: string): void {
    this.#before(`link ${from} to ${to}`);
    this.#disk.link(from, to);
  }

  unlink(name: string): void {
    this.#before(`unlink ${name}`);
    this.#disk.unlink(name);
  }

  syncDirectory(): void {}

  freeBytes(): undefined {
    return undefined;
  }
}

function unsynced(file: DiskFile): DiskFile {
  return {
    size: () => file.size(),
    read: (position, length) => file.read(position, length),
    write: (bytes, position) => file.write(bytes, position),
    truncate: (length) => file.truncate(length),
    sync: () => {},
    close: () => file.close(),
  };
}

/** A journal that lives through several snapshots. */
async function live(disk: Disk): Promise<void> {
  const { journal } = openSyncJournal(disk, SETTINGS);
  for (let round = 0; round < ROUNDS; round++) {
    for (let n = 0; n < COMMANDS_A_ROUND; n++) {
      journal.append(payloadOf(journal.appendedSeq + 1, 1000));
      if (n % 4 === 0) journal.flush();
    }
    journal.flush();
    await journal.saveSnapshot(journal.appendedSeq, snapshotState(journal.appendedSeq));
  }
  await journal.close();
}

/** The changes that the journal makes until `before` throws. */
async function changesOf(directory: string, before: (change: string, number: number) => void) {
  const changes: string[] = [];
  mkdirSync(directory, { recursive: true });
  const disk = new WatchedDisk(directory, (change) => {
    before(change, changes.length);
    changes.push(change);
  });
  try {
    await live(disk);
  } catch (error) {
    if (!(error instanceof Stopped) && !((error as Error).cause instanceof Stopped)) throw error;
  }
  return changes;
}

async function copy(log: HeldJournal, target: string, lastSeq: number): Promise<void> {
  mkdirSync(target);
  await log.copyTo(
    target,
    lastSeq,
    () => {},
    () => {},
  );
}

function assertUnbroken(directory: string, lastSeq: number, where: string): void {
  const disk = new NodeDisk(directory);
  const names = disk.list();
  const seqs = snapshotSeqs(names);
  const begun = seqs.length === 0 ? [0] : seqs;
  for (const seq of begun) {
    const hidden = seqs.filter((other) => other !== seq).map(snapshotName);
    const { snapshot, records, report } = recover(new ReadOnlyDisk(disk, hidden), journalSettings(SETTINGS));
    assert.equal(snapshot?.seq ?? 0, seq, where);
    let next = seq + 1;
    for (const record of records) {
      assert.equal(record.seq, next, where);
      assert.deepEqual(Buffer.from(record.payload), Buffer.from(payloadOf(next, 1000)), where);
      next++;
    }
    assert.deepEqual([next - 1, report.lastSeq, report.cleanEnd], [lastSeq, lastSeq, true], where);
  }
  assert.equal(provenEnd(directory, { withHash: false, asFound: false }).seq, lastSeq, where);
}

test('a copy leads from each of its snapshots to its last command, whatever the log does meanwhile', async () => {
  const home = temporaryDirectory();
  const all = await changesOf(join(home, 'all'), () => {});
  assert.ok(all.filter((change) => /^unlink segment/.test(change)).length > 3, all.join('\n'));
  assert.ok(all.filter((change) => /^unlink snapshot/.test(change)).length > 1, all.join('\n'));
  // Before the second snapshot nothing goes.
  const from = all.findIndex((change) => change.endsWith(` to ${snapshotName(2 * COMMANDS_A_ROUND)}`));
  for (let end = from; end < all.length; end++) {
    const change = all[end]!;
    if (!OF_THE_LOG.test(change)) continue;
    const directory = join(home, `log-${end}`);
    const target = join(home, `copy-${end}`);
    const held: { readonly begun: string; readonly log: HeldJournal }[] = [];
    await changesOf(directory, (next, number) => {
      if ([end - CHANGES_HELD, end].includes(number))
        held.push({ begun: next, log: new HeldJournal(directory) });
      if (number === end) throw new Stopped();
    });
    for (const { begun, log } of held) {
      using held = log;
      const lastSeq = held.lastSeq();
      await copy(held, target, lastSeq);
      assertUnbroken(target, lastSeq, `begun before "${begun}", ended before "${change}"`);
      rmSync(target, { recursive: true });
    }
    rmSync(directory, { recursive: true });
  }
});

test('at every moment the segments of a log continue each of its snapshots', async () => {
  const directory = join(temporaryDirectory(), 'log');
  const changes = await changesOf(directory, (change) => {
    const [first] = readSegmentHeaders(new NodeDisk(directory));
    for (const seq of snapshotSeqs(new NodeDisk(directory).list()))
      assert.ok(
        continues(first!, seq),
        `before "${change}" there is a snapshot of ${seq} and no segment after it`,
      );
  });
  assert.ok(changes.some((change) => /^unlink segment/.test(change)));
});

describe('a log that holds what an older program left behind', () => {
  const directory = join(temporaryDirectory(), 'log');
  const left = snapshotName(COMMANDS_A_ROUND);

  before(async () => {
    mkdirSync(directory);
    let kept = new Uint8Array();
    await changesOf(directory, (change) => {
      if (change === `unlink ${left}`) kept = readFileSync(join(directory, left));
    });
    writeFileSync(join(directory, left), kept);
  });

  test('is copied without the snapshot that nothing continues', async () => {
    const target = join(temporaryDirectory(), 'copy');
    using log = new HeldJournal(directory);
    const lastSeq = log.lastSeq();
    await copy(log, target, lastSeq);
    assert.deepEqual(
      snapshotSeqs(new NodeDisk(target).list()),
      [ROUNDS - 1, ROUNDS].map((round) => round * COMMANDS_A_ROUND),
    );
    assertUnbroken(target, lastSeq, 'closed');
  });

  test('is refused as a copy when it has that snapshot', () => {
    assert.throws(() => provenEnd(directory, { withHash: false, asFound: false }), {
      name: 'DataDamaged',
      message: new RegExp(`^the copied log begins at command \\d+, which does not continue ${left}$`),
    });
  });
});

describe('a log that lacks a part', () => {
  const lived = async () => {
    const directory = join(temporaryDirectory(), 'log');
    await changesOf(directory, () => {});
    return directory;
  };

  test('in the middle is refused with the name of what is missing', async () => {
    const directory = await lived();
    const missing = segmentName(segmentNumbers(new NodeDisk(directory).list())[1]!);
    rmSync(join(directory, missing));
    assert.throws(() => new HeldJournal(directory), {
      name: 'DataDamaged',
      message: `${directory}: ${missing} is missing`,
    });
  });

  test('between snapshot and segments is refused with the commands that are missing', async () => {
    const directory = await lived();
    for (const seq of snapshotSeqs(new NodeDisk(directory).list()))
      rmSync(join(directory, snapshotName(seq)));
    assert.throws(() => new HeldJournal(directory), {
      name: 'DataDamaged',
      message: /: commands 1 to \d+ are neither in a segment nor in a snapshot$/,
    });
  });
});

describe('a log that is shortened more than once while it is held', () => {
  /** Holds the log from its first segment to its end, and copies it then. */
  const heldThroughout = async (meanwhile: (log: HeldJournal) => void): Promise<void> => {
    const directory = join(temporaryDirectory(), 'log');
    const target = join(temporaryDirectory(), 'copy');
    let log: HeldJournal | undefined;
    await changesOf(directory, () => {
      if (log !== undefined) meanwhile(log);
      else if (segmentNumbers(new NodeDisk(directory).list()).length > 0) log = new HeldJournal(directory);
    });
    using held = log!;
    const lastSeq = held.lastSeq();
    await copy(held, target, lastSeq);
    assert.equal(lastSeq, ROUNDS * COMMANDS_A_ROUND);
    assertUnbroken(target, lastSeq, 'closed');
  };

  test('is copied whole when its new segments were held as they came', () =>
    heldThroughout((log) => log.keepUp()));

  test('is not copied when a segment came and went unseen', () =>
    assert.rejects(
      heldThroughout(() => {}),
      { name: 'CannotStart', message: /^segment-\d+\.log came and went while the log was copied/ },
    ));
});
