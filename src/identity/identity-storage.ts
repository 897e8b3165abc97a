/** Where an identity store and what belongs to it are kept: in a data directory, or in memory. */
import { join } from 'node:path';
import { makeDirectory } from '../storage/durable-file.ts';
import { isDatabaseShortage } from '../storage/shortage-errors.ts';
import { IDENTITY_MARK_FILE, IdentityMark, type Mark } from './identity-mark.ts';
import { openMemoryStore, openStore, type Store } from './identity-store.ts';
import { type KeyFile, keyFileInMemory, keyFileOnDisk } from './key-file.ts';

export interface IdentityStorage {
  /** For messages. */
  readonly place: string;
  /** Throws IdentityDamaged. */
  openStore(acceptGap: boolean): Store;
  openMark(mark: Mark): Pick<IdentityMark, 'write' | 'close'>;
  keyFile(name: string): KeyFile;
  /** Does the error mean that there is no space, so that the change may be tried again? */
  isShortage(error: unknown): boolean;
}

export class DirectoryStorage implements IdentityStorage {
  readonly place: string;

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
    return keyFileOnDisk(join(this.place, name));
  }

  isShortage(error: unknown): boolean {
    return isDatabaseShortage(error, this.place);
  }
}

/** A store that ends with the process: no copy of it can be put back, so it needs no mark. */
export class MemoryStorage implements IdentityStorage {
  readonly place = 'memory';
  readonly openStore = openMemoryStore;
  readonly #files = new Map<string, KeyFile>();

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

  isShortage(): boolean {
    return false;
  }
}
