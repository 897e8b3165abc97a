/** The thread of a history whose database is a file, and of the next one when that is closed (`history-thread.ts`). A failed write ends it. */

import { threadPort } from '../thread-port.ts';
import type { ToDatabase, WorkerStart } from './database-messages.ts';
import { HistoryDatabase } from './history-database.ts';
import type { OpenDatabase } from './history-thread.ts';

const port = threadPort();

let database: HistoryDatabase | undefined;
port.on('message', (message: OpenDatabase<WorkerStart> | ToDatabase) => {
  if (message.type === 'open') database = opened(message.start);
  else database!.receive(message);
});

function opened(start: WorkerStart): HistoryDatabase {
  return new HistoryDatabase(start, {
    send: (message) => port.postMessage(message),
    failed: (error) => {
      throw error;
    },
    closed: () => {
      database = undefined;
    },
  });
}
