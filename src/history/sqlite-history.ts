/** History in SQLite: in a file with a thread, or in memory without either. */
import type { Threads } from '../storage/threads.ts';
import type { WorkerStart } from './database-messages.ts';
import type { AbandonableHistory, History, HistoryContents, HistoryCopies } from './history.ts';
import { HistoryInPlace } from './history-in-place.ts';
import { HistoryThread } from './history-thread.ts';
import { type LinkedHistoryOptions, openLinkedHistory } from './linked-history.ts';

export interface MemoryHistoryOptions extends Omit<LinkedHistoryOptions, 'onSealed'> {
  /** Contents of another history in memory (`HistoryCopies.contents`). */
  readonly contents?: HistoryContents | undefined;
}

export interface SqliteHistoryOptions extends LinkedHistoryOptions {
  /** The database file; created when it does not exist. The generated past is in another beside it. */
  readonly path: string;
  /** The operator has accepted that records are missing. */
  readonly acceptGap?: boolean | undefined;
  /** Where its thread comes from and goes back to; it has one of its own unless given. */
  readonly threads?: Threads | undefined;
}

export const HISTORY_THREAD = 'history/sqlite-history-worker';

/** In a file, with a thread. */
export function openSqliteHistory(
  options: SqliteHistoryOptions,
): Promise<History & HistoryCopies & AbandonableHistory> {
  const { path, threads, acceptGap = false } = options;
  return openLinkedHistory(path, options, (listener) => {
    const start: WorkerStart = { path, acceptGap };
    return new HistoryThread(HISTORY_THREAD, start, listener, threads);
  });
}

/** In memory, without a thread: it ends with the process. */
export function openMemoryHistory(
  options: MemoryHistoryOptions,
): Promise<History & HistoryCopies & AbandonableHistory> {
  const { contents } = options;
  return openLinkedHistory('memory', options, (listener) => new HistoryInPlace(listener, contents));
}
