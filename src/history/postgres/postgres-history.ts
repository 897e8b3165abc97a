/** History in PostgreSQL, in the schema `history` of a database that belongs to one exchange. */
import type { DatabaseLink, LinkListener } from '../database-link.ts';
import type { ToDatabase } from '../database-messages.ts';
import { HistoryThread } from '../history-thread.ts';
import { type LinkedHistoryOptions, type OpenHistory, openLinkedHistory } from '../linked-history.ts';
import { PostgresDatabase, type PostgresStart } from './postgres-database.ts';

export interface PostgresHistoryOptions
  extends PostgresStart,
    Pick<LinkedHistoryOptions, 'onFailure' | 'onNotice'> {}

/**
 * With a thread: the server does the work of a database, but rows are still formatted, summed and sent here, fifteen times as
 * much for the thread that serves requests as handing them over.
 */
export function openPostgresHistory(options: PostgresHistoryOptions): Promise<OpenHistory> {
  return opened(options, (listener) => {
    return new HistoryThread('history/postgres/postgres-history-worker', startOf(options), listener);
  });
}

/** The same without a thread, for tests. */
export function openPostgresHistoryInPlace(options: PostgresHistoryOptions): Promise<OpenHistory> {
  return opened(options, (listener) => new InPlace(startOf(options), listener));
}

function startOf({ address, instance, moveFrom, part }: PostgresHistoryOptions): PostgresStart {
  return { address, instance, moveFrom, part };
}

function opened(
  { address, onFailure, onNotice }: PostgresHistoryOptions,
  connect: (listener: LinkListener) => DatabaseLink,
): Promise<OpenHistory> {
  return openLinkedHistory(address.place, { onFailure, onNotice, waitsFor: 'database' }, connect);
}

class InPlace implements DatabaseLink {
  readonly #database: PostgresDatabase;

  constructor(start: PostgresStart, { received }: LinkListener) {
    this.#database = new PostgresDatabase(start, received);
  }

  post(message: ToDatabase): void {
    // What is described goes on to change here.
    this.#database.receive(message.type === 'describe' ? structuredClone(message) : message);
  }

  async end(): Promise<void> {
    this.#database.abandon();
  }

  abandon(): Promise<void> {
    return this.end();
  }
}
