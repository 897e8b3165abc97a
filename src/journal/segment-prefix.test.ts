import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedDisk } from '../../test/simulation/disk.ts';
import { payloadOf, SMALL } from '../../test/simulation/log-model.ts';
import { readWhole, withFile, writeFully } from './disk.ts';
import { segmentName } from './file-names.ts';
import { JournalDamaged } from './journal-errors.ts';
import { readSegmentHeaders } from './segment-files.ts';
import { segmentUpTo } from './segment-prefix.ts';
import { openSyncJournal } from './sync-journal.ts';

const COMMANDS = 150;

/** A log in use: batches of seven commands, over several segments. */
function growingLog(): SimulatedDisk {
  const disk = new SimulatedDisk();
  const { journal } = openSyncJournal(disk, SMALL);
  for (let index = 1; index <= COMMANDS; index++) {
    journal.append(payloadOf(index, 900));
    if (index % 7 === 0) journal.flush();
  }
  journal.flush();
  return disk;
}

/** The copy that ends after a command: whole segments before it, the last one cut. */
function copyUpTo(disk: SimulatedDisk, lastSeq: number): SimulatedDisk {
  const copy = new SimulatedDisk();
  const headers = readSegmentHeaders(disk).filter(({ firstSeq }) => firstSeq <= lastSeq);
  for (const header of headers) {
    const name = segmentName(header.segment);
    const bytes = readWhole(disk, name);
    withFile(copy.create(name), (file) =>
      writeFully(file, header === headers.at(-1) ? segmentUpTo(bytes, header, lastSeq) : bytes, 0),
    );
  }
  return copy;
}

test('a copy that ends after any command is a log that was closed there, and goes on from there', () => {
  const disk = growingLog();
  assert.ok(readSegmentHeaders(disk).length > 2, 'several segments');
  for (let lastSeq = 1; lastSeq <= COMMANDS; lastSeq++) {
    const { journal, records, report } = openSyncJournal(copyUpTo(disk, lastSeq), SMALL);
    assert.deepEqual([report.lastSeq, report.cleanEnd], [lastSeq, true]);
    const kept = [...records];
    assert.equal(kept.length, lastSeq);
    for (const { seq, payload } of kept) assert.deepEqual(payload, payloadOf(seq, 900));
    assert.equal(journal.append(payloadOf(0)), lastSeq + 1);
  }
});

test('a segment that does not hold the command is refused', () => {
  const disk = growingLog();
  const header = readSegmentHeaders(disk).at(-1)!;
  const bytes = readWhole(disk, segmentName(header.segment));
  assert.throws(() => segmentUpTo(bytes, header, COMMANDS + 1), JournalDamaged);
});
