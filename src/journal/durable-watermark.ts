import { crc32 } from 'node:zlib';
import { CHAIN_HASH_BYTES } from './batch-format.ts';
import { dataViewOf, getUint53, setUint53 } from './bytes.ts';

/**
 * The watermark is the end of a segment's durable batches. It is written after each sync and reaches the disk with
 * the
 * next one. Recovery needs it for one question: was the bad batch at the end torn while it was written (never
 * acknowledged: cut it), or damaged after it was acknowledged (refuse)?
 * It is stored twice in the segment's head, in sectors of their own, written in turn: a mark torn by a power loss
 * leaves
 * the one before it. A mark that does not match its CRC is ignored.
 */
export type MarkState = 'open' | 'closed' | 'continued';

export interface DurableWatermark {
  readonly durableSeq: number;
  readonly chain: Uint8Array;
  /** `closed`: the journal was closed after this batch. `continued`: the next segment was created, so it must exist. */
  readonly state: MarkState;
}

const MARK_BYTES = 512;
export const MARK_PLACES = [512, 1024] as const;

const STATES: readonly MarkState[] = ['open', 'closed', 'continued'];
const MAGIC = 0x4b52414d;
const CHAIN_AT = 24;
const CRC_AT = CHAIN_AT + CHAIN_HASH_BYTES;

export function encodeMark(mark: DurableWatermark, segment: number, identity: number): Uint8Array {
  const bytes = new Uint8Array(MARK_BYTES);
  const view = dataViewOf(bytes);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, STATES.indexOf(mark.state), true);
  setUint53(view, 8, mark.durableSeq);
  setUint53(view, 16, segment);
  bytes.set(mark.chain, CHAIN_AT);
  view.setUint32(CRC_AT, crc32(bytes.subarray(0, CRC_AT), identity), true);
  return bytes;
}

/** The further of the two valid marks. */
export function readMark(head: Uint8Array, segment: number, identity: number): DurableWatermark | undefined {
  const rank = (mark: DurableWatermark): number =>
    mark.durableSeq * STATES.length + STATES.indexOf(mark.state);
  return MARK_PLACES.map((place) => decodeMark(head.subarray(place, place + MARK_BYTES), segment, identity))
    .filter((mark) => mark !== undefined)
    .sort((a, b) => rank(b) - rank(a))[0];
}

function decodeMark(bytes: Uint8Array, segment: number, identity: number): DurableWatermark | undefined {
  if (bytes.length < MARK_BYTES) return undefined;
  const view = dataViewOf(bytes);
  if (view.getUint32(0, true) !== MAGIC) return undefined;
  if (view.getUint32(CRC_AT, true) !== crc32(bytes.subarray(0, CRC_AT), identity)) return undefined;
  const state = STATES[view.getUint32(4, true)];
  if (state === undefined || getUint53(view, 16) !== segment) return undefined;
  return { durableSeq: getUint53(view, 8), chain: bytes.slice(CHAIN_AT, CRC_AT), state };
}
