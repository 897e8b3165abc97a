/** Where an identity store and what belongs to it are kept: in a data directory, or in memory. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createFile, makeDirectory } from '../storage/durable-file.ts';
import { contentsOf, inMemory } from '../storage/memory-database.ts';
import { isDatabaseShortage } from '../storage/shortage-errors.ts';
import { IdentityDamaged } from './identity-damaged.ts';
import { IDENTITY_MARK_FILE, IdentityMark, type Mark } from './identity-mark.ts';
import { IDENTITY_FILE, openMemoryStore, openStore, type Store } from './identity-store.ts';
import { type KeyFile, keyFileInMemory, keyFileOnDisk } from './key-file.ts';
import { contentsOfCopy } from './store-copy.ts';

export interface IdentityStorage {
  /** For messages. */
  readonly place: string;
  /** Throws IdentityDamaged. */
  openStore(acceptGap: boolean): Store;
  openMark(mark: Mark): Pick<IdentityMark, 'write' | 'close'>;
  keyFile(name: string): KeyFile;
  /** A copy of the store that is open, and of the key files asked for so far. */
  image(database: DatabaseSync): IdentityImage;
  /** Does the error mean that there is no space, so that the change may be tried again? */
  isShortage(error: unknown): boolean;
}

/** A store with what belongs to it, as of one moment. */
export interface IdentityImage {
  readonly database: Uint8Array;
  /** Texts of key files by their names. */
  readonly keyFiles: ReadonlyMap<string, string>;
}

/** Writes an image as a store of its own into a directory that has none. */
export function writeIdentity(directory: string, { database, keyFiles }: IdentityImage): void {
  createFile(join(directory, IDENTITY_FILE), database);
  for (const [name, text] of keyFiles) createFile(join(directory, name), text);
}

const KEY_FILE_ENDING = '.key';

/** The image that was written there, as a store in memory takes it. */
export function readIdentity(directory: string): IdentityImage {
  const names = readdirSync(directory).filter((name) => name.endsWith(KEY_FILE_ENDING));
  return {
    database: inMemory(readFileSync(join(directory, IDENTITY_FILE))),
    keyFiles: new Map(names.map((name) => [name, readFileSync(join(directory, name), 'utf8')])),
  };
}

export class DirectoryStorage implements IdentityStorage {
  readonly place: string;
  readonly #files = new Map<string, KeyFile>();

  constructor(directory: string) {
    this.place = directory;
    makeDirectory(directory);
  }

  openStore(acceptGap: boolean): Store {
    return openStore(this.place, acceptGap);
  }

  openMark(mark: Mark): IdentityMark {
    return new IdentityMark(join(this.place, IDENTITY_MARK_FILE), mark);
  }

  keyFile(name: string): KeyFile {
    const file = keyFileOnDisk(join(this.place, name));
    this.#files.set(name, file);
    return file;
  }

  image(database: DatabaseSync): IdentityImage {
    const path = join(this.place, IDENTITY_FILE);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    // While another program reads, the file may lack what was committed since.
    const isWhole = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
    return {
      database: isWhole ? readFileSync(path) : contentsOf(database),
      keyFiles: textsOf(this.#files),
    };
  }

  isShortage(error: unknown): boolean {
    return isDatabaseShortage(error, this.place);
  }
}

/** A store that ends with the process: no copy of it can be put back, so it needs no mark. */
export class MemoryStorage implements IdentityStorage {
  readonly place = 'memory';
  readonly #files = new Map<string, KeyFile>();
  readonly #contents: Uint8Array | undefined;

  /** With what another has kept, or empty. */
  constructor(image?: IdentityImage) {
    this.#contents = image?.database;
    for (const [name, text] of image?.keyFiles ?? []) this.keyFile(name).create(text);
  }

  openStore(): Store {
    return openMemoryStore(this.#contents);
  }

  openMark(): Pick<IdentityMark, 'write' | 'close'> {
    return { write: () => {}, close: () => {} };
  }

  keyFile(name: string): KeyFile {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const made = keyFileInMemory(name);
    this.#files.set(name, made);
    return made;
  }

  image(database: DatabaseSync): IdentityImage {
    return { database: contentsOf(database), keyFiles: textsOf(this.#files) };
  }

  isShortage(): boolean {
    return false;
  }
}

/** A copy in memory of a store that several nodes have; their key files are the same, in a directory of each. */
export class CopyStorage implements IdentityStorage {
  readonly place: string;
  readonly #contents: Uint8Array;
  readonly #files = new Map<string, KeyFile>();

  constructor(keysDirectory: string, contents: Uint8Array) {
    this.place = keysDirectory;
    this.#contents = contents;
  }

  openStore(): Store {
    const store = openMemoryStore(this.#contents);
    const fault = store.contents.fault();
    if (fault === undefined) return store;
    store.database.close();
    throw new IdentityDamaged(`the image of users and keys in the database is damaged: ${fault}`);
  }

  openMark(): Pick<IdentityMark, 'write' | 'close'> {
    return { write: () => {}, close: () => {} };
  }

  keyFile(name: string): KeyFile {
    const file = keyFileOnDisk(join(this.place, name));
    this.#files.set(name, file);
    return file;
  }

  image(database: DatabaseSync): IdentityImage {
    return { database: contentsOfCopy(database), keyFiles: textsOf(this.#files) };
  }

  isShortage(): boolean {
    return false;
  }
}

function textsOf(files: ReadonlyMap<string, KeyFile>): ReadonlyMap<string, string> {
  const there = [...files].filter(([, file]) => file.exists());
  return new Map(there.map(([name, file]) => [name, file.read()]));
}
