import { BATCH_HEADER_BYTES, sealBatch } from './batch-format.ts';
import { dataViewOf } from './bytes.ts';
import { recordAt } from './record-format.ts';
import { SEGMENT_HEAD_BYTES, type SegmentHeader } from './segment-format.ts';
import { withClosedMarks } from './segment-repair.ts';
import { damageAt, placeOf, readBatches, scanSegment } from './segment-scan.ts';

/**
 * A segment as if the journal had been closed after command `lastSeq`: the end of a copy of a growing journal. A
 * batch that continues behind that command is sealed again without the rest.
 */
export function segmentUpTo(bytes: Uint8Array, header: SegmentHeader, lastSeq: number): Uint8Array {
  let offset = SEGMENT_HEAD_BYTES;
  let nextSeq = header.firstSeq;
  let { chain } = header;
  for (const batch of readBatches(bytes, header)) {
    if (nextSeq > lastSeq) break;
    if (batch.lastSeq > lastSeq) {
      const part = batchUpTo(bytes, offset, lastSeq);
      const cut = sealBatch(part, placeOf(header), nextSeq, lastSeq - nextSeq + 1, chain);
      const segment = Buffer.concat([bytes.subarray(0, offset), part]);
      return withClosedMarks(segment, header, { lastSeq, chain: cut });
    }
    offset = batch.endOffset;
    nextSeq = batch.lastSeq + 1;
    chain = batch.chain;
  }
  if (nextSeq <= lastSeq)
    throw damageAt(header, scanSegment(bytes, header), `it should hold command ${lastSeq}`);
  return withClosedMarks(bytes.slice(0, offset), header, { lastSeq: nextSeq - 1, chain });
}

/** A copy of the batch at the offset without the records after `lastSeq`. */
function batchUpTo(bytes: Uint8Array, offset: number, lastSeq: number): Uint8Array {
  const view = dataViewOf(bytes);
  let end = offset + BATCH_HEADER_BYTES;
  for (let seq = 0; seq < lastSeq; ) {
    const record = recordAt(bytes, view, end);
    seq = record.seq;
    end = record.endOffset;
  }
  return bytes.slice(offset, end);
}
