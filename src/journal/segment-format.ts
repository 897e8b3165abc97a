import { crc32 } from 'node:zlib';
import { CHAIN_HASH_BYTES } from './batch-format.ts';
import { dataViewOf, equalBytes, getUint53, setUint53 } from './bytes.ts';

/**
 * The head of a segment, one block of 4 KiB before the first batch.
 *
 * | offset | bytes | field |
 * |---|---|---|
 * | 0 | 8 | magic |
 * | 8 | 4 | format version |
 * | 12 | 4 | epoch: counts the starts on this directory |
 * | 16 | 16 | instance id |
 * | 32 | 8 | segment number |
 * | 40 | 8 | first sequence number |
 * | 48 | 32 | chain hash before its first batch |
 * | 508 | 4 | CRC-32 of the 508 bytes before, in every version of the format |
 * | 512 | 512 | acknowledged mark, first place |
 * | 1024 | 512 | acknowledged mark, second place |
 */
export const SEGMENT_HEAD_BYTES = 4096;
export const SEGMENT_FORMAT_VERSION = 1;
export const INSTANCE_ID_BYTES = 16;

const MAGIC = new TextEncoder().encode('BRSSEGMT');
const HEADER_CRC_AT = 508;
const CHAIN_AT = 48;

export interface SegmentHeader {
  readonly epoch: number;
  readonly instanceId: Uint8Array;
  readonly segment: number;
  readonly firstSeq: number;
  readonly chain: Uint8Array;
}

/** The whole head, with both marks empty. */
export function encodeSegmentHead(header: SegmentHeader): Uint8Array {
  const head = new Uint8Array(SEGMENT_HEAD_BYTES);
  const view = dataViewOf(head);
  head.set(MAGIC, 0);
  view.setUint32(8, SEGMENT_FORMAT_VERSION, true);
  view.setUint32(12, header.epoch, true);
  head.set(header.instanceId, 16);
  setUint53(view, 32, header.segment);
  setUint53(view, 40, header.firstSeq);
  head.set(header.chain, CHAIN_AT);
  view.setUint32(HEADER_CRC_AT, crc32(head.subarray(0, HEADER_CRC_AT)), true);
  return head;
}

/** The header, or why it is invalid. */
export function decodeSegmentHeader(
  head: Uint8Array,
): SegmentHeader | { readonly unknownVersion: number } | undefined {
  if (head.length < SEGMENT_HEAD_BYTES || !equalBytes(head.subarray(0, MAGIC.length), MAGIC))
    return undefined;
  const view = dataViewOf(head);
  if (view.getUint32(HEADER_CRC_AT, true) !== crc32(head.subarray(0, HEADER_CRC_AT))) return undefined;
  const version = view.getUint32(8, true);
  if (version !== SEGMENT_FORMAT_VERSION) return { unknownVersion: version };
  return {
    epoch: view.getUint32(12, true),
    instanceId: head.slice(16, 16 + INSTANCE_ID_BYTES),
    segment: getUint53(view, 32),
    firstSeq: getUint53(view, 40),
    chain: head.slice(CHAIN_AT, CHAIN_AT + CHAIN_HASH_BYTES),
  };
}
