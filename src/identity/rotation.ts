/**
 * Rotation of the key-encryption key. The order makes every moment safe to stop at: first the new key is in the file
 * beside the old ones, then all secrets are sealed again in one transaction, and only then unused keys are removed
 * from the file.
 */
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from './identity-schema.ts';
import type { KeyFile } from './key-file.ts';
import { extendKeyring, type Keyring, pruneKeyring, seal, unseal } from './sealing.ts';

/** The key-encryption key cannot be changed here; the message says what can be done. */
export class RotationRefused extends Error {
  override readonly name = 'RotationRefused';
}

export interface Rotation {
  readonly keyring: Keyring;
  readonly resealed: number;
}

export function rotateKeyring(
  database: DatabaseSync,
  file: KeyFile,
  onExtended: (keyring: Keyring) => void,
): Rotation {
  const extended = extendKeyring(file);
  onExtended(extended);
  const resealed = inTransaction(database, () => resealAll(database, extended));
  const keyring = pruneKeyring(file, keyIdsInUse(database));
  return { keyring, resealed };
}

/** The key-encryption keys that secrets are sealed under. */
export function keyIdsInUse(database: DatabaseSync): ReadonlySet<string> {
  const rows = database.prepare('SELECT DISTINCT seal_key_id AS id FROM api_keys').all();
  return new Set(rows.map(({ id }) => String(id)));
}

function resealAll(database: DatabaseSync, keyring: Keyring): number {
  const rows = database.prepare('SELECT api_key, uid, seal_key_id, seal_version, sealed FROM api_keys').all();
  const update = database.prepare('UPDATE api_keys SET seal_key_id = ?, sealed = ? WHERE api_key = ?');
  for (const row of rows) {
    const owner = { apiKey: String(row.api_key), uid: Number(row.uid) };
    const version = Number(row.seal_version);
    const old = { keyId: String(row.seal_key_id), version, bytes: row.sealed as Uint8Array };
    const next = seal(keyring, owner, version, unseal(keyring, owner, old));
    update.run(next.keyId, next.bytes, owner.apiKey);
  }
  return rows.length;
}
