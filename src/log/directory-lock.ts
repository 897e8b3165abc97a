import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isOutOfSpace } from '../space/shortage-errors.ts';
import { DirectoryLocked } from './log-errors.ts';
import { makeDirectory } from './node-disk.ts';

const LOCK_FILE = 'lock.db';
const PID_FILE = 'lock.pid';
const SQLITE_BUSY = 5;

/**
 * Keeps a second process out of a data directory. The lock is the operating system's own lock on a file, taken through
 * SQLite because Node cannot take one itself: it ends with the process, however that ends, so nothing stale is left to
 * judge. The pid beside it is for the message only.
 */
export class DirectoryLock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Makes the directory if needed. Throws DirectoryLocked. */
  static take(directory: string): DirectoryLock {
    makeDirectory(directory);
    const database = new DatabaseSync(join(directory, LOCK_FILE), { timeout: 0 });
    try {
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      throw new DirectoryLocked(directory, holderPid(directory));
    }
    writePid(directory);
    return new DirectoryLock(database);
  }

  release(): void {
    this.#database.close();
  }
}

/** Only the message to a second process needs it: a full disk must not be what keeps the first from starting. */
function writePid(directory: string): void {
  try {
    writeFileSync(join(directory, PID_FILE), `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    if (!isOutOfSpace(error)) throw error;
  }
}

function holderPid(directory: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(directory, PID_FILE), 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}
