/** Copies databases that another process may be writing to. */
import { existsSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { readMeta } from '../../history/sqlite-schema.ts';
import { keyIdsInUse } from '../../identity/rotation.ts';
import { DataDamaged } from '../exit-codes.ts';
import { type CopiedFile, type Progress, syncFile } from './copying.ts';

const PAGES_A_STEP = 256;
const BUSY_TIMEOUT_MS = 10_000;

/**
 * One read transaction lasts for the whole copy: all pages are of one moment, writers are not blocked, and their
 * commits do not restart the copy.
 */
export async function copyDatabase(source: string, target: string, progress: Progress): Promise<CopiedFile> {
  if (!existsSync(source)) throw new DataDamaged(`${source} does not exist: there is nothing to copy`);
  const database = new DatabaseSync(source, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('BEGIN');
    const pageBytes = Number(database.prepare('PRAGMA page_size').get()!.page_size);
    let left = Number(database.prepare('PRAGMA page_count').get()!.page_count);
    await backup(database, target, {
      rate: PAGES_A_STEP,
      progress: ({ remainingPages }) => {
        progress((left - remainingPages) * pageBytes);
        left = remainingPages;
      },
    });
    progress(left * pageBytes);
    database.exec('COMMIT');
  } finally {
    database.close();
  }
  return syncFile(target);
}

/** Sequence number of the last command in a copy of the history. */
export function historySeq(path: string): number {
  return withDatabase(path, (database) => readMeta(database, 'last_seq'));
}

/** Ids of the keys that the secrets in a copy of identity are sealed under. */
export function sealingKeys(path: string): ReadonlySet<string> {
  return withDatabase(path, keyIdsInUse);
}

/** Reads a database that is not in use, and leaves no files beside it. */
export function withDatabase<Found>(path: string, read: (database: DatabaseSync) => Found): Found {
  const address = pathToFileURL(path);
  address.searchParams.set('immutable', '1');
  const database = new DatabaseSync(address, { readOnly: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
}
