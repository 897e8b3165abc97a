/**
 * Keys in files beside the store, each known here by its fingerprint: a changed byte of a key is still a valid key,
 * and a missing file would silently be created anew. Keys of an older version are accepted as they are, once.
 */
import { basename } from 'node:path';
import { IdentityDamaged } from './identity-damaged.ts';
import type { KeyFile } from './key-file.ts';
import { createKeyring, fingerprintOf, type Keyring, readKeyring } from './sealing.ts';
import type { Statements } from './statements.ts';

export class FileKeys {
  readonly #statements: Statements;
  readonly #isCopy: boolean;

  /** Files of a copy are those that its store knows; none is created or recorded. */
  constructor(statements: Statements, isCopy: boolean) {
    this.#statements = statements;
    this.#isCopy = isCopy;
  }

  /**
   * The keys of the file, which is created when there never was one. Throws IdentityDamaged; with `acceptGap` a file
   * with other keys is accepted from now on, and an unreadable one is renamed.
   */
  open(file: KeyFile, advice: string, acceptGap: boolean): Keyring {
    const ring = acceptGap ? this.#acceptedRing(file) : this.#sameRing(file, advice);
    if (!this.#isCopy) this.know(file, ring);
    return ring;
  }

  /** Records these as the keys of the file. */
  know({ path }: KeyFile, { keys }: Keyring): void {
    const file = basename(path);
    const known = this.#known(file);
    for (const [id, key] of keys) {
      const fingerprint = fingerprintOf(key);
      if (known.get(id) !== fingerprint) {
        const sql = `INSERT INTO file_keys (file, id, fingerprint) VALUES (?, ?, ?)
          ON CONFLICT (file, id) DO UPDATE SET fingerprint = excluded.fingerprint`;
        this.#statements.run(sql, file, id, fingerprint);
      }
    }
    for (const id of known.keys()) {
      if (!keys.has(id)) this.#statements.run('DELETE FROM file_keys WHERE file = ? AND id = ?', file, id);
    }
  }

  /** One key in common is enough: a crash while keys are added or dropped leaves the file ahead of the record. */
  #sameRing(file: KeyFile, advice: string): Keyring {
    const known = this.#known(basename(file.path));
    if (!file.exists()) {
      if (known.size === 0 && !this.#isCopy) return createKeyring(file);
      throw new IdentityDamaged(`${file.path} is missing: ${advice}`);
    }
    const ring = readKeyring(file);
    const shared = [...ring.keys].filter(([id]) => known.has(id));
    const changed = shared.some(([id, key]) => known.get(id) !== fingerprintOf(key));
    if (changed || ((known.size > 0 || this.#isCopy) && shared.length === 0)) {
      throw new IdentityDamaged(`${file.path} does not hold the key that it held: ${advice}`);
    }
    return ring;
  }

  #acceptedRing(file: KeyFile): Keyring {
    if (!file.exists()) return createKeyring(file);
    try {
      return readKeyring(file);
    } catch (error) {
      if (!(error instanceof IdentityDamaged)) throw error;
      file.setAside();
      return createKeyring(file);
    }
  }

  #known(file: string): Map<string, string> {
    const rows = this.#statements.all('SELECT id, fingerprint FROM file_keys WHERE file = ?', file);
    return new Map(rows.map(({ id, fingerprint }) => [String(id), String(fingerprint)]));
  }
}
