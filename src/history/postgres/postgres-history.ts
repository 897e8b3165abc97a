/** History in PostgreSQL, in the schema `history` of a database that belongs to one exchange. */
import type { History, HistoryCopies } from '../history.ts';
import { openLinkedHistory } from '../linked-history.ts';
import { PostgresDatabase, type PostgresLinkOptions } from './postgres-database.ts';

export interface PostgresHistoryOptions extends PostgresLinkOptions {
  /** A write failed for good: the history accepts nothing more and every call is rejected. */
  readonly onFailure: (error: Error) => void;
}

export function openPostgresHistory(options: PostgresHistoryOptions): Promise<History & HistoryCopies> {
  const { place } = options.address;
  return openLinkedHistory(
    place,
    { ...options, waitsFor: 'database' },
    (listener) => new PostgresDatabase(options, listener),
  );
}
