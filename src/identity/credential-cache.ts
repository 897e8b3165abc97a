/** What a request needs of its key, kept until the key, its user or the parent of the user changes. */
import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { Credential, KeyKind } from './identity.ts';
import { keyOf, type Row } from './identity-rows.ts';
import { compileIpList } from './ip-list.ts';
import type { KeySeals } from './key-seals.ts';
import type { KeyTable } from './key-table.ts';
import type { UserTable } from './user-table.ts';

const CREDENTIALS_CACHED_MAX = 65_536;

export class CredentialCache {
  readonly #cached = new Map<string, Credential>();
  readonly #users: UserTable;
  readonly #keys: KeyTable;
  readonly #seals: KeySeals;

  constructor(users: UserTable, keys: KeyTable, seals: KeySeals) {
    this.#users = users;
    this.#keys = keys;
    this.#seals = seals;
  }

  find(apiKey: string): Credential | undefined {
    const cached = this.#cached.get(apiKey);
    if (cached !== undefined) return cached;
    const row = this.#keys.row(apiKey);
    if (row === undefined) return undefined;
    const credential = this.#credentialOf(row);
    if (this.#cached.size >= CREDENTIALS_CACHED_MAX) this.#cached.delete(this.#cached.keys().next().value!);
    this.#cached.set(apiKey, credential);
    return credential;
  }

  keyChanged(apiKey: string): void {
    this.#cached.delete(apiKey);
  }

  /** A change of an account affects the keys of its sub-accounts; those of others stay cached. */
  userChanged(uid: number): void {
    for (const [apiKey, { user }] of this.#cached) {
      if (user.uid === uid || user.mainUid === uid) this.#cached.delete(apiKey);
    }
  }

  #credentialOf(row: Row): Credential {
    const key = keyOf(row);
    const user = this.#users.find(key.uid)!;
    const parent = user.mainUid === undefined ? undefined : this.#users.find(user.mainUid);
    const ipList = compileIpList(key.ipList);
    if ('malformed' in ipList) throw new Error(`the stored IP list of key ${key.apiKey} is damaged`);
    const secret = this.#seals.open(key, row);
    const frozen = user.frozen || parent?.frozen === true;
    return { key, user, frozen, verifier: verifierOf(key.kind, secret), ipList };
  }
}

function verifierOf(kind: KeyKind, secret: Buffer): KeyObject {
  return kind === 'hmac'
    ? createSecretKey(secret)
    : createPublicKey({ key: secret, format: 'der', type: 'spki' });
}
