export interface DamagedSnapshot {
  readonly file: string;
  readonly reason: string;
}

/** Findings of a start in the directory: for the process log, and for alarms on `tornBytes` and `damagedSnapshots`. */
export interface RecoveryReport {
  /** 32 hexadecimal digits; other stores of the same exchange may keep it to notice a foreign directory. */
  readonly instanceId: string;
  /** Counts the starts on this directory. */
  readonly epoch: number;
  /** Whether the last run closed the journal properly (true for a new directory). */
  readonly cleanEnd: boolean;
  readonly lastSeq: number;
  readonly snapshotSeq: number;
  readonly recordsToReplay: number;
  /** Bytes of a batch that was being written when the last run ended; it was never acknowledged. */
  readonly tornBytes: number;
  /** The last segment as it was found, kept when the end was not clean. */
  readonly quarantined: string | undefined;
  readonly damagedSnapshots: readonly DamagedSnapshot[];
}
