/** Databases in memory that begin alike: the first is made, the others are copies of it. */
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';

/** Newer versions of Node have these; without them each is made. */
interface Copying {
  serialize?(): Uint8Array;
  deserialize?(contents: Uint8Array): void;
}

export function canCopyMemory(): boolean {
  return (DatabaseSync.prototype as Copying).serialize !== undefined;
}

/** The database as bytes, where Node can do it. */
export function contentsOf(database: DatabaseSync): Uint8Array {
  return (database as Copying).serialize!();
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

/** A database in memory with these contents. */
export function databaseWith(contents: Uint8Array): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  (database as Copying).deserialize!(contents);
  return database;
}

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
