import { randomBytes } from 'node:crypto';

/** Every limit of the journal in one place. */
export interface JournalSettings {
  readonly segmentBytes: number;
  /** Bound of the queue between `append` and the disk; a power of two. */
  readonly queueBytes: number;
  readonly payloadBytesMax: number;
  /** One group commit writes at most this much, so that its acknowledgement is never far away. */
  readonly batchBytesMax: number;
  /** Zeroed segments kept ready, so that a full disk meets the preparation and not a commit. */
  readonly reserveSegments: number;
  /** Zeros written and synced at a time while preparing: the longest a commit can be held up by it. */
  readonly prepareStepBytes: number;
  /** Left free while preparing: databases and snapshots on the same disk need some before the journal needs more. */
  readonly spareBytes: number;
  /** Segments up to this size together stay in memory from their check to their replay; others are read and checked twice. */
  readonly replayBytesMax: number;
  /** Files quarantined after unclean ends and damage, for inspection. */
  readonly quarantinedFilesMax: number;
  readonly newInstanceId: () => Uint8Array;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const SEGMENT_BYTES_MIN = 16 * KIB;
/**
 * The longest command is a listing: its specification is one text of at most 65,535 bytes, and some hundred bytes say
 * when and by whom. A segment must be three times as long.
 */
export const COMMAND_BYTES_MAX = 66 * KIB;
/** Of an exchange; simulations with short commands may go below it. */
export const EXCHANGE_SEGMENT_BYTES_MIN = 256 * KIB;

export function journalSettings(chosen: Partial<JournalSettings> = {}): JournalSettings {
  const segmentBytes = chosen.segmentBytes ?? 64 * MIB;
  const queueBytes = chosen.queueBytes ?? Math.min(16 * MIB, powerOfTwoAtMost(2 * segmentBytes));
  const payloadBytesMax =
    chosen.payloadBytesMax ?? Math.min(MIB, queueBytes / 4, Math.floor(segmentBytes / 3));
  const settings: JournalSettings = {
    segmentBytes,
    queueBytes,
    payloadBytesMax,
    batchBytesMax: chosen.batchBytesMax ?? Math.max(4 * MIB, 2 * payloadBytesMax),
    reserveSegments: chosen.reserveSegments ?? 2,
    prepareStepBytes: chosen.prepareStepBytes ?? Math.min(MIB, segmentBytes / 4),
    spareBytes: chosen.spareBytes ?? Math.min(16 * MIB, segmentBytes / 4),
    replayBytesMax: chosen.replayBytesMax ?? 256 * MIB,
    quarantinedFilesMax: chosen.quarantinedFilesMax ?? 2,
    newInstanceId: chosen.newInstanceId ?? (() => new Uint8Array(randomBytes(16))),
  };
  refuseContradictions(settings);
  return settings;
}

function refuseContradictions(settings: JournalSettings): void {
  const { segmentBytes, queueBytes, payloadBytesMax, batchBytesMax } = settings;
  if (segmentBytes < SEGMENT_BYTES_MIN || segmentBytes % (4 * KIB) !== 0) {
    throw new RangeError(
      `segmentBytes ${segmentBytes}: needs a multiple of 4096, at least ${SEGMENT_BYTES_MIN}`,
    );
  }
  if (powerOfTwoAtMost(queueBytes) !== queueBytes || queueBytes > 1024 * MIB) {
    throw new RangeError(`queueBytes ${queueBytes}: needs a power of two, at most ${1024 * MIB}`);
  }
  if (payloadBytesMax > queueBytes / 4 || payloadBytesMax > segmentBytes / 3) {
    throw new RangeError(
      `payloadBytesMax ${payloadBytesMax}: at most a quarter of the queue and a third of a segment`,
    );
  }
  if (batchBytesMax < 2 * payloadBytesMax) {
    throw new RangeError(`batchBytesMax ${batchBytesMax}: at least twice payloadBytesMax`);
  }
}

function powerOfTwoAtMost(bytes: number): number {
  return bytes < 1 ? 0 : 2 ** Math.floor(Math.log2(bytes));
}
