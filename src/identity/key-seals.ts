/** Secrets of keys under the key-encryption keys of the key file (`sealing.ts`). */
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { ApiKey, KekRotation } from './identity.ts';
import type { Row } from './identity-rows.ts';
import { rotateKeyring } from './rotation.ts';
import {
  createKeyring,
  type Keyring,
  readKeyring,
  type Seal,
  type SealOwner,
  seal,
  unseal,
} from './sealing.ts';

const SEAL_VERSION = 1;

export class KeySeals {
  readonly #path: string;
  #keyring: Keyring;

  /** A missing key file is only normal in a store without keys; elsewhere a new one would hide the loss. */
  constructor(path: string, keys: number) {
    this.#path = path;
    if (existsSync(path)) {
      this.#keyring = readKeyring(path);
      return;
    }
    if (keys !== 0)
      throw new Error(
        `${path} is missing and ${keys} API keys are sealed under it; restore it from a backup`,
      );
    this.#keyring = createKeyring(path);
  }

  seal(owner: SealOwner, secret: Uint8Array): Seal {
    return seal(this.#keyring, owner, SEAL_VERSION, secret);
  }

  /** The secret that the key's row holds. */
  open(key: ApiKey, row: Row): Buffer {
    return unseal(this.#keyring, key, {
      keyId: row.seal_key_id as string,
      version: row.seal_version as number,
      bytes: row.sealed as Uint8Array,
    });
  }

  rotate(database: DatabaseSync): KekRotation {
    const { keyring, resealed } = rotateKeyring(database, this.#path, (extended) => {
      // From here on new keys are sealed under the new one, even if the rotation fails.
      this.#keyring = extended;
    });
    this.#keyring = keyring;
    return { keyId: keyring.currentId, resealed };
  }
}
