/**
 * Databases in memory: copies of them as bytes and back, and ones that begin alike. Newer versions of Node copy them themselves;
 * in others SQLite writes a copy to a file of this user's, which is gone again at once, and reads it from there.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';

/** Newer versions of Node have these. */
interface Copying {
  serialize?(): Uint8Array;
  deserialize?(contents: Uint8Array): void;
}

const WRITE_VERSION_AT = 18;
const READ_VERSION_AT = 19;
const WITHOUT_LOG = 1;

/** The bytes of a database file as one in memory has them, where there is no log beside it. */
export function inMemory(file: Uint8Array): Uint8Array {
  const contents = Uint8Array.from(file);
  contents[WRITE_VERSION_AT] = WITHOUT_LOG;
  contents[READ_VERSION_AT] = WITHOUT_LOG;
  return contents;
}

/** The database as bytes. No transaction may be open. */
export function contentsOf(database: DatabaseSync): Uint8Array {
  return (database as Copying).serialize?.() ?? contentsByFile(database);
}

/** A database in memory with these contents. */
export function databaseWith(contents: Uint8Array): DatabaseSync {
  if (!('deserialize' in DatabaseSync.prototype)) return databaseByFile(contents);
  const database = new DatabaseSync(':memory:');
  (database as Copying).deserialize!(contents);
  return database;
}

/** The same with every version of Node. */
export function contentsByFile(database: DatabaseSync): Uint8Array {
  return withFile((path) => {
    database.prepare('VACUUM INTO ?').run(path);
    return readFileSync(path);
  });
}

export function databaseByFile(contents: Uint8Array): DatabaseSync {
  return withFile((path) => {
    writeFileSync(path, contents, { mode: 0o600 });
    // Two connections of a process share a database in memory by its name; it lives while one of them is open.
    const name = `file:/${randomUUID()}?mode=memory&cache=shared`;
    const database = new DatabaseSync(name);
    const source = new DatabaseSync(path);
    try {
      source.prepare('VACUUM INTO ?').run(name);
      return database;
    } catch (error) {
      database.close();
      throw error;
    } finally {
      source.close();
    }
  });
}

/** In a directory that only this user enters: it may hold secrets. */
function withFile<Result>(use: (path: string) => Result): Result {
  const directory = mkdtempSync(join(tmpdir(), 'bourse-copy-'));
  try {
    return use(join(directory, 'copy.sqlite'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Where Node copies databases the first is made and the others are copies of it, else each is made. */
export class MemoryDatabases {
  readonly #make: (database: DatabaseSync) => void;
  #contents: Uint8Array | undefined;

  /** `make` gives an empty database its tables. */
  constructor(make: (database: DatabaseSync) => void) {
    this.#make = make;
  }

  open(options: DatabaseSyncOptions = {}): DatabaseSync {
    const database = new DatabaseSync(':memory:', options);
    const copying = database as Copying;
    if (this.#contents !== undefined) copying.deserialize!(this.#contents);
    else {
      this.#make(database);
      if (copying.deserialize !== undefined) this.#contents = copying.serialize?.();
    }
    return database;
  }
}
