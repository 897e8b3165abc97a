import { isOutOfSpace } from '../storage/shortage-errors.ts';
import { identityCrc } from './batch-format.ts';
import { type Disk, withFile, writeFully } from './disk.ts';
import { encodeMark, MARK_PLACES } from './durable-watermark.ts';
import { isReserve, quarantinedName, quarantinedNames, segmentName, unfinishedName } from './file-names.ts';
import { SpaceMissing } from './journal-errors.ts';
import type { SegmentHeader } from './segment-format.ts';
import type { SegmentScan } from './segment-scan.ts';

/**
 * Makes the valid part of the last segment durable after an unclean end. The bytes that were read may exist only in
 * the page cache, and after a failed sync the kernel counts those pages as clean: syncing the old file again would
 * prove nothing. So the part is copied into a new file, which takes the old one's name; the old one is quarantined.
 */
export function replaceByValidPart(
  disk: Disk,
  bytes: Uint8Array,
  header: SegmentHeader,
  scan: SegmentScan,
  epoch: number,
): string {
  const name = segmentName(header.segment);
  const aside = quarantinedName(name, epoch);
  const part = withClosedMarks(bytes.slice(0, scan.endOffset), header, scan);
  while (!written(disk, unfinishedName(name), part)) {
    if (!gaveUpSpace(disk, aside)) throw new SpaceMissing(name, part.length);
  }
  // An earlier attempt in this epoch may have been interrupted after this step.
  if (!disk.list().includes(aside)) disk.link(name, aside);
  disk.rename(unfinishedName(name), name);
  disk.syncDirectory();
  return aside;
}

/** False when the disk is full; the attempt leaves nothing then. */
function written(disk: Disk, name: string, bytes: Uint8Array): boolean {
  try {
    withFile(disk.create(name), (file) => {
      writeFully(file, bytes, 0);
      file.sync();
    });
    return true;
  } catch (error) {
    if (!isOutOfSpace(error)) throw error;
    if (disk.list().includes(name)) disk.unlink(name);
    return false;
  }
}

/** Deletes a quarantined file, or a segment in reserve; false when there is none. */
function gaveUpSpace(disk: Disk, aside: string): boolean {
  const names = disk.list();
  const name = quarantinedNames(names).find((kept) => kept !== aside) ?? names.find(isReserve);
  if (name === undefined) return false;
  disk.unlink(name);
  return true;
}

export function dropOldestQuarantined(disk: Disk, keep: number): void {
  const names = quarantinedNames(disk.list());
  for (const name of names.slice(0, Math.max(0, names.length - keep))) disk.unlink(name);
}

/** The segment with both marks as if the journal was closed after its last batch. */
export function withClosedMarks(
  segment: Uint8Array,
  header: SegmentHeader,
  scan: Pick<SegmentScan, 'lastSeq' | 'chain'>,
): Uint8Array {
  const mark = encodeMark(
    { durableSeq: scan.lastSeq, chain: scan.chain, state: 'closed' },
    header.segment,
    identityCrc(header.instanceId),
  );
  for (const place of MARK_PLACES) segment.set(mark, place);
  return segment;
}
