import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { SimulatedDisk, seededRandom } from '../../test/simulation/disk.ts';
import { LogModel, payloadOf, SMALL, snapshotState } from '../../test/simulation/log-model.ts';
import { FIRST_CHAIN_HASH, identityCrc } from './batch-format.ts';
import { encodeMark, MARK_PLACES, readMark } from './durable-watermark.ts';
import { segmentName, segmentNumbers, snapshotName } from './file-names.ts';
import { JournalDamaged } from './journal-errors.ts';
import { decodeSegmentHeader, encodeSegmentHead, SEGMENT_HEAD_BYTES } from './segment-format.ts';
import { openSyncJournal } from './sync-journal.ts';

const SEGMENT_1 = segmentName(1);

/** Batches of one record each, without a close: as after kill -9. Returns the end of each batch. */
function writeBatches(model: LogModel, disk: SimulatedDisk, count: number, payloadBytes = 100): number[] {
  const { journal } = model.open(disk);
  const ends: number[] = [];
  const batchBytes = 72 + ((16 + payloadBytes + 7) & ~7);
  for (let index = 0; index < count; index += 1) {
    model.append(journal, payloadOf(index, payloadBytes));
    journal.flush();
    ends.push(SEGMENT_HEAD_BYTES + (index + 1) * batchBytes);
  }
  return ends;
}

/** Puts the mark back to an earlier record, as when the power failed before the newer mark reached the disk. */
function setMark(disk: SimulatedDisk, durableSeq: number): void {
  const identity = identityCrc(SMALL.newInstanceId!());
  const mark = encodeMark({ durableSeq, chain: FIRST_CHAIN_HASH, state: 'open' }, 1, identity);
  for (const place of MARK_PLACES) disk.overwrite(SEGMENT_1, place, mark);
}

/** A start that is not refused is checked by the model of what was written. */
function isRefused(disk: SimulatedDisk, model?: LogModel): boolean {
  const before = disk.copy();
  let recovered: ReturnType<typeof openSyncJournal>;
  try {
    recovered = openSyncJournal(disk, SMALL);
  } catch (error) {
    assert.ok(error instanceof JournalDamaged, String(error));
    assert.ok(disk.hasContentsOf(before), 'a refusal changes nothing');
    return true;
  }
  model?.check(recovered);
  return false;
}

test('a last batch torn at any byte is cut, when nobody was told of it', () => {
  const written = new SimulatedDisk();
  const ends = writeBatches(new LogModel(), written, 5);
  const bytes = written.bytes(SEGMENT_1);
  for (let end = ends[3]!; end < ends[4]!; end += 1) {
    const disk = written.copy();
    disk.overwrite(SEGMENT_1, end, new Uint8Array(ends[4]! - end));
    setMark(disk, 3);
    const { report } = openSyncJournal(disk, SMALL);
    // Zero bytes at the end of the batch are the same torn and whole.
    const isWhole = bytes.subarray(end, ends[4]).every((byte) => byte === 0);
    assert.equal(report.lastSeq, isWhole ? 5 : 4, `torn at ${end - ends[3]!}`);
    assert.equal(report.cleanEnd, false);
    assert.ok(report.tornBytes <= end - ends[3]!);
    assert.deepEqual(
      disk.bytes(report.quarantined!).slice(4096),
      bytes.slice(4096).fill(0, end - 4096, ends[4]! - 4096),
    );
  }
});

test('a last batch cut off with the file, or garbled, is cut as well', () => {
  const written = new SimulatedDisk();
  const ends = writeBatches(new LogModel(), written, 5);
  setMark(written, 3);
  const random = seededRandom(7);
  for (let trial = 0; trial < 50; trial += 1) {
    const disk = written.copy();
    const from = ends[3]! + Math.floor(random() * (ends[4]! - ends[3]! - 20));
    if (trial % 2 === 0) disk.cut(SEGMENT_1, from);
    else
      disk.overwrite(
        SEGMENT_1,
        from,
        new Uint8Array(16).map(() => random() * 256),
      );
    assert.equal(openSyncJournal(disk, SMALL).report.lastSeq, 4);
  }
});

test('the same tear in a batch that was acknowledged is refused', () => {
  const written = new SimulatedDisk();
  const ends = writeBatches(new LogModel(), written, 5);
  for (let end = ends[3]!; end < ends[4]! - 8; end += 1) {
    const disk = written.copy();
    disk.overwrite(SEGMENT_1, end, new Uint8Array(ends[4]! - end));
    assert.ok(isRefused(disk), `torn at ${end - ends[3]!}`);
  }
});

test('a client cannot make a torn tail look like damage by sending the bytes of a batch', () => {
  const other = new SimulatedDisk();
  const ends = writeBatches(new LogModel(), other, 3);
  const looksLikeBatch = other.bytes(SEGMENT_1).slice(ends[1], ends[2]);
  const disk = new SimulatedDisk();
  const options = { ...SMALL, newInstanceId: () => new Uint8Array(16).fill(0x77) };
  const { journal } = openSyncJournal(disk, options);
  journal.append(looksLikeBatch);
  journal.flush();
  disk.overwrite(SEGMENT_1, SEGMENT_HEAD_BYTES + 80, new Uint8Array(4));
  for (const place of MARK_PLACES) disk.overwrite(SEGMENT_1, place, new Uint8Array(512));
  assert.equal(openSyncJournal(disk, options).report.lastSeq, 0);
});

test('a bit flipped anywhere is repaired without loss or refused', async () => {
  const random = seededRandom(99);
  const outcomes = { recovered: 0, refused: 0 };
  for (const ending of ['closed', 'killed'] as const) {
    const { disk: written, model } = await writeWithSnapshots(ending);
    for (let trial = 0; trial < 400; trial += 1) {
      const disk = written.copy();
      const name = pickFile(disk, random);
      disk.flipBit(name, pickPosition(disk, name, random), Math.floor(random() * 8));
      outcomes[isRefused(disk, copyOf(model)) ? 'refused' : 'recovered'] += 1;
    }
  }
  assert.ok(outcomes.recovered > 50 && outcomes.refused > 50, JSON.stringify(outcomes));
});

test('a sector of zeros or a stale block anywhere is repaired without loss or refused', async () => {
  const random = seededRandom(4711);
  const outcomes = { recovered: 0, refused: 0 };
  const { disk: written, model } = await writeWithSnapshots('killed');
  for (let trial = 0; trial < 400; trial += 1) {
    const disk = written.copy();
    const segments = segmentNumbers(disk.list());
    const name = segmentName(segments[Math.floor(random() * segments.length)]!);
    const block = [512, 4096][trial % 2]!;
    const blocks = Math.floor(disk.bytes(name).length / block);
    const to = block * Math.floor(random() * Math.min(blocks, 8 * (4096 / block)));
    if (trial % 3 === 0) disk.overwrite(name, to, new Uint8Array(block));
    else disk.copyBlock(name, block * Math.floor(random() * blocks), to, block);
    outcomes[isRefused(disk, copyOf(model)) ? 'refused' : 'recovered'] += 1;
  }
  assert.ok(outcomes.recovered > 20 && outcomes.refused > 50, JSON.stringify(outcomes));
});

test('an older batch copied over a newer one is noticed although its checksums are right', () => {
  const disk = new SimulatedDisk();
  const ends = writeBatches(new LogModel(), disk, 9);
  const length = ends[1]! - ends[0]!;
  for (const target of [3, 5, 7, 8]) {
    const damaged = disk.copy();
    damaged.copyBlock(SEGMENT_1, ends[0]!, ends[target - 1]!, length);
    assert.ok(isRefused(damaged), `over batch ${target + 1}`);
  }
});

test('with both marks lost, a bad batch is still refused when one was written after it', () => {
  const disk = new SimulatedDisk();
  const ends = writeBatches(new LogModel(), disk, 5);
  for (const place of MARK_PLACES) disk.overwrite(SEGMENT_1, place, new Uint8Array(512));
  for (let at = ends[2]!; at < ends[3]! - 8; at += 1) {
    const damaged = disk.copy();
    damaged.flipBit(SEGMENT_1, at, at % 8);
    assert.ok(isRefused(damaged), `flip at ${at - ends[2]!}`);
  }
});

test('a batch or a segment of another history is noticed although all its checksums are right', () => {
  const disk = new SimulatedDisk();
  const ends = writeBatches(new LogModel(), disk, 700);
  const other = new SimulatedDisk();
  const { journal } = openSyncJournal(other, SMALL);
  for (let index = 0; index < 700; index += 1) {
    journal.append(payloadOf(index + (index === 1 ? 1 : 0), 100));
    journal.flush();
  }
  const batch = disk.copy();
  batch.overwrite(SEGMENT_1, ends[4]!, other.bytes(SEGMENT_1).slice(ends[4], ends[5]));
  assert.ok(isRefused(batch));
  const segment = disk.copy();
  for (const name of [segmentName(2), segmentName(3)]) segment.overwrite(name, 0, other.bytes(name));
  assert.ok(isRefused(segment));
});

test('the refusal names the place and says what to do', () => {
  const disk = new SimulatedDisk();
  const ends = writeBatches(new LogModel(), disk, 9);
  disk.flipBit(SEGMENT_1, ends[3]! + 90, 1);
  assert.throws(
    () => openSyncJournal(disk, SMALL),
    (error: JournalDamaged) => {
      assert.deepEqual(error.place, { file: SEGMENT_1, segment: 1, offset: ends[3]!, seq: 5 });
      assert.match(error.message, /Restore this directory from a backup/);
      return true;
    },
  );
});

test('a missing segment is noticed, in the middle and at the end', async () => {
  const { disk } = await writeWithSnapshots('killed');
  for (const segment of segmentNumbers(disk.list()).slice(1)) {
    const damaged = disk.copy();
    damaged.unlink(segmentName(segment));
    assert.ok(isRefused(damaged), `segment ${segment}`);
  }
});

test('snapshots without any segment, and segments behind a lost snapshot, are refused', async () => {
  const { disk } = await writeWithSnapshots('closed');
  const withoutSegments = disk.copy();
  for (const segment of segmentNumbers(disk.list())) withoutSegments.unlink(segmentName(segment));
  assert.ok(isRefused(withoutSegments));
  const withoutSnapshots = disk.copy();
  for (const name of disk.list()) if (name.startsWith('snapshot-')) withoutSnapshots.unlink(name);
  assert.ok(isRefused(withoutSnapshots));
});

test('a gap between the newest snapshot and the first segment is refused with both ends', async () => {
  const disk = new SimulatedDisk();
  const { journal } = openSyncJournal(disk, SMALL);
  const states = new Map<number, Uint8Array>();
  for (let index = 1; index <= 600; index += 1) {
    journal.append(payloadOf(index, 1000));
    if (index % 10 === 0) journal.flush();
    if (index % 200 !== 0) continue;
    await journal.saveSnapshot(index, snapshotState(index));
    states.set(index, disk.bytes(snapshotName(index)));
  }
  const broken = disk.copy();
  for (const seq of [400, 600]) broken.unlink(snapshotName(seq));
  broken.create(snapshotName(200)).write(states.get(200)!, 0);
  assert.throws(() => openSyncJournal(broken, SMALL), {
    name: 'JournalDamaged',
    message:
      /records 201 to \d+ are neither in a segment nor in a snapshot \(the newest snapshot is of 200\)/,
  });
});

test('a log older than its snapshot is refused', async () => {
  const disk = new SimulatedDisk();
  const { journal } = openSyncJournal(disk, SMALL);
  journal.append(payloadOf(1));
  journal.flush();
  const earlier = disk.copy();
  journal.append(payloadOf(2));
  await journal.saveSnapshot(2, snapshotState(2));
  earlier.create('snapshot-0000000000000002').write(disk.bytes('snapshot-0000000000000002'), 0);
  assert.ok(isRefused(earlier));
});

test('a file of another exchange or of an unknown format is refused by name', () => {
  const disk = new SimulatedDisk();
  writeBatches(new LogModel(), disk, 2);
  const header = { epoch: 1, segment: 2, firstSeq: 3, chain: FIRST_CHAIN_HASH };
  const foreign = disk.copy();
  const foreignHead = encodeSegmentHead({ ...header, instanceId: new Uint8Array(16).fill(9) });
  foreign.create(segmentName(2)).write(foreignHead, 0);
  assert.throws(() => openSyncJournal(foreign, SMALL), {
    name: 'WrongInstance',
    message: /segment-00000002\.log/,
  });
  const newer = disk.copy();
  newer.overwrite(SEGMENT_1, 0, newerFormat(disk.bytes(SEGMENT_1).slice(0, 512)));
  assert.throws(() => openSyncJournal(newer, SMALL), { name: 'UnknownFormat', message: /format version 9/ });
});

test('the farther of two valid marks counts, and a bad one is ignored', () => {
  const head = new Uint8Array(SEGMENT_HEAD_BYTES);
  const mark = (durableSeq: number) =>
    encodeMark({ durableSeq, chain: FIRST_CHAIN_HASH, state: 'open' }, 1, 5);
  head.set(mark(8), MARK_PLACES[0]);
  head.set(mark(7), MARK_PLACES[1]);
  assert.equal(readMark(head, 1, 5)?.durableSeq, 8);
  head[MARK_PLACES[0] + 8]! ^= 1;
  assert.equal(readMark(head, 1, 5)?.durableSeq, 7);
  assert.equal(readMark(head, 2, 5), undefined);
  assert.equal(readMark(head, 1, 6), undefined);
});

test('a segment that goes bad between its check and its replay ends the replay before it', () => {
  const disk = new SimulatedDisk();
  writeBatches(new LogModel(), disk, 300, 700);
  const { records, report } = openSyncJournal(disk, { ...SMALL, replayBytesMax: 0 });
  const third = decodeSegmentHeader(disk.bytes(segmentName(3)));
  assert.ok(third !== undefined && 'firstSeq' in third && report.lastSeq > third.firstSeq + 50);
  disk.flipBit(segmentName(3), SEGMENT_HEAD_BYTES + 5000, 3);
  let replayedSeq = 0;
  const replayAll = () => {
    for (const { seq } of records) replayedSeq = seq;
  };
  assert.throws(replayAll, (error: JournalDamaged) => {
    assert.ok(error instanceof JournalDamaged);
    assert.equal(error.place.file, segmentName(3));
    assert.ok(error.place.seq >= third.firstSeq && error.place.offset >= SEGMENT_HEAD_BYTES);
    return true;
  });
  assert.equal(replayedSeq, third.firstSeq - 1);
});

async function writeWithSnapshots(ending: 'closed' | 'killed') {
  const model = new LogModel();
  const disk = new SimulatedDisk(5);
  const { journal } = model.open(disk);
  for (let index = 1; index <= 500; index += 1) {
    model.append(journal, payloadOf(index, 700));
    if (index % 3 === 0) journal.flush();
    if (index % 150 === 0) await journal.saveSnapshot(index, snapshotState(index));
  }
  journal.flush();
  if (ending === 'closed') await journal.close();
  return { disk, model };
}

/** The log files only, the ones in use more often. */
function pickFile(disk: SimulatedDisk, random: () => number): string {
  const names = disk.list().filter((name) => !name.startsWith('reserve') && !name.endsWith('.tmp'));
  return names[Math.floor(random() * names.length)]!;
}

/** Half of the flips hit the heads, which are small beside the rest. */
function pickPosition(disk: SimulatedDisk, name: string, random: () => number): number {
  const { length } = disk.bytes(name);
  return Math.floor(random() * (random() < 0.5 ? Math.min(length, 1600) : length));
}

function copyOf(model: LogModel): LogModel {
  const copy = new LogModel();
  copy.appended.push(...model.appended);
  copy.acknowledgedSeq = model.acknowledgedSeq;
  return copy;
}

function newerFormat(header: Uint8Array): Uint8Array {
  const view = new DataView(header.buffer);
  view.setUint32(8, 9, true);
  view.setUint32(508, crc32(header.subarray(0, 508)), true);
  return header;
}
