import { FIRST_CHAIN_HASH, identityCrc } from './batch-format.ts';
import { equalBytes, hex } from './bytes.ts';
import type { LoggedRecord, Snapshot } from './command-journal.ts';
import type { Disk } from './disk.ts';
import { type DurableWatermark, readMark } from './durable-watermark.ts';
import { isUnfinished, quarantinedName, segmentName, snapshotName, snapshotSeqs } from './file-names.ts';
import { JournalDamaged } from './journal-errors.ts';
import type { JournalSettings } from './journal-settings.ts';
import type { DamagedSnapshot, RecoveryReport } from './recovery-report.ts';
import { continues, readSegmentHeaders } from './segment-files.ts';
import type { SegmentHeader } from './segment-format.ts';
import { dropOldestQuarantined, replaceByValidPart } from './segment-repair.ts';
import { readSegment, type ScannedSegment, SegmentReplay } from './segment-replay.ts';
import { damageAt, type SegmentScan } from './segment-scan.ts';
import { readSnapshotFile } from './snapshot-file.ts';

/** Where the writer continues: always in a new segment, of a new epoch. Plain data, it is passed to the worker. */
export interface ResumePoint {
  readonly instanceId: Uint8Array;
  readonly epoch: number;
  /** 0 in a new directory. */
  readonly lastSegment: number;
  readonly lastSeq: number;
  readonly chain: Uint8Array;
}

export interface RecoveredState {
  readonly resume: ResumePoint;
  readonly snapshot: Snapshot | undefined;
  readonly records: Iterable<LoggedRecord>;
  readonly report: RecoveryReport;
}

interface LastSegment extends ScannedSegment {
  readonly closed: boolean;
}

/**
 * Reads a directory back: 1. headers of all segments, 2. the newest valid snapshot, 3. every batch after it, 4. the
 * end of the last segment. Only when all of that is certain does it change anything: the records are made durable,
 * leftovers are removed.
 */
export function recover(disk: Disk, settings: JournalSettings): RecoveredState {
  const headers = readSegmentHeaders(disk);
  const [first] = headers;
  if (first === undefined) return startNewLog(disk, settings);
  const { snapshot, damaged } = chooseSnapshot(disk, first.instanceId);
  const replayed = segmentsAfter(headers, snapshot?.seq ?? 0, damaged);
  const records = new SegmentReplay(disk, snapshot?.seq ?? 0, settings.replayBytesMax);
  const last = verifySegments(disk, replayed, records);
  refuseSnapshotAheadOf(last, snapshot?.seq ?? 0);
  return finishRecovery(disk, settings, snapshot, damaged, records, last);
}

function startNewLog(disk: Disk, settings: JournalSettings): RecoveredState {
  const orphan = snapshotSeqs(disk.list())[0];
  if (orphan !== undefined) {
    const place = { file: segmentName(1), segment: 1, offset: 0, seq: orphan + 1 };
    throw new JournalDamaged('there are snapshots but no segment', place);
  }
  removeUnfinished(disk);
  const instanceId = settings.newInstanceId();
  const report: RecoveryReport = {
    instanceId: hex(instanceId),
    epoch: 1,
    cleanEnd: true,
    lastSeq: 0,
    snapshotSeq: 0,
    recordsToReplay: 0,
    tornBytes: 0,
    quarantined: undefined,
    damagedSnapshots: [],
  };
  const resume = { instanceId, epoch: 1, lastSegment: 0, lastSeq: 0, chain: FIRST_CHAIN_HASH };
  return { resume, snapshot: undefined, records: [], report };
}

function chooseSnapshot(
  disk: Disk,
  instanceId: Uint8Array,
): { snapshot: Snapshot | undefined; damaged: DamagedSnapshot[] } {
  const damaged: DamagedSnapshot[] = [];
  for (const seq of snapshotSeqs(disk.list()).reverse()) {
    const found = readSnapshotFile(disk, seq, instanceId);
    if (typeof found !== 'string') return { snapshot: found, damaged };
    damaged.push({ file: snapshotName(seq), reason: found });
  }
  return { snapshot: undefined, damaged };
}

/** From the segment that holds the first record after the snapshot. */
function segmentsAfter(
  headers: readonly SegmentHeader[],
  snapshotSeq: number,
  damaged: readonly DamagedSnapshot[],
): readonly SegmentHeader[] {
  const start = headers.findLastIndex((header) => continues(header, snapshotSeq));
  if (start !== -1) return headers.slice(start);
  const first = headers[0]!;
  const newest = snapshotSeq === 0 ? 'there is no snapshot' : `the newest snapshot is of ${snapshotSeq}`;
  const why = damaged.map(({ file, reason }) => `${file}: ${reason}`).join('; ') || newest;
  throw new JournalDamaged(
    `records ${snapshotSeq + 1} to ${first.firstSeq - 1} are neither in a segment nor in a snapshot (${why})`,
    {
      file: segmentName(first.segment),
      segment: first.segment,
      offset: 0,
      seq: snapshotSeq + 1,
    },
  );
}

function verifySegments(disk: Disk, headers: readonly SegmentHeader[], records: SegmentReplay): LastSegment {
  for (const [index, header] of headers.entries()) {
    const segment = readSegment(disk, header);
    records.add(segment);
    const next = headers[index + 1];
    if (next === undefined) return classifyEnd(segment);
    refuseUnlessContinued(segment, next);
  }
  throw new Error('recovery needs at least one segment');
}

/** A segment with a successor is complete exactly when the chain leads from its last batch into the successor. */
function refuseUnlessContinued({ header, scan }: ScannedSegment, next: SegmentHeader): void {
  if (next.firstSeq === scan.lastSeq + 1 && equalBytes(next.chain, scan.chain)) return;
  throw damageAt(header, scan, `segment ${next.segment} continues at sequence ${next.firstSeq}`);
}

function classifyEnd(segment: ScannedSegment): LastSegment {
  const { header, bytes, scan } = segment;
  if (scan.laterSeq !== undefined) {
    throw damageAt(header, scan, `a batch is bad, yet batch ${scan.laterSeq} was written after it`);
  }
  const mark = readMark(bytes, header.segment, identityCrc(header.instanceId));
  if (mark !== undefined) refuseLossOfAcknowledged(header, scan, mark);
  const closed = mark?.state === 'closed' && mark.durableSeq === scan.lastSeq && scan.strayBytes === 0;
  return { ...segment, closed };
}

function refuseLossOfAcknowledged(header: SegmentHeader, scan: SegmentScan, mark: DurableWatermark): void {
  if (mark.state === 'continued') throw damageAt(header, scan, `segment ${header.segment + 1} is missing`);
  if (mark.durableSeq > scan.lastSeq) {
    throw damageAt(header, scan, `records up to ${mark.durableSeq} were acknowledged`);
  }
  if (mark.durableSeq === scan.lastSeq && !equalBytes(mark.chain, scan.chain)) {
    throw damageAt(header, scan, 'other records were acknowledged under these sequence numbers');
  }
}

function refuseSnapshotAheadOf({ header, scan }: LastSegment, snapshotSeq: number): void {
  if (snapshotSeq > scan.lastSeq)
    throw damageAt(header, scan, `a snapshot exists of sequence ${snapshotSeq}`);
}

function finishRecovery(
  disk: Disk,
  settings: JournalSettings,
  snapshot: Snapshot | undefined,
  damagedSnapshots: readonly DamagedSnapshot[],
  records: SegmentReplay,
  last: LastSegment,
): RecoveredState {
  const { header, bytes, scan } = last;
  const epoch = header.epoch + 1;
  const snapshotSeq = snapshot?.seq ?? 0;
  removeUnfinished(disk);
  // Under its old name a damaged snapshot would count as one of the two that are kept.
  for (const { file } of damagedSnapshots) disk.rename(file, quarantinedName(file, epoch));
  const quarantined = last.closed ? undefined : replaceByValidPart(disk, bytes, header, scan, epoch);
  dropOldestQuarantined(disk, settings.quarantinedFilesMax);
  disk.syncDirectory();
  const report: RecoveryReport = {
    instanceId: hex(header.instanceId),
    epoch,
    cleanEnd: last.closed,
    lastSeq: scan.lastSeq,
    snapshotSeq,
    recordsToReplay: scan.lastSeq - snapshotSeq,
    tornBytes: scan.strayBytes,
    quarantined,
    damagedSnapshots,
  };
  const { instanceId, segment: lastSegment } = header;
  const resume = { instanceId, epoch, lastSegment, lastSeq: scan.lastSeq, chain: scan.chain };
  return { resume, snapshot, records, report };
}

function removeUnfinished(disk: Disk): void {
  for (const name of disk.list().filter(isUnfinished)) disk.unlink(name);
}
