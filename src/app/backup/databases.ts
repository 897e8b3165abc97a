/** Copies databases that another process may be writing to. */
import { existsSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { readMeta } from '../../history/sqlite-schema.ts';
import { keyIdsInUse } from '../../identity/rotation.ts';
import { DataDamaged } from '../exit-codes.ts';
import { type CopiedFile, type Progress, syncFile } from './copying.ts';

const PAGES_A_STEP = 256;
const LOCKED_PAGES_A_STEP = 4096;
const LOCKED_TRIES_MAX = 4;
const RETRY_MS = 200;
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
    await copyPages(database, target, PAGES_A_STEP, progress);
    database.exec('COMMIT');
  } finally {
    database.close();
  }
  return syncFile(target);
}

/**
 * The same for one without a write-ahead log, whose readers hold up its writer: it is locked for single steps, and begins
 * again when it is written to between two. The writer may put another file in its place, which reads as half a transaction
 * for a moment; what a kill has left half written stays so, and is taken back.
 */
export async function copyLockedDatabase(
  source: string,
  target: string,
  progress: Progress,
): Promise<CopiedFile> {
  for (let tries = 1; ; tries++) {
    const isLast = tries === LOCKED_TRIES_MAX;
    const database = new DatabaseSync(source, { readOnly: !isLast, timeout: BUSY_TIMEOUT_MS });
    try {
      await copyPages(database, target, LOCKED_PAGES_A_STEP, progress);
      break;
    } catch (error) {
      if (isLast) throw error;
    } finally {
      database.close();
    }
    rmSync(target, { force: true });
    await sleep(RETRY_MS);
  }
  return syncFile(target);
}

async function copyPages(
  database: DatabaseSync,
  target: string,
  rate: number,
  progress: Progress,
): Promise<void> {
  const pageBytes = Number(database.prepare('PRAGMA page_size').get()!.page_size);
  let left = Number(database.prepare('PRAGMA page_count').get()!.page_count);
  await backup(database, target, {
    rate,
    progress: ({ remainingPages }) => {
      progress((left - remainingPages) * pageBytes);
      left = remainingPages;
    },
  });
  progress(left * pageBytes);
}

/** Sequence number of the last command in a copy of the history. */
export function historySeq(path: string): number {
  return withDatabase(path, (database) => readMeta(database, 'last_seq'));
}

/** Version of its schema. */
export function historyVersion(path: string): number {
  return withDatabase(path, (database) => readMeta(database, 'schema_version'));
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
