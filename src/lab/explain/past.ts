/** Where the past of an exchange is read from: snapshots, and the records after them. */
import type { LoggedRecord, Snapshot } from '../../journal/command-journal.ts';
import type { Disk } from '../../journal/disk.ts';
import { oldestReplayable, recordsAfter, snapshotBefore } from '../../journal/journal-reader.ts';
import type { RecordPiece } from '../../journal/memory-segment.ts';

export interface Past {
  /** The newest snapshot of at most this sequence number; undefined means that replays begin with the first command. */
  snapshot(seq: number): Snapshot | undefined;
  /** In order, without gaps; read while iterated. */
  records(afterSeq: number, lastSeq: number): Iterable<LoggedRecord>;
  /** The first command that a replay can come to. */
  readonly oldest: number;
}

/** A journal in files, read beside its writer. */
export class DirectoryPast implements Past {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  get oldest(): number {
    return oldestReplayable(this.#disk);
  }

  snapshot(seq: number): Snapshot | undefined {
    return snapshotBefore(this.#disk, seq);
  }

  records(afterSeq: number, lastSeq: number): Iterable<LoggedRecord> {
    return recordsAfter(this.#disk, afterSeq, lastSeq);
  }
}

/** What the journal of an exchange in memory has had since the last time. */
export interface Feed {
  /** The next one. */
  readonly snapshot?: Snapshot;
  readonly pieces: readonly RecordPiece[];
  /** Records before it are not in the journal any more. */
  readonly firstSeq: number;
}

/** A journal in memory, of which the thread gets copies. */
export class FedPast implements Past {
  #snapshots: readonly Snapshot[] = [];
  #pieces: RecordPiece[] = [];

  feed({ snapshot, pieces, firstSeq }: Feed): void {
    if (snapshot !== undefined) this.#snapshots = [...this.#snapshots, snapshot];
    this.#snapshots = this.#snapshots.filter(({ seq }) => seq + 1 >= firstSeq);
    this.#pieces = [...this.#pieces, ...pieces].filter(
      (piece) => piece.firstSeq + piece.ends.length > firstSeq,
    );
  }

  get oldest(): number {
    const behindSnapshots = (this.#snapshots[0]?.seq ?? 0) + 1;
    return this.#pieces[0]?.firstSeq === 1 ? 1 : behindSnapshots;
  }

  snapshot(seq: number): Snapshot | undefined {
    return this.#snapshots.findLast((snapshot) => snapshot.seq <= seq);
  }

  *records(afterSeq: number, lastSeq: number): Generator<LoggedRecord> {
    for (const { firstSeq, bytes, ends } of this.#pieces) {
      if (firstSeq > lastSeq || firstSeq + ends.length - 1 <= afterSeq) continue;
      for (let n = Math.max(0, afterSeq + 1 - firstSeq); n < ends.length; n++) {
        const seq = firstSeq + n;
        if (seq > lastSeq) return;
        yield { seq, payload: bytes.subarray(n === 0 ? 0 : ends[n - 1]!, ends[n]) };
      }
    }
  }
}
