import { getUint53, setUint53 } from './bytes.ts';
import { shortCrc } from './short-crc.ts';

/**
 * A record: length (4), CRC-32 (4), sequence number (8), payload, zeros up to a multiple of eight. It is encoded
 * once, by the thread that appends, and reaches the disk unchanged: its CRC covers the way through the queue as well.
 */
export const RECORD_HEADER_BYTES = 16;

export interface RecordView {
  readonly seq: number;
  readonly payload: Uint8Array;
  readonly endOffset: number;
}

export function recordBytes(payloadBytes: number): number {
  return (RECORD_HEADER_BYTES + payloadBytes + 7) & ~7;
}

/** Starting the CRC from the sequence number binds the two together without a second pass. */
function recordCrc(seq: number, bytes: Uint8Array, payloadAt: number, payloadEnd: number): number {
  return shortCrc(bytes, payloadAt, payloadEnd, seq >>> 0);
}

export function encodeRecord(
  into: Uint8Array,
  view: DataView,
  at: number,
  seq: number,
  payload: Uint8Array,
): void {
  const payloadEnd = at + RECORD_HEADER_BYTES + payload.length;
  view.setUint32(at, payload.length, true);
  view.setUint32(at + 4, recordCrc(seq, payload, 0, payload.length), true);
  setUint53(view, at + 8, seq);
  into.set(payload, at + RECORD_HEADER_BYTES);
  into.fill(0, payloadEnd, at + recordBytes(payload.length));
}

/** Where the record of this sequence number ends; -1 when it is another, does not fit in the bytes or its CRC does not match. */
export function endOfWholeRecord(bytes: Uint8Array, view: DataView, at: number, seq: number): number {
  if (at + RECORD_HEADER_BYTES > bytes.length || getUint53(view, at + 8) !== seq) return -1;
  const length = view.getUint32(at, true);
  const end = at + recordBytes(length);
  if (length > bytes.length || end > bytes.length) return -1;
  const payloadAt = at + RECORD_HEADER_BYTES;
  return view.getUint32(at + 4, true) === recordCrc(seq, bytes, payloadAt, payloadAt + length) ? end : -1;
}

/** A record that is known to be whole. */
export function recordAt(bytes: Uint8Array, view: DataView, at: number): RecordView {
  const length = view.getUint32(at, true);
  const payloadAt = at + RECORD_HEADER_BYTES;
  return {
    seq: getUint53(view, at + 8),
    payload: bytes.subarray(payloadAt, payloadAt + length),
    endOffset: at + recordBytes(length),
  };
}
