/**
 * Reads a directory beside its writer: the newest snapshot and the records after it, up to one that is durable. Nothing is
 * repaired and nothing changed. Snapshots and old segments must not be removed meanwhile.
 */
import type { JournalPast, LoggedRecord, Snapshot } from './command-journal.ts';
import { type Disk, readWhole } from './disk.ts';
import { segmentName, snapshotSeqs } from './file-names.ts';
import { continues, readSegmentHeaders } from './segment-files.ts';
import type { SegmentHeader } from './segment-format.ts';
import { damageAt, readBatches, scanSegment } from './segment-scan.ts';
import { readSnapshotFile } from './snapshot-file.ts';

export interface JournalPrefix {
  readonly instanceId: Uint8Array;
  readonly snapshot: Snapshot | undefined;
  /** Read while iterated. Throws JournalDamaged when they end before the last one. */
  readonly records: Iterable<LoggedRecord>;
}

/** `lastSeq` must be durable. */
export function readJournal(disk: Disk, lastSeq: number): JournalPrefix {
  const headers = readSegmentHeaders(disk);
  const { instanceId } = headers[0]!;
  const snapshot = newestSnapshot(disk, instanceId, lastSeq);
  return { instanceId, snapshot, records: recordsBehind(disk, headers, snapshot?.seq ?? 0, lastSeq) };
}

/** The newest snapshot of at most this command. */
export function snapshotBefore(disk: Disk, seq: number): Snapshot | undefined {
  return newestSnapshot(disk, readSegmentHeaders(disk)[0]!.instanceId, seq);
}

/** The records behind a command that is there or is the last of a snapshot; `lastSeq` must be durable. */
export function recordsAfter(disk: Disk, afterSeq: number, lastSeq: number): Iterable<LoggedRecord> {
  return recordsBehind(disk, readSegmentHeaders(disk), afterSeq, lastSeq);
}

function recordsBehind(
  disk: Disk,
  headers: readonly SegmentHeader[],
  afterSeq: number,
  lastSeq: number,
): Iterable<LoggedRecord> {
  const start = headers.findLastIndex((header) => continues(header, afterSeq));
  return recordsOf(disk, headers.slice(start), afterSeq + 1, lastSeq);
}

/** The first command that snapshots and records lead to. */
export function oldestReplayable(disk: Disk): number {
  const [first] = readSegmentHeaders(disk);
  return first?.firstSeq === 1 ? 1 : (snapshotSeqs(disk.list())[0] ?? 0) + 1;
}

/**
 * Everything up to a record that is durable. The records are read while iterated; a trim beside it may take a segment away,
 * which throws as the disk does.
 */
export function readPast(disk: Disk, lastSeq: number): JournalPast {
  const headers = readSegmentHeaders(disk);
  const { instanceId, firstSeq } = headers[0]!;
  const snapshots = snapshotSeqs(disk.list())
    .filter((seq) => seq <= lastSeq && seq + 1 >= firstSeq)
    .map((seq) => readSnapshotFile(disk, seq, instanceId))
    .filter((found) => typeof found !== 'string');
  return {
    snapshots,
    firstSeq,
    recordsAfter: (seq) => {
      const start = headers.findLastIndex((header) => continues(header, seq));
      return recordsOf(disk, headers.slice(start), seq + 1, lastSeq);
    },
  };
}

function newestSnapshot(disk: Disk, instanceId: Uint8Array, lastSeq: number): Snapshot | undefined {
  for (const seq of snapshotSeqs(disk.list()).reverse()) {
    if (seq > lastSeq) continue;
    const found = readSnapshotFile(disk, seq, instanceId);
    if (typeof found !== 'string') return found;
  }
  return undefined;
}

function* recordsOf(
  disk: Disk,
  headers: readonly SegmentHeader[],
  firstSeq: number,
  lastSeq: number,
): Generator<LoggedRecord> {
  let nextSeq = firstSeq;
  for (const header of headers) {
    if (nextSeq > lastSeq) return;
    const bytes = readWhole(disk, segmentName(header.segment));
    for (const { records } of readBatches(bytes, header)) {
      for (const record of records) {
        if (record.seq < nextSeq) continue;
        if (record.seq > lastSeq) return;
        yield record;
        nextSeq = record.seq + 1;
      }
    }
    const isLast = header === headers.at(-1);
    if (isLast && nextSeq <= lastSeq)
      throw damageAt(header, scanSegment(bytes, header), `records up to ${lastSeq} are durable`);
  }
}
