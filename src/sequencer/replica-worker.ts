import { workerData } from 'node:worker_threads';
import { NodeDisk } from '../journal/node-disk.ts';
import { threadPort } from '../thread-port.ts';
import { type ReplicaTarget, saveByReplica } from './replica.ts';

const port = threadPort();

export interface ReplicaWorkerData extends ReplicaTarget {
  readonly directory: string;
}

/** An error crosses between threads without its class, so it is named. */
export interface ReplicaFailure {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
}

const { directory, ...target } = workerData as ReplicaWorkerData;
let failure: ReplicaFailure | undefined;
try {
  saveByReplica(new NodeDisk(directory), target);
} catch (error) {
  const { name, message, code } = error as NodeJS.ErrnoException;
  failure = { name, message, code };
}
port.postMessage(failure);
