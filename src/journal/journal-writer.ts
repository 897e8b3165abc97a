import { BATCH_HEADER_BYTES, type BatchPlace, identityCrc, sealBatch } from './batch-format.ts';
import { dataViewOf, getUint53 } from './bytes.ts';
import type { JournalCapacity } from './command-journal.ts';
import { type Disk, type DiskFile, withFile, writeFully } from './disk.ts';
import { encodeMark, MARK_PLACES, type MarkState } from './durable-watermark.ts';
import { segmentName } from './file-names.ts';
import { JournalFailed } from './journal-errors.ts';
import type { JournalSettings } from './journal-settings.ts';
import { recordBytes } from './record-format.ts';
import type { ResumePoint } from './recovery.ts';
import { encodeSegmentHead, SEGMENT_HEAD_BYTES } from './segment-format.ts';
import { SegmentPreallocator } from './segment-preallocator.ts';

/**
 * Shares of the last segment, without one in reserve: above the first only cancels are accepted, above the second
 * nothing.
 */
const CANCEL_ONLY_FROM = 3 / 4;
const READ_ONLY_FROM = 15 / 16;

/** The synchronous engine: one batch, one write, one sync. It knows no threads and no clock. */
export class JournalWriter {
  readonly #disk: Disk;
  readonly #settings: JournalSettings;
  readonly #instanceId: Uint8Array;
  readonly #epoch: number;
  readonly #identity: number;
  readonly #reserve: SegmentPreallocator;
  readonly #batch: Uint8Array;
  #file: DiskFile | undefined;
  #segment: number;
  #offset = 0;
  #chain: Uint8Array;
  #durableSeq: number;
  #markTurn = 0;
  #markIsSynced = true;
  #failure: JournalFailed | undefined;

  constructor(disk: Disk, settings: JournalSettings, resume: ResumePoint) {
    this.#disk = disk;
    this.#settings = settings;
    this.#instanceId = resume.instanceId;
    this.#epoch = resume.epoch;
    this.#identity = identityCrc(resume.instanceId);
    this.#segment = resume.lastSegment;
    this.#chain = resume.chain;
    this.#durableSeq = resume.lastSeq;
    this.#batch = new Uint8Array(BATCH_HEADER_BYTES + settings.batchBytesMax);
    this.#reserve = new SegmentPreallocator(disk, settings);
    this.#beginNextSegment();
  }

  get durableSeq(): number {
    return this.#durableSeq;
  }

  /** Would the newest watermark survive a power loss? */
  get markIsSynced(): boolean {
    return this.#markIsSynced;
  }

  get reserveIsComplete(): boolean {
    return this.#reserve.complete;
  }

  get reserveIsStarved(): boolean {
    return this.#reserve.starved;
  }

  /**
   * Writes one batch with as many of the encoded records as it may hold, and syncs it. Returns the bytes used; the
   * caller continues with the rest. An error is final: the state of the disk after a failed sync is unknown.
   */
  commit(records: Uint8Array): number {
    return this.#orFail('commit', () => {
      let cut = this.#cutBatch(records);
      if (cut.count === 0) {
        this.#beginNextSegment();
        cut = this.#cutBatch(records);
      }
      this.#writeBatch(records.subarray(0, cut.bytes), cut.count);
      return cut.bytes;
    });
  }

  /** One step of preparing segments ahead. */
  prepare(): void {
    this.#orFail('prepare', () => this.#reserve.advance());
  }

  /** Syncs the newest watermark; for idle moments, a busy journal does it with the next commit. */
  syncMark(): void {
    if (this.#markIsSynced) return;
    this.#orFail('settle', () => this.#file!.sync());
    this.#markIsSynced = true;
  }

  capacity(): JournalCapacity {
    if (this.#reserve.readyCount > 0) return 'normal';
    const used = this.#offset / this.#settings.segmentBytes;
    if (used > READ_ONLY_FROM) return 'read_only';
    return used > CANCEL_ONLY_FROM ? 'cancel_only' : 'normal';
  }

  /**
   * Bytes of records and batch headers that certainly fit in the existing space. A segment ends when the next record
   * does not fit, so up to one record of the greatest length is lost at each change of segment.
   */
  availableBytes(): number {
    const free = this.#settings.segmentBytes - this.#offset;
    const ready = this.#reserve.readyCount;
    if (ready === 0) return free;
    const lostAtEnd = recordBytes(this.#settings.payloadBytesMax) + BATCH_HEADER_BYTES;
    const perReserve = this.#settings.segmentBytes - SEGMENT_HEAD_BYTES - lostAtEnd;
    return Math.max(0, free - lostAtEnd) + ready * perReserve;
  }

  /** Marks the clean end, and frees the space behind it. */
  close(): void {
    this.#orFail('close', () => {
      const file = this.#file!;
      this.#writeBothMarks(file, this.#segment, 'closed');
      file.sync();
      file.truncate(this.#offset);
      file.sync();
    });
    this.abandon();
    this.#failure = new JournalFailed('the log is closed');
  }

  /** Closes the files without changing them: after a failure. */
  abandon(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#reserve.close();
  }

  #cutBatch(records: Uint8Array): { bytes: number; count: number } {
    const free = this.#settings.segmentBytes - this.#offset - BATCH_HEADER_BYTES;
    const limit = Math.min(free, this.#settings.batchBytesMax, records.length);
    const view = dataViewOf(records);
    let bytes = 0;
    let count = 0;
    while (bytes < limit) {
      const end = bytes + recordBytes(view.getUint32(bytes, true));
      if (end > limit) break;
      bytes = end;
      count += 1;
    }
    return { bytes, count };
  }

  #writeBatch(records: Uint8Array, count: number): void {
    const firstSeq = this.#durableSeq + 1;
    if (count === 0 || getUint53(dataViewOf(records), 8) !== firstSeq) {
      throw new Error(`records to commit must start at sequence ${firstSeq}`);
    }
    const file = this.#file!;
    const batch = this.#batch.subarray(0, BATCH_HEADER_BYTES + records.length);
    batch.set(records, BATCH_HEADER_BYTES);
    const chain = sealBatch(batch, this.#place(), firstSeq, count, this.#chain);
    writeFully(file, batch, this.#offset);
    file.sync();
    this.#offset += batch.length;
    this.#chain = chain;
    this.#durableSeq += count;
    this.#writeMark(file);
  }

  #writeMark(file: DiskFile): void {
    this.#markTurn = (this.#markTurn + 1) % MARK_PLACES.length;
    this.#markIsSynced = false;
    writeFully(file, this.#encodeMark(this.#segment, 'open'), MARK_PLACES[this.#markTurn]!);
  }

  #writeBothMarks(file: DiskFile, segment: number, state: MarkState): void {
    const mark = this.#encodeMark(segment, state);
    for (const place of MARK_PLACES) writeFully(file, mark, place);
  }

  #encodeMark(segment: number, state: MarkState): Uint8Array {
    return encodeMark({ durableSeq: this.#durableSeq, chain: this.#chain, state }, segment, this.#identity);
  }

  /**
   * The order matters. 1. The new file has its head on the disk before it gets the name of a segment, so a segment
   * without a valid head is damage. 2. The old one records its successor before the successor holds a batch, so a
   * lost successor is noticed.
   */
  #beginNextSegment(): void {
    const { name: reserve, file } = this.#reserve.take();
    const segment = this.#segment + 1;
    const firstSeq = this.#durableSeq + 1;
    const header = {
      epoch: this.#epoch,
      instanceId: this.#instanceId,
      segment,
      firstSeq,
      chain: this.#chain,
    };
    writeFully(file, encodeSegmentHead(header), 0);
    file.sync();
    this.#disk.rename(reserve, segmentName(segment));
    this.#disk.syncDirectory();
    if (this.#segment > 0) this.#markContinued(this.#segment);
    this.#file = file;
    this.#segment = segment;
    this.#offset = SEGMENT_HEAD_BYTES;
    this.#markIsSynced = true;
  }

  #markContinued(segment: number): void {
    withFile(this.#file ?? this.#disk.open(segmentName(segment)), (file) => {
      this.#writeBothMarks(file, segment, 'continued');
      file.sync();
    });
  }

  #place(): BatchPlace {
    return { segment: this.#segment, epoch: this.#epoch, identity: this.#identity };
  }

  #orFail<Result>(step: string, act: () => Result): Result {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return act();
    } catch (error) {
      this.#failure = new JournalFailed(`log failed (${step}): ${(error as Error).message}`, {
        cause: error,
      });
      throw this.#failure;
    }
  }
}
