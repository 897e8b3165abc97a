/**
 * Secrets at rest. An HMAC secret must be readable again, so it cannot be hashed; it is sealed with AES-256-GCM under
 * a key in a file of its own, so that a copied database alone opens nothing. The additional data binds a seal to its
 * key, owner and seal version: a seal moved to another row does not open.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { IdentityDamaged } from './identity-damaged.ts';
import type { KeyFile } from './key-file.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const FINGERPRINT_CHARS = 32;
const CIPHER = 'aes-256-gcm';

export interface Seal {
  readonly keyId: string;
  readonly version: number;
  /** nonce, ciphertext, tag */
  readonly bytes: Uint8Array;
}

export interface SealOwner {
  readonly apiKey: string;
  readonly uid: number;
}

/** All key-encryption keys on file; new seals use the last one, old seals name theirs. */
export interface Keyring {
  readonly currentId: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

export function seal(ring: Keyring, owner: SealOwner, version: number, secret: Uint8Array): Seal {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, ring.keys.get(ring.currentId)!, nonce);
  cipher.setAAD(additionalData(owner, version));
  const bytes = Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  return { keyId: ring.currentId, version, bytes };
}

export function unseal(ring: Keyring, owner: SealOwner, sealed: Seal): Buffer {
  const key = ring.keys.get(sealed.keyId);
  if (key === undefined) {
    throw new IdentityDamaged(
      `the secret of key ${owner.apiKey} is sealed under ${sealed.keyId}, which is not in the key file`,
    );
  }
  const { bytes } = sealed;
  if (bytes.length < NONCE_BYTES + TAG_BYTES)
    throw new Error(`the sealed secret of ${owner.apiKey} is too short`);
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(additionalData(owner, sealed.version));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  const opened = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
  return Buffer.concat([opened, decipher.final()]);
}

/** Key names contain no `|` (`key-validation.ts`), so the three parts cannot be shifted into each other. */
function additionalData(owner: SealOwner, version: number): Buffer {
  return Buffer.from(`${owner.apiKey}|${owner.uid}|${version}`, 'utf8');
}

/** Reads the key file: one `id base64` line per key, the last one current. Throws ExposedToOthers, IdentityDamaged. */
export function readKeyring(file: KeyFile): Keyring {
  return parseKeyring(file.read(), file.path);
}

/** Exactly as it is written: an encoding with a changed bit in its padding would decode to the same key. */
const KEY_LINE = /^([\w-]{1,64}) ([A-Za-z0-9+/]{43}=)$/;

function parseKeyring(text: string, path: string): Keyring {
  const keys = new Map<string, KeyObject>();
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length === 0) throw damagedKeyFile(path);
  let currentId = '';
  for (const line of lines) {
    const [, id, encoded] = KEY_LINE.exec(line) ?? [];
    if (id === undefined || encoded === undefined || keys.has(id)) throw damagedKeyFile(path);
    const bytes = Buffer.from(encoded, 'base64');
    if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== encoded) throw damagedKeyFile(path);
    keys.set(id, createSecretKey(bytes));
    currentId = id;
  }
  return { currentId, keys };
}

function damagedKeyFile(path: string): IdentityDamaged {
  return new IdentityDamaged(
    `${path} is damaged: each line must be a distinct id and 32 bytes in base64; restore it from a backup`,
  );
}

/** Identifies keys without revealing them. */
export function fingerprintOf(key: KeyObject): string {
  return createHash('sha256').update(key.export()).digest('hex').slice(0, FINGERPRINT_CHARS);
}

/** Creates the key file; fails when it exists, because overwriting it would lose every secret. */
export function createKeyring(file: KeyFile): Keyring {
  file.create(keyringText(withNewKey(new Map())));
  return readKeyring(file);
}

/** Adds a key, which becomes the current one. */
export function extendKeyring(file: KeyFile): Keyring {
  file.replace(keyringText(withNewKey(readKeyring(file).keys)));
  return readKeyring(file);
}

/** Removes the keys that are not listed; the current one always stays. */
export function pruneKeyring(file: KeyFile, usedIds: ReadonlySet<string>): Keyring {
  const { keys, currentId } = readKeyring(file);
  const kept = [...keys].filter(([id]) => id === currentId || usedIds.has(id));
  if (kept.length < keys.size) file.replace(keyringText(new Map(kept)));
  return readKeyring(file);
}

function withNewKey(keys: ReadonlyMap<string, KeyObject>): ReadonlyMap<string, KeyObject> {
  const id = `kek-${randomBytes(4).toString('hex')}`;
  return new Map([...keys, [id, createSecretKey(randomBytes(KEY_BYTES))]]);
}

function keyringText(keys: ReadonlyMap<string, KeyObject>): string {
  return [...keys].map(([id, key]) => `${id} ${key.export().toString('base64')}\n`).join('');
}
