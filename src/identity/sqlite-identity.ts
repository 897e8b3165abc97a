/**
 * The identity store on `node:sqlite`. One process owns the file: every change goes through this object, clears the
 * affected cache entries and thereby takes effect on the next request. Secrets are sealed (`sealing.ts`), passphrases
 * hashed (`passphrase.ts`); neither leaves this module as text, except once at creation.
 */
import { createPublicKey, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { SqliteAddressBook } from './address-book.ts';
import type { Contents } from './contents.ts';
import { type Derivation, deriveInPlace } from './derivation.ts';
import { DerivationThread } from './derivation-thread.ts';
import { FileKeys } from './file-keys.ts';
import {
  type AddressBook,
  type ApiKey,
  type CreatedKey,
  type Credential,
  type FamilyQuota,
  type Identity,
  type IdentityResult,
  type InstalledKey,
  KEYS_PER_USER_MAX,
  type KekRotation,
  type KeyChange,
  type KeyKind,
  type KnownKey,
  type LostUser,
  type NewKey,
  type NewUser,
  type PassphraseVerdict,
  type QuotaCategory,
  type SubPage,
  type User,
  type UserChange,
  type UserPage,
} from './identity.ts';
import type { IdentityMark, Mark } from './identity-mark.ts';
import { keyOf, type Row } from './identity-rows.ts';
import {
  DirectoryStorage,
  type IdentityImage,
  type IdentityStorage,
  MemoryStorage,
} from './identity-storage.ts';
import { faultBehind, staleStore } from './identity-store.ts';
import { compileIpList } from './ip-list.ts';
import { KeySeals } from './key-seals.ts';
import { KeyTable } from './key-table.ts';
import { apiKeyFault, fault, passphraseFault, readPublicKey, rightsFault } from './key-validation.ts';
import {
  PassphraseGuard,
  PUBLISHED_SCRYPT_COST,
  SCRYPT_COST,
  type ScryptCost,
  type StoredPassphrase,
  TRANSIENT_SCRYPT_COST,
} from './passphrase.ts';
import { QuotaTable } from './quota-table.ts';
import { Statements } from './statements.ts';
import { UserTable } from './user-table.ts';

export { IDENTITY_FILE } from './identity-store.ts';
export const KEYRING_FILE = 'identity.key';

const CREDENTIALS_CACHED_MAX = 65_536;
const LAST_USED_WRITE_MS = 60_000;
const HASH_RETRY_MS = 250;

export interface IdentityOptions {
  /** Cost of new passphrase hashes; stored hashes carry their own. */
  readonly scryptCost?: ScryptCost;
  /** Continues with the present contents when users, keys or key files are lost or older than they were. */
  readonly acceptGap?: boolean;
}

/** Throws IdentityDamaged, ExposedToOthers. */
export function openIdentity(dataDirectory: string, options: IdentityOptions = {}): Identity {
  const storage = new DirectoryStorage(dataDirectory);
  const cost = options.scryptCost ?? SCRYPT_COST;
  return new SqliteIdentity(storage, options.acceptGap === true, cost, new DerivationThread());
}

/** Without disk and thread; it ends with the process, and no hash of a passphrase leaves it. */
export function openMemoryIdentity(image?: IdentityImage): Identity {
  return new SqliteIdentity(new MemoryStorage(image), false, TRANSIENT_SCRYPT_COST, deriveInPlace);
}

class SqliteIdentity implements Identity {
  readonly #storage: IdentityStorage;
  readonly #database: DatabaseSync;
  readonly #contents: Contents;
  #mark: Pick<IdentityMark, 'write' | 'close'>;
  readonly #statements: Statements;
  readonly #users: UserTable;
  readonly #keys: KeyTable;
  readonly #quotas: QuotaTable;
  readonly addresses: AddressBook;
  readonly #acceptGap: boolean;
  readonly #fileKeys: FileKeys;
  readonly #seals: KeySeals;
  readonly #passphrases: PassphraseGuard;
  readonly #credentials = new Map<string, Credential>();
  readonly #lastUsed = new Map<string, number>();
  readonly #lastUsedTimer: NodeJS.Timeout;
  #changed: () => void = () => {};
  #closed = false;

  constructor(storage: IdentityStorage, acceptGap: boolean, scryptCost: ScryptCost, derivation: Derivation) {
    const opened = storage.openStore(acceptGap);
    this.#database = opened.database;
    this.#contents = opened.contents;
    this.#storage = storage;
    this.#acceptGap = acceptGap;
    try {
      this.#mark = storage.openMark(this.mark);
      this.#statements = new Statements(this.#database, () => this.#committed());
      this.#users = new UserTable(this.#statements);
      this.#keys = new KeyTable(this.#statements);
      this.#quotas = new QuotaTable(this.#statements);
      this.addresses = new SqliteAddressBook(this.#statements);
      this.#fileKeys = new FileKeys(this.#statements);
      this.#seals = new KeySeals(storage.keyFile(KEYRING_FILE), this.#fileKeys, this.#keys);
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#passphrases = new PassphraseGuard(
      (apiKey) => this.#storedPassphrase(apiKey),
      scryptCost,
      derivation,
    );
    this.#lastUsedTimer = setInterval(() => this.#writeLastUsed(), LAST_USED_WRITE_MS).unref();
  }

  // The store

  get mark(): Mark {
    const { store, changes } = this.#contents.summary()!;
    return { store, changes };
  }

  onChanged(listener: () => void): void {
    this.#changed = listener;
  }

  proveNewest(logged: Mark): void {
    const fault = faultBehind(logged, this.mark);
    if (fault === undefined) return;
    if (!this.#acceptGap) throw staleStore(this.#storage.place, fault);
    this.#contents.accept(true);
    this.#mark.close();
    this.#mark = this.#storage.openMark(this.mark);
  }

  #committed(): void {
    this.#mark.write(this.mark);
    this.#changed();
  }

  // Users

  createUser(user: NewUser): IdentityResult<User> {
    return this.#users.create(user);
  }

  createSub(parentUid: number, user: NewUser): IdentityResult<User> {
    return this.#users.createSub(parentUid, user);
  }

  withdrawUser(uid: number): void {
    this.#statements.transaction(() => {
      this.#keys.deleteOf(uid);
      this.#users.remove(uid);
    });
    this.#forgetFamily(uid);
  }

  reserveUids(highestUid: number): void {
    this.#contents.reserveUids(highestUid);
  }

  replaceLost(lost: readonly LostUser[], nowMs: number): void {
    this.#statements.transaction(() => {
      for (const user of lost) this.#users.insertLost(user, nowMs);
    });
  }

  findUser(uid: number): User | undefined {
    return this.#users.find(uid);
  }

  findUserByName(name: string): User | undefined {
    return this.#users.findMainByName(name);
  }

  findSub(parentUid: number, uid: number): User | undefined {
    return this.#users.findSub(parentUid, uid);
  }

  findSubByName(parentUid: number, name: string): User | undefined {
    return this.#users.findSubByName(parentUid, name);
  }

  findSubsByName(name: string, limit: number): User[] {
    return this.#users.findSubsByName(name, limit);
  }

  setUser(uid: number, change: UserChange, nowMs: number): IdentityResult<User> {
    this.#forgetFamily(uid);
    return this.#users.change(uid, change, nowMs);
  }

  setQuota(
    mainUid: number,
    category: QuotaCategory,
    uids: readonly number[],
    quota: number,
  ): IdentityResult<FamilyQuota> {
    this.#forgetFamily(mainUid);
    return this.#quotas.set(mainUid, category, uids, quota);
  }

  setQuotaExtra(mainUid: number, category: QuotaCategory, extra: number): IdentityResult<FamilyQuota> {
    return this.#quotas.setExtra(mainUid, category, extra);
  }

  familyQuota(mainUid: number, category: QuotaCategory): FamilyQuota {
    return this.#quotas.ofFamily(mainUid, category);
  }

  setFrozen(uid: number, frozen: boolean, nowMs: number): IdentityResult<User> {
    return this.setUser(uid, { frozen }, nowMs);
  }

  listUsers(page?: UserPage): User[] {
    return this.#users.list(page);
  }

  listSubs(parentUid: number, page?: SubPage): User[] {
    return this.#users.listSubs(parentUid, page);
  }

  // Keys

  async createKey(input: NewKey): Promise<IdentityResult<CreatedKey>> {
    const kind = input.kind ?? 'hmac';
    const refused = rightsFault(input) ?? passphraseFault(input.passphrase) ?? this.#ownerFault(input.uid);
    if (refused !== undefined) return refused;
    const publicKey = kind === 'hmac' ? undefined : readPublicKey(kind, input.publicKey);
    if (publicKey !== undefined && 'ok' in publicKey) return publicKey;

    const stored = await this.#passphrases.hash(input.passphrase);
    if (stored === 'busy') return fault('busy', 'passphrase hashing is busy; try again in a few seconds');
    const full = this.#ownerFault(input.uid);
    if (full !== undefined) return full;
    const apiKey = `bk_${randomBytes(16).toString('hex')}`;
    const secretKey = randomBytes(32).toString('hex');
    const secret = publicKey?.export({ type: 'spki', format: 'der' }) ?? Buffer.from(secretKey, 'utf8');
    this.#statements.transaction(() => {
      this.#insertKey(apiKey, kind, input, secret, false);
      this.#keys.setPassphrase(apiKey, stored);
    });
    this.#passphrases.seed(apiKey, input.passphrase);
    const key = this.#keys.find(apiKey)!;
    return { ok: true, value: { key, secretKey: publicKey === undefined ? secretKey : undefined } };
  }

  installKey(input: KnownKey): IdentityResult<InstalledKey> {
    const { apiKey, passphrase } = input;
    const refused = apiKeyFault(apiKey) ?? rightsFault(input) ?? passphraseFault(passphrase);
    if (refused !== undefined) return refused;
    const existing = this.#keys.find(apiKey);
    const full = existing === undefined ? this.#ownerFault(input.uid) : undefined;
    if (full !== undefined) return full;
    if (existing !== undefined && existing.uid !== input.uid) {
      return fault('key_taken', `the key ${apiKey} belongs to user ${existing.uid}`);
    }
    if (existing === undefined)
      this.#insertKey(apiKey, 'hmac', input, Buffer.from(input.secretKey, 'utf8'), input.demo);
    if (this.#storedPassphrase(apiKey) !== undefined) {
      return { ok: true, value: { key: existing!, stored: this.#warm(apiKey, passphrase, input.nowMs) } };
    }
    this.#passphrases.seed(apiKey, passphrase);
    const published = input.demo && PUBLISHED_SCRYPT_COST.N < this.#passphrases.cost.N;
    const cost = published ? PUBLISHED_SCRYPT_COST : undefined;
    const stored = this.#hashLater(apiKey, passphrase, cost);
    return { ok: true, value: { key: this.#keys.find(apiKey)!, stored } };
  }

  /** A passphrase that was changed since does not match; then nothing is cached. */
  async #warm(apiKey: string, passphrase: string, nowMs: number): Promise<void> {
    await this.#passphrases.check(apiKey, passphrase, nowMs);
  }

  async #hashLater(apiKey: string, passphrase: string, cost: ScryptCost | undefined): Promise<void> {
    while (!this.#closed) {
      const stored = await this.#passphrases.hash(passphrase, cost);
      if (this.#closed) return;
      if (stored !== 'busy') {
        // The key may have been deleted or got another passphrase meanwhile; both are newer.
        if (this.#keys.find(apiKey) !== undefined && this.#storedPassphrase(apiKey) === undefined) {
          this.#keys.setPassphrase(apiKey, stored);
        }
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, HASH_RETRY_MS));
    }
  }

  setKey(apiKey: string, change: KeyChange): IdentityResult<ApiKey> {
    const old = this.#keys.find(apiKey);
    if (old === undefined) return unknownKey();
    const next = {
      label: change.label ?? old.label,
      permType: change.permType ?? old.permType,
      permissions: change.permissions ?? old.permissions,
      ipList: change.ipList ?? old.ipList,
    };
    const refused = rightsFault(next);
    if (refused !== undefined) return refused;
    this.#keys.setRights(apiKey, next);
    this.#credentials.delete(apiKey);
    return { ok: true, value: this.#keys.find(apiKey)! };
  }

  async setPassphrase(apiKey: string, passphrase: string): Promise<IdentityResult<ApiKey>> {
    const refused = passphraseFault(passphrase);
    if (refused !== undefined) return refused;
    if (this.#keys.find(apiKey) === undefined) return unknownKey();
    const stored = await this.#passphrases.hash(passphrase);
    if (stored === 'busy') return fault('busy', 'passphrase hashing is busy; try again in a few seconds');
    if (this.#keys.find(apiKey) === undefined) return unknownKey();
    this.#statements.transaction(() => {
      this.#keys.setPassphrase(apiKey, stored);
      this.#keys.countChange(apiKey);
    });
    this.#credentials.delete(apiKey);
    this.#passphrases.forget(apiKey);
    this.#passphrases.seed(apiKey, passphrase);
    return { ok: true, value: this.#keys.find(apiKey)! };
  }

  deleteKey(apiKey: string): IdentityResult<ApiKey> {
    const key = this.#keys.find(apiKey);
    if (key === undefined) return unknownKey();
    this.#keys.delete(apiKey);
    this.#credentials.delete(apiKey);
    this.#lastUsed.delete(apiKey);
    this.#passphrases.forget(apiKey);
    return { ok: true, value: key };
  }

  listKeys(uid: number): ApiKey[] {
    this.#writeLastUsed();
    return this.#keys.list(uid);
  }

  findSubKey(parentUid: number, apiKey: string): ApiKey | undefined {
    return this.#keys.findOfSub(parentUid, apiKey);
  }

  rotateKek(): KekRotation {
    return this.#seals.rotate(this.#database);
  }

  fileKey(file: string, advice: string): KeyObject {
    const { keys, currentId } = this.#fileKeys.open(this.#storage.keyFile(file), advice, this.#acceptGap);
    return keys.get(currentId)!;
  }

  // One request

  findKey(apiKey: string): Credential | undefined {
    const cached = this.#credentials.get(apiKey);
    if (cached !== undefined) return cached;
    const row = this.#keys.row(apiKey);
    if (row === undefined) return undefined;
    const credential = this.#credentialOf(row);
    if (this.#credentials.size >= CREDENTIALS_CACHED_MAX) {
      this.#credentials.delete(this.#credentials.keys().next().value!);
    }
    this.#credentials.set(apiKey, credential);
    return credential;
  }

  /** A change of an account affects the keys of its sub-accounts; those of others stay cached. */
  #forgetFamily(uid: number): void {
    for (const [apiKey, { user }] of this.#credentials) {
      if (user.uid === uid || user.parentUid === uid) this.#credentials.delete(apiKey);
    }
  }

  #credentialOf(row: Row): Credential {
    const key = keyOf(row);
    const user = this.findUser(key.uid)!;
    const parent = user.parentUid === undefined ? undefined : this.findUser(user.parentUid);
    const ipList = compileIpList(key.ipList);
    if ('malformed' in ipList) throw new Error(`the stored IP list of key ${key.apiKey} is damaged`);
    const secret = this.#seals.open(key, row);
    const frozen = user.frozen || parent?.frozen === true;
    return { key, user, frozen, verifier: verifierOf(key.kind, secret), ipList };
  }

  checkPassphrase(
    apiKey: string,
    passphrase: string,
    nowMs: number,
  ): PassphraseVerdict | Promise<PassphraseVerdict> {
    return this.#passphrases.check(apiKey, passphrase, nowMs);
  }

  noteUse(apiKey: string, nowMs: number): void {
    this.#lastUsed.set(apiKey, nowMs);
  }

  /** Writes the keys used since the last time in one commit, once a minute. On a full disk it waits. */
  #writeLastUsed(): void {
    if (this.#lastUsed.size === 0) return;
    try {
      this.#statements.transaction(() => {
        for (const [apiKey, usedMs] of this.#lastUsed) this.#keys.setLastUsed(apiKey, usedMs);
      });
    } catch (error) {
      if (!this.#storage.isShortage(error)) throw error;
      return;
    }
    this.#lastUsed.clear();
  }

  image(): IdentityImage {
    return this.#storage.image(this.#database);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#lastUsedTimer);
    this.#writeLastUsed();
    await this.#passphrases.close();
    this.#database.close();
    this.#mark.close();
  }

  // Rows

  #ownerFault(uid: number) {
    if (this.findUser(uid) === undefined) return fault('user_unknown', `there is no user ${uid}`);
    return this.#keys.countOf(uid) >= KEYS_PER_USER_MAX
      ? fault('too_many_keys', `an account has at most ${KEYS_PER_USER_MAX} API keys; delete one first`)
      : undefined;
  }

  #insertKey(apiKey: string, kind: KeyKind, input: NewKey, secret: Uint8Array, demo: boolean): void {
    const sealed = this.#seals.seal({ apiKey, uid: input.uid }, secret);
    this.#keys.insert(apiKey, kind, input, sealed, demo);
  }

  #storedPassphrase(apiKey: string): StoredPassphrase | undefined {
    return this.#closed ? undefined : this.#keys.passphrase(apiKey);
  }
}

function unknownKey() {
  return fault('key_unknown', 'there is no such API key');
}

function verifierOf(kind: KeyKind, secret: Buffer): KeyObject {
  return kind === 'hmac'
    ? createSecretKey(secret)
    : createPublicKey({ key: secret, format: 'der', type: 'spki' });
}
