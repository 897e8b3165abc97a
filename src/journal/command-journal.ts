import type { RecoveryReport } from './recovery-report.ts';

/** Commands that the space on the disk still allows. */
export type JournalCapacity = 'normal' | 'cancel_only' | 'read_only';

/**
 * Ordered, durable commands. The core applies in the order of `append`; no effect is visible outside before it is
 * durable.
 */
export interface CommandJournal {
  /**
   * Copies the payload into the journal's queue and returns its sequence number (1, 2, 3 ... without gaps, continuing
   * after recovery). Throws JournalFailed once the journal has failed or is closed, JournalFull when the queue or the
   * disk behind it has no space.
   */
  append(payload: Uint8Array): number;
  /** Records that stay neighbours, all or none; returns the sequence number of the last. Throws as `append`. */
  appendAll(payloads: readonly Uint8Array[]): number;
  readonly appendedSeq: number;
  readonly durableSeq: number;
  /** Called in order, whenever durableSeq has advanced. There is one listener; a second replaces the first. */
  onDurable(listener: (durableSeq: number) => void): void;
  /** Called once, when the disk failed: nothing after durableSeq may be acknowledged any more. */
  onFailure(listener: (error: Error) => void): void;
  capacity(): JournalCapacity;
  /** Age in ms of the oldest record that is not durable yet, 0 when there is none: load shedding reads it. */
  queueAgeMs(): number;
  /**
   * Saves a snapshot of the state after `seq`; the bytes are opaque to the journal and must not change until the
   * promise settles. The newest two snapshots stay, and the segments needed to replay from the older one. `note` is
   * kept with the state: at most SNAPSHOT_NOTE_BYTES.
   */
  saveSnapshot(seq: number, state: Uint8Array, note?: Uint8Array): Promise<void>;
  /** Drains, syncs, seals, closes. After a failure it only releases the directory. */
  close(): Promise<void>;
}

export interface LoggedRecord {
  readonly seq: number;
  readonly payload: Uint8Array;
}

/** A journal that can be left as a kill leaves it. */
export interface AbandonableJournal extends CommandJournal {
  /** Ends it at once: whatever is not durable is lost, and nothing is closed in order. */
  abandon(): Promise<void>;
}

export interface Snapshot {
  readonly seq: number;
  readonly state: Uint8Array;
  /** Bytes of the caller; zeros when there were none. */
  readonly note?: Uint8Array | undefined;
}

/** What a journal still has of the past. */
export interface JournalPast {
  /** States that a replay can begin with, the oldest first. The empty one is not among them. */
  readonly snapshots: readonly Snapshot[];
  /** The oldest record that is there; one more than the newest when there is none. */
  readonly firstSeq: number;
  readonly recordsAfter: (seq: number) => Iterable<LoggedRecord>;
}

export interface Recovered<Log extends CommandJournal = CommandJournal> {
  readonly journal: Log;
  readonly snapshot: Snapshot | undefined;
  /** The records after the snapshot, in order; read from the disk while iterated, so iterate before snapshotting. */
  readonly records: Iterable<LoggedRecord>;
  readonly report: RecoveryReport;
}
