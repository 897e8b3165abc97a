/** Secrets of keys, sealed under the key-encryption keys of the key file (`sealing.ts`). */
import type { DatabaseSync } from 'node:sqlite';
import type { FileKeys } from './file-keys.ts';
import type { ApiKey, KekRotation } from './identity.ts';
import { IdentityDamaged } from './identity-damaged.ts';
import type { Row } from './identity-rows.ts';
import type { KeyFile } from './key-file.ts';
import type { KeyTable } from './key-table.ts';
import { rotateKeyring } from './rotation.ts';
import { type Keyring, type Seal, type SealOwner, seal, unseal } from './sealing.ts';

const SEAL_VERSION = 1;
const ADVICE =
  'restore it from a backup. If there is none, no API key can work again: move identity.sqlite away as well and start ' +
  'with --accept-identity-gap; accounts keep their money, and their keys must be made anew';

export class KeySeals {
  readonly #file: KeyFile;
  readonly #files: FileKeys;
  #keyring: Keyring;

  /**
   * Throws IdentityDamaged. A key file may be created only while nothing is sealed: otherwise it would hide a loss. A copy of a
   * store that others have as well never creates one.
   */
  constructor(file: KeyFile, files: FileKeys, keys: KeyTable, isCopy: boolean) {
    this.#file = file;
    this.#files = files;
    const sealed = keys.sealed();
    if (!file.exists() && sealed.length > 0) {
      throw new IdentityDamaged(
        `${file.path} is missing and ${keys.count()} API keys are sealed under it; ${ADVICE}`,
      );
    }
    this.#keyring = files.open(file, ADVICE, sealed.length === 0 && !isCopy);
    for (const row of sealed) this.#refuseUnopened(row);
  }

  #refuseUnopened(row: Row): void {
    try {
      this.open({ apiKey: String(row.api_key), uid: Number(row.uid) }, row);
    } catch {
      throw new IdentityDamaged(
        `${this.#file.path} does not open the secrets that identity.sqlite has sealed under ${String(row.seal_key_id)}: ${ADVICE}`,
      );
    }
  }

  seal(owner: SealOwner, secret: Uint8Array): Seal {
    return seal(this.#keyring, owner, SEAL_VERSION, secret);
  }

  /** The secret in the key's row. */
  open({ apiKey, uid }: Pick<ApiKey, 'apiKey' | 'uid'>, row: Row): Buffer {
    return unseal(
      this.#keyring,
      { apiKey, uid },
      {
        keyId: row.seal_key_id as string,
        version: row.seal_version as number,
        bytes: row.sealed as Uint8Array,
      },
    );
  }

  rotate(database: DatabaseSync): KekRotation {
    const { keyring, resealed } = rotateKeyring(database, this.#file, (extended) => {
      // From here on new keys are sealed under the new one, even if the rotation fails.
      this.#keyring = extended;
      this.#files.know(this.#file, extended);
    });
    this.#keyring = keyring;
    this.#files.know(this.#file, keyring);
    return { keyId: keyring.currentId, resealed };
  }
}
