import { chmodSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDirectory } from '../storage/durable-file.ts';
import { isOutOfSpace } from '../storage/shortage-errors.ts';
import { DirectoryLocked } from './journal-errors.ts';

const LOCK_FILE = 'lock.db';
const PID_FILE = 'lock.pid';
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/**
 * Keeps a second process out of a data directory. The lock is the operating system's own lock on a file, taken
 * through SQLite because Node cannot take one itself: it ends with the process, however that ends, so there is no
 * stale lock. The pid beside it is for the message only.
 */
export class DirectoryLock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Creates the directory if needed. Throws DirectoryLocked. */
  static take(directory: string): DirectoryLock {
    makeDirectory(directory);
    const path = join(directory, LOCK_FILE);
    const database = lockedDatabase(directory, path) ?? lockedDatabase(directory, emptied(path))!;
    writePid(directory);
    return new DirectoryLock(database);
  }

  /** May be called again: a start that failed has released it when the journal is closed. */
  release(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

/**
 * Undefined when the file is not a database: then it is not locked, because the lock is checked before the contents.
 */
function lockedDatabase(directory: string, path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    chmodSync(path, 0o600);
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    const { errcode } = error as { errcode?: number };
    if (errcode === SQLITE_NOTADB || errcode === SQLITE_CORRUPT) return undefined;
    if (errcode !== SQLITE_BUSY) throw error;
    throw new DirectoryLocked(directory, holderPid(directory));
  }
}

/**
 * The file holds nothing, so any content is damage. It is emptied and not replaced: another process that starts now
 * must meet the lock on the same file.
 */
function emptied(path: string): string {
  truncateSync(path);
  return path;
}

/**
 * For a message to a second process only: a full disk must not keep the first from starting. A running process has
 * written it itself, so a power loss cannot have torn it.
 */
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
