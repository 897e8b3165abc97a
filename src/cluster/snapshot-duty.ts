/** The duty to save the state in the database from time to time. */
import type { State } from '../core/state/state.ts';
import type { ClusterHistory } from './cluster-history.ts';
import type { Duties } from './duties.ts';
import type { DatabaseAddress } from './postgres/address.ts';
import { SideConnection } from './postgres/side-connection.ts';
import type { SharedLog } from './shared-log.ts';
import { finishSnapshots, writeSnapshot } from './snapshots.ts';

/** A snapshot of a large state takes its time. */
export const SNAPSHOT_ANSWER_MS = 60_000;

export interface SnapshotDutyOptions {
  readonly address: DatabaseAddress;
  readonly side: SideConnection;
  readonly duties: Duties;
  readonly history: ClusterHistory;
  readonly log: SharedLog;
  readonly state: () => State;
  readonly wanted: () => boolean;
  readonly snapshotMs: number;
  readonly onRetryableError: (error: Error) => void;
}

export class SnapshotDuty {
  readonly #options: SnapshotDutyOptions;
  /** When the newest was written, by the monotonic clock; NaN until the database was asked. */
  #lastMs = Number.NaN;
  #saving: Promise<void> | undefined;

  constructor(options: SnapshotDutyOptions) {
    this.#options = options;
    options.duties.add('snapshots', {
      wanted: options.wanted,
      begin: () => {
        this.#lastMs = Number.NaN;
      },
      end: () => {},
    });
  }

  /** Resolves when it counts. */
  save(): Promise<void> {
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  /** Also finishes a snapshot that waited for the history. */
  async saveIfDue(): Promise<void> {
    const { side, history, snapshotMs, onRetryableError } = this.#options;
    const now = performance.now();
    if (Number.isNaN(this.#lastMs)) {
      const [newest] = await side.query(
        'SELECT bourse_cluster.now_ms() - max(time) AS age FROM bourse_cluster.snapshot',
      );
      const age = newest?.age === null ? 0 : Number(newest?.age);
      this.#lastMs = now - age;
    }
    if (this.#saving !== undefined) return;
    if (now - this.#lastMs >= snapshotMs) this.save().catch(onRetryableError);
    else await finishSnapshots(side, history.confirmedSeq);
  }

  async #save(): Promise<void> {
    const { address, log, history, state } = this.#options;
    const { position } = log;
    this.#lastMs = performance.now();
    if (position.no === 0) return;
    const connection = new SideConnection(address, SNAPSHOT_ANSWER_MS);
    try {
      await writeSnapshot(connection, position, state());
      await history.flush();
      await finishSnapshots(connection, history.confirmedSeq);
    } finally {
      await connection.close();
    }
  }
}
