/** The thread of a history in PostgreSQL (`../history-thread.ts`). */
import { parentPort, workerData } from 'node:worker_threads';
import type { ToDatabase } from '../database-messages.ts';
import { PostgresDatabase, type PostgresStart } from './postgres-database.ts';

if (parentPort === null) throw new Error('postgres-history-worker.ts runs as a worker of history-thread.ts');
const port = parentPort;

const database = new PostgresDatabase(workerData as PostgresStart, (message) => {
  port.postMessage(message);
  // Nothing more comes.
  if (message.type === 'failed') port.close();
});
port.on('message', (message: ToDatabase) => database.receive(message));
