import { equalBytes } from './bytes.ts';
import type { LoggedRecord } from './command-journal.ts';
import { type Disk, readWhole } from './disk.ts';
import { segmentName } from './file-names.ts';
import type { SegmentHeader } from './segment-format.ts';
import { damageAt, type SegmentScan, scannedRecords, scanSegment } from './segment-scan.ts';

export interface ScannedSegment {
  readonly header: SegmentHeader;
  readonly bytes: Uint8Array;
  readonly scan: SegmentScan;
}

export function readSegment(disk: Disk, header: SegmentHeader): ScannedSegment {
  const bytes = readWhole(disk, segmentName(header.segment));
  return { header, bytes, scan: scanSegment(bytes, header) };
}

/**
 * The records of checked segments. A journal may be far larger than the memory, so only the first segments are kept
 * from their check to their replay; the others are read and checked again, one at a time.
 */
export class SegmentReplay implements Iterable<LoggedRecord> {
  readonly #disk: Disk;
  readonly #afterSeq: number;
  readonly #scans: { readonly header: SegmentHeader; readonly scan: SegmentScan }[] = [];
  readonly #kept = new Map<number, ScannedSegment>();
  #availableBytes: number;

  constructor(disk: Disk, afterSeq: number, keptBytesMax: number) {
    this.#disk = disk;
    this.#afterSeq = afterSeq;
    this.#availableBytes = keptBytesMax;
  }

  add(segment: ScannedSegment): void {
    const { header, bytes, scan } = segment;
    this.#scans.push({ header, scan });
    this.#availableBytes -= bytes.length;
    if (this.#availableBytes >= 0) this.#kept.set(header.segment, segment);
  }

  *[Symbol.iterator](): Generator<LoggedRecord> {
    for (const { header, scan } of this.#scans) {
      const { bytes } = this.#take(header, scan);
      yield* scannedRecords(bytes, scan, this.#afterSeq);
    }
  }

  #take(header: SegmentHeader, scan: SegmentScan): ScannedSegment {
    const kept = this.#kept.get(header.segment);
    this.#kept.delete(header.segment);
    return kept ?? this.#readAgain(header, scan);
  }

  /** An equal chain hash proves equal records. */
  #readAgain(header: SegmentHeader, scan: SegmentScan): ScannedSegment {
    const again = readSegment(this.#disk, header);
    if (equalBytes(again.scan.chain, scan.chain)) return again;
    throw damageAt(header, again.scan, `its check before the replay ended at ${scan.lastSeq}`);
  }
}
