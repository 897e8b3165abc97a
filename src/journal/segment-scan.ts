import {
  BATCH_HEADER_BYTES,
  BATCH_MAGIC,
  type BatchPlace,
  batchIsWhole,
  identityCrc,
  readBatchHeader,
  recordsBytesAt,
} from './batch-format.ts';
import { dataViewOf, lengthWithoutTrailingZeros } from './bytes.ts';
import type { LoggedRecord } from './command-journal.ts';
import { segmentName } from './file-names.ts';
import { JournalDamaged } from './journal-errors.ts';
import { endOfWholeRecord, recordAt } from './record-format.ts';
import { SEGMENT_HEAD_BYTES, type SegmentHeader } from './segment-format.ts';

interface Batch {
  readonly lastSeq: number;
  readonly chain: Uint8Array;
  /** To be read once. */
  readonly records: Iterable<LoggedRecord>;
  readonly endOffset: number;
}

/** The valid part of a segment, and what lies behind it. */
export interface SegmentScan {
  readonly lastSeq: number;
  readonly chain: Uint8Array;
  readonly endOffset: number;
  /** Bytes after the end that are not zero: a torn batch, or a damaged one. */
  readonly strayBytes: number;
  /** First sequence of a batch found behind the end. Batches are written one after the other, so it proves damage. */
  readonly laterSeq: number | undefined;
}

export function scanSegment(bytes: Uint8Array, header: SegmentHeader): SegmentScan {
  let lastSeq = header.firstSeq - 1;
  let chain = header.chain;
  let endOffset = SEGMENT_HEAD_BYTES;
  for (const batch of readBatches(bytes, header)) ({ lastSeq, chain, endOffset } = batch);
  return {
    lastSeq,
    chain,
    endOffset,
    strayBytes: lengthWithoutTrailingZeros(bytes, endOffset) - endOffset,
    laterSeq: findLaterBatch(bytes, endOffset, lastSeq + 1, placeOf(header)),
  };
}

/** The batches from the start of the segment up to the first that is missing or wrong in any way. */
export function* readBatches(bytes: Uint8Array, header: SegmentHeader): Generator<Batch> {
  const place = placeOf(header);
  let offset = SEGMENT_HEAD_BYTES;
  let nextSeq = header.firstSeq;
  let chain = header.chain;
  for (;;) {
    const batch = readBatch(bytes, offset, place, nextSeq, chain);
    if (batch === undefined) return;
    yield batch;
    offset = batch.endOffset;
    nextSeq = batch.lastSeq + 1;
    chain = batch.chain;
  }
}

/** The records after `afterSeq` of a segment that has been scanned: nothing is checked again. */
export function* scannedRecords(
  bytes: Uint8Array,
  { endOffset }: SegmentScan,
  afterSeq: number,
): Generator<LoggedRecord> {
  const view = dataViewOf(bytes);
  for (let at = SEGMENT_HEAD_BYTES; at < endOffset; ) {
    const batchEnd = at + BATCH_HEADER_BYTES + recordsBytesAt(view, at);
    for (at += BATCH_HEADER_BYTES; at < batchEnd; ) {
      const record = recordAt(bytes, view, at);
      if (record.seq > afterSeq) yield record;
      at = record.endOffset;
    }
  }
}

function readBatch(
  bytes: Uint8Array,
  offset: number,
  place: BatchPlace,
  firstSeq: number,
  previousChain: Uint8Array,
): Batch | undefined {
  const header = readBatchHeader(bytes, offset, place);
  if (header === undefined || header.firstSeq !== firstSeq) return undefined;
  const endOffset = offset + BATCH_HEADER_BYTES + header.recordsBytes;
  if (endOffset > bytes.length) return undefined;
  const batch = bytes.subarray(offset, endOffset);
  if (!batchIsWhole(batch, header, previousChain)) return undefined;
  const records = batch.subarray(BATCH_HEADER_BYTES);
  if (!areWhole(records, firstSeq, header.count)) return undefined;
  const lastSeq = firstSeq + header.count - 1;
  return { lastSeq, chain: header.chain, records: recordsIn(records), endOffset };
}

/** Are these so many records, each as it was written? Nothing is made of them, because a start reads them later. */
function areWhole(records: Uint8Array, firstSeq: number, count: number): boolean {
  const view = dataViewOf(records);
  let seq = firstSeq;
  for (let at = 0; at < records.length; seq++) {
    at = endOfWholeRecord(records, view, at, seq);
    if (at === -1) return false;
  }
  return seq - firstSeq === count;
}

function* recordsIn(records: Uint8Array): Generator<LoggedRecord> {
  const view = dataViewOf(records);
  for (let at = 0; at < records.length; ) {
    const record = recordAt(records, view, at);
    yield record;
    at = record.endOffset;
  }
}

function findLaterBatch(
  bytes: Uint8Array,
  from: number,
  missingSeq: number,
  place: BatchPlace,
): number | undefined {
  const haystack = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = haystack.indexOf(BATCH_MAGIC, from); at !== -1; at = haystack.indexOf(BATCH_MAGIC, at + 1)) {
    const header = readBatchHeader(bytes, at, place);
    if (header !== undefined && header.firstSeq > missingSeq) return header.firstSeq;
  }
  return undefined;
}

/** The damage behind the valid part of a segment. */
export function damageAt(header: SegmentHeader, scan: SegmentScan, what: string): JournalDamaged {
  const file = segmentName(header.segment);
  return new JournalDamaged(`readable only up to sequence ${scan.lastSeq}, but ${what}`, {
    file,
    segment: header.segment,
    offset: scan.endOffset,
    seq: scan.lastSeq + 1,
  });
}

export function placeOf(header: SegmentHeader): BatchPlace {
  return { segment: header.segment, epoch: header.epoch, identity: identityCrc(header.instanceId) };
}
