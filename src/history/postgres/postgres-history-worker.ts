/** The thread of a history in PostgreSQL (`../history-thread.ts`). */

import { threadPort } from '../../thread-port.ts';
import type { ToDatabase } from '../database-messages.ts';
import type { OpenDatabase } from '../history-thread.ts';
import { PostgresDatabase, type PostgresStart } from './postgres-database.ts';

const port = threadPort();

let database: PostgresDatabase | undefined;
port.on('message', (message: OpenDatabase<PostgresStart> | ToDatabase) => {
  if (message.type === 'open') database = opened(message.start);
  else database!.receive(message);
});

function opened(start: PostgresStart): PostgresDatabase {
  return new PostgresDatabase(start, (message) => {
    port.postMessage(message);
    // Nothing more comes.
    if (message.type === 'failed') port.close();
  });
}
