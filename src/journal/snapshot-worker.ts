/** Writes snapshots. Hashing and syncing a large state takes long: it happens beside both the event loop and the commits. */

import { threadPort } from '../thread-port.ts';
import { NodeDisk } from './node-disk.ts';
import { saveSnapshotAndTrim } from './snapshot-retention.ts';

const port = threadPort();

export interface SnapshotWork {
  readonly directory: string;
  readonly instanceId: Uint8Array;
  readonly seq: number;
  readonly state: Uint8Array;
  readonly note: Uint8Array | undefined;
}

/** What fails ends the thread; its owner gets the error. */
port.on('message', ({ directory, instanceId, seq, state, note }: SnapshotWork) => {
  saveSnapshotAndTrim(new NodeDisk(directory), instanceId, { seq, state, note });
  port.postMessage(seq);
});
