import type { Snapshot } from './command-journal.ts';
import type { Disk } from './disk.ts';
import { segmentName, snapshotName, snapshotSeqs } from './file-names.ts';
import { readSegmentHeaders } from './segment-files.ts';
import { readSnapshotFile, writeSnapshotFile } from './snapshot-file.ts';

/**
 * Saves the snapshot, keeps it and the one before, and lets go of the segments that neither needs. It touches only
 * segments that are complete, so it may run beside the writer. Older snapshots go first, durably: whoever reads the
 * directory meanwhile, or after a power loss, finds every snapshot with the segments that continue it.
 */
export function saveSnapshotAndTrim(disk: Disk, instanceId: Uint8Array, snapshot: Snapshot): void {
  writeSnapshotFile(disk, instanceId, snapshot);
  const older = snapshotSeqs(disk.list()).filter((seq) => seq < snapshot.seq);
  const fallbackSeq = older.at(-1);
  if (fallbackSeq === undefined) return;
  // Segments behind a snapshot may be deleted only when the snapshot is valid.
  if (typeof readSnapshotFile(disk, fallbackSeq, instanceId) === 'string') return;
  for (const seq of older.slice(0, -1)) disk.unlink(snapshotName(seq));
  disk.syncDirectory();
  dropSegmentsBefore(disk, fallbackSeq);
}

/** Oldest first, each removal made durable before the next: a power loss must not leave a hole in the numbers. */
function dropSegmentsBefore(disk: Disk, snapshotSeq: number): void {
  const headers = readSegmentHeaders(disk);
  for (const [index, header] of headers.entries()) {
    const next = headers[index + 1];
    if (next === undefined || next.firstSeq > snapshotSeq + 1) return;
    disk.unlink(segmentName(header.segment));
    disk.syncDirectory();
  }
}
