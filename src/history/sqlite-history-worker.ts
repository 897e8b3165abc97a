/** The thread of a history whose database is a file (`history-thread.ts`). A failed write ends it. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ToDatabase, WorkerStart } from './database-messages.ts';
import { HistoryDatabase } from './history-database.ts';

if (parentPort === null) throw new Error('sqlite-history-worker.ts runs as a worker of history-thread.ts');
const port = parentPort;

const database = new HistoryDatabase((workerData as WorkerStart).path, {
  send: (message) => port.postMessage(message),
  failed: (error) => {
    throw error;
  },
  closed: () => port.close(),
});
port.on('message', (message: ToDatabase) => database.receive(message));
