/** History in SQLite: in a file with a thread, or in memory without either. */
import type { WorkerStart } from './database-messages.ts';
import type { AbandonableHistory, History, HistoryCopies } from './history.ts';
import { HistoryInPlace } from './history-in-place.ts';
import { HistoryThread } from './history-thread.ts';
import { type LinkedHistoryOptions, openLinkedHistory } from './linked-history.ts';

export interface MemoryHistoryOptions extends Omit<LinkedHistoryOptions, 'onSealed'> {
  /** Contents of another history in memory (`HistoryCopies.contents`). */
  readonly contents?: Uint8Array | undefined;
}

export interface SqliteHistoryOptions extends LinkedHistoryOptions {
  /** The database file; created when it does not exist. */
  readonly path: string;
}

/** In a file, with a thread. */
export function openSqliteHistory(
  options: SqliteHistoryOptions,
): Promise<History & HistoryCopies & AbandonableHistory> {
  const { path } = options;
  return openLinkedHistory(path, options, (listener) => {
    const start: WorkerStart = { path };
    return new HistoryThread('history/sqlite-history-worker', start, listener);
  });
}

/** In memory, without a thread: it ends with the process. */
export function openMemoryHistory(
  options: MemoryHistoryOptions,
): Promise<History & HistoryCopies & AbandonableHistory> {
  const { contents } = options;
  return openLinkedHistory('memory', options, (listener) => new HistoryInPlace(listener, contents));
}
