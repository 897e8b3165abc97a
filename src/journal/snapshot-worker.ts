import { workerData } from 'node:worker_threads';
import { NodeDisk } from './node-disk.ts';
import { saveSnapshotAndTrim } from './snapshot-retention.ts';

export interface SnapshotWorkerData {
  readonly directory: string;
  readonly instanceId: Uint8Array;
  readonly seq: number;
  readonly state: Uint8Array;
  readonly note: Uint8Array | undefined;
}

/** Hashing and syncing a large state takes long: it happens beside both the event loop and the commits. */
const { directory, instanceId, seq, state, note } = workerData as SnapshotWorkerData;
saveSnapshotAndTrim(new NodeDisk(directory), instanceId, { seq, state, note });
