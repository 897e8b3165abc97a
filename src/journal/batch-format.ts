import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { dataViewOf, equalBytes, getUint53, setUint53 } from './bytes.ts';

/**
 * One group commit on the disk: this header, then the encoded records.
 *
 * | offset | bytes | field |
 * |---|---|---|
 * | 0 | 8 | magic |
 * | 8 | 4 | length of the records |
 * | 12 | 4 | number of records |
 * | 16 | 8 | first sequence number |
 * | 24 | 4 | epoch |
 * | 28 | 4 | segment number |
 * | 32 | 4 | CRC-32 of the records |
 * | 36 | 32 | chain hash: SHA-256 of the previous chain hash, the fields above and the records |
 * | 68 | 4 | CRC-32 of the header, started from the instance id |
 */
export const BATCH_HEADER_BYTES = 72;
export const BATCH_MAGIC = new TextEncoder().encode('BRSBATCH');
export const CHAIN_HASH_BYTES = 32;
/** The chain before the first batch of a new log. */
export const FIRST_CHAIN_HASH = new Uint8Array(CHAIN_HASH_BYTES);

const FIELDS_END = 36;
const HEADER_CRC_AT = 68;

export interface BatchPlace {
  readonly segment: number;
  readonly epoch: number;
  /** See identityCrc. */
  readonly identity: number;
}

export interface BatchHeader {
  readonly recordsBytes: number;
  readonly count: number;
  readonly firstSeq: number;
  readonly recordsCrc: number;
  readonly chain: Uint8Array;
}

/**
 * Header checksums start from the random instance id. So a batch of another exchange is invalid here, and a client
 * that sends bytes that look like a batch inside a command cannot make a torn tail look like damage.
 */
export function identityCrc(instanceId: Uint8Array): number {
  return crc32(instanceId);
}

/** `batch` has space for the header, then the records. Returns the new chain hash. */
export function sealBatch(
  batch: Uint8Array,
  place: BatchPlace,
  firstSeq: number,
  count: number,
  previousChain: Uint8Array,
): Uint8Array {
  const view = dataViewOf(batch);
  const records = batch.subarray(BATCH_HEADER_BYTES);
  batch.set(BATCH_MAGIC, 0);
  view.setUint32(8, records.length, true);
  view.setUint32(12, count, true);
  setUint53(view, 16, firstSeq);
  view.setUint32(24, place.epoch, true);
  view.setUint32(28, place.segment, true);
  view.setUint32(32, crc32(records), true);
  const chain = chainHash(previousChain, batch.subarray(0, FIELDS_END), records);
  batch.set(chain, FIELDS_END);
  view.setUint32(HEADER_CRC_AT, crc32(batch.subarray(0, HEADER_CRC_AT), place.identity), true);
  return chain;
}

/** Undefined unless a batch of exactly this segment and epoch starts at the offset. Says nothing about its records. */
export function readBatchHeader(
  bytes: Uint8Array,
  offset: number,
  place: BatchPlace,
): BatchHeader | undefined {
  if (offset + BATCH_HEADER_BYTES > bytes.length) return undefined;
  const header = bytes.subarray(offset, offset + BATCH_HEADER_BYTES);
  if (!equalBytes(header.subarray(0, BATCH_MAGIC.length), BATCH_MAGIC)) return undefined;
  const view = dataViewOf(header);
  if (view.getUint32(HEADER_CRC_AT, true) !== crc32(header.subarray(0, HEADER_CRC_AT), place.identity))
    return undefined;
  if (view.getUint32(24, true) !== place.epoch || view.getUint32(28, true) !== place.segment)
    return undefined;
  return {
    recordsBytes: recordsBytesAt(view, 0),
    count: view.getUint32(12, true),
    firstSeq: getUint53(view, 16),
    recordsCrc: view.getUint32(32, true),
    chain: header.slice(FIELDS_END, FIELDS_END + CHAIN_HASH_BYTES),
  };
}

/** Length of the records behind the batch header at the offset. */
export function recordsBytesAt(view: DataView, offset: number): number {
  return view.getUint32(offset + 8, true);
}

/** Whether the records are the ones the header was made for, following the batch that ended in `previousChain`. */
export function batchIsWhole(batch: Uint8Array, header: BatchHeader, previousChain: Uint8Array): boolean {
  const records = batch.subarray(BATCH_HEADER_BYTES);
  if (crc32(records) !== header.recordsCrc) return false;
  return equalBytes(chainHash(previousChain, batch.subarray(0, FIELDS_END), records), header.chain);
}

function chainHash(previous: Uint8Array, fields: Uint8Array, records: Uint8Array): Uint8Array {
  return createHash('sha256').update(previous).update(fields).update(records).digest();
}
