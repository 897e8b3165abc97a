import type { RecoveryReport } from './recovery-report.ts';

/** What the space left on the disk still allows. */
export type JournalCapacity = 'normal' | 'cancel_only' | 'read_only';

/**
 * Ordered, durable commands. The core applies in the order of `append`; nobody outside learns of an effect before
 * `durable`.
 */
export interface CommandJournal {
  /**
   * Copies the payload into the log's queue and returns its sequence number (1, 2, 3 ... without gaps, continuing
   * after recovery). Throws JournalFailed once the log has failed or is closed, JournalFull when the queue or the disk behind
   * it has no room.
   */
  append(payload: Uint8Array): number;
  readonly appendedSeq: number;
  readonly durableSeq: number;
  /** Called in order, whenever durableSeq has advanced. There is one listener; a second replaces the first. */
  onDurable(listener: (durableSeq: number) => void): void;
  /** Called once, when the disk refused: nothing after durableSeq may be acknowledged any more. */
  onFailure(listener: (error: Error) => void): void;
  capacity(): JournalCapacity;
  /** Age in ms of the oldest record not yet durable, 0 when there is none: admission control reads it. */
  queueAgeMs(): number;
  /**
   * Keeps a snapshot of the state after `seq`; the bytes are opaque to the log and must not change until the promise
   * settles. The newest two snapshots stay, and the segments needed to replay from the older one.
   */
  saveSnapshot(seq: number, state: Uint8Array): Promise<void>;
  /** Drains, syncs, seals, closes. After a failure it only lets go of the directory. */
  close(): Promise<void>;
}

export interface LoggedRecord {
  readonly seq: number;
  readonly payload: Uint8Array;
}

export interface Snapshot {
  readonly seq: number;
  readonly state: Uint8Array;
}

export interface Recovered<Log extends CommandJournal = CommandJournal> {
  readonly log: Log;
  readonly snapshot: Snapshot | undefined;
  /** The records after the snapshot, in order; read from the disk while iterated, so iterate before snapshotting. */
  readonly records: Iterable<LoggedRecord>;
  readonly report: RecoveryReport;
}
