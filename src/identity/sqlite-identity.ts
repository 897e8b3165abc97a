/**
 * The identity store on `node:sqlite`. One process owns the file, or several nodes have a copy each (`store-copy.ts`). A change of
 * a row clears what is cached of it and thereby takes effect on the next request. Secrets are sealed (`sealing.ts`), passphrases
 * hashed (`passphrase.ts`); neither leaves this module as text, except once at creation.
 */
import { type KeyObject, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { contentsOf } from '../storage/memory-database.ts';
import { SqliteAddressBook } from './address-book.ts';
import { AT_ONCE, type ChangeOrder } from './change-order.ts';
import type { Contents } from './contents.ts';
import { CredentialCache } from './credential-cache.ts';
import { type Derivation, deriveInPlace } from './derivation.ts';
import { DerivationThread } from './derivation-thread.ts';
import { FileKeys } from './file-keys.ts';
import {
  type ApiKey,
  type ChangeableAddressBook,
  type CreatedKey,
  type Credential,
  type Identity,
  type IdentityChanges,
  IdentityInDoubt,
  type IdentityResult,
  IdentityUnavailable,
  type InstalledKey,
  KEYS_PER_USER_MAX,
  type KekRotation,
  type KeyChange,
  type KeyKind,
  type KnownKey,
  type LocalIdentity,
  type LostUser,
  type NewKey,
  type NewUser,
  type PartyQuota,
  type PassphraseVerdict,
  type QuotaCategory,
  type SubPage,
  type User,
  type UserChange,
  type UserPage,
} from './identity.ts';
import type { IdentityMark, Mark } from './identity-mark.ts';
import {
  CopyStorage,
  DirectoryStorage,
  type IdentityImage,
  type IdentityStorage,
  MemoryStorage,
} from './identity-storage.ts';
import { faultBehind, openMemoryStore, staleStore } from './identity-store.ts';
import { KeySeals } from './key-seals.ts';
import { KeyTable } from './key-table.ts';
import { KeyUses } from './key-uses.ts';
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
import { RotationRefused } from './rotation.ts';
import { watchRows } from './row-watch.ts';
import { Statements } from './statements.ts';
import { StoreCopy } from './store-copy.ts';
import { UserTable } from './user-table.ts';

export { IDENTITY_FILE } from './identity-store.ts';
export const KEYRING_FILE = 'identity.key';

const HASH_RETRY_MS = 250;
const SHARED_KEYS =
  'the nodes of a cluster have the same key file, which no node changes: rotate it while none runs, with the exchange exported';

export interface IdentityOptions {
  /** Cost of new passphrase hashes; stored hashes carry their own. */
  readonly scryptCost?: ScryptCost;
  /** Continues with the present contents when users, keys or key files are lost or older than they were. */
  readonly acceptGap?: boolean;
}

/** Throws IdentityDamaged, ExposedToOthers. */
export function openIdentity(dataDirectory: string, options: IdentityOptions = {}): LocalIdentity {
  const storage = new DirectoryStorage(dataDirectory);
  const cost = options.scryptCost ?? SCRYPT_COST;
  return new SqliteIdentity(storage, options.acceptGap === true, cost, new DerivationThread());
}

/** Without disk and thread; it ends with the process, and no hash of a passphrase leaves it. */
export function openMemoryIdentity(image?: IdentityImage): LocalIdentity {
  return new SqliteIdentity(new MemoryStorage(image), false, TRANSIENT_SCRYPT_COST, deriveInPlace);
}

/** A new store with the keys of the directory, which are created when they are missing, as contents for copies. */
export async function newStoreContents(
  keysDirectory: string,
  keyFiles: readonly string[],
): Promise<Uint8Array> {
  const { database } = openMemoryStore();
  const storage = new CopyStorage(keysDirectory, contentsOf(database));
  database.close();
  const identity = new SqliteIdentity(storage, false, TRANSIENT_SCRYPT_COST, deriveInPlace);
  try {
    for (const file of keyFiles) identity.fileKey(file, '');
    return identity.image().database;
  } finally {
    await identity.close();
  }
}

export interface CopyOptions {
  /** Has `identity.key` and other keys, the same on every node. */
  readonly keysDirectory: string;
  readonly contents: Uint8Array;
  /** Orders the changes of this copy and brings it those of others. */
  readonly order: (copy: StoreCopy) => ChangeOrder;
  readonly scryptCost?: ScryptCost | undefined;
}

/** A node's copy of a store that several nodes change. Throws IdentityDamaged, ExposedToOthers. */
export function openIdentityCopy({ keysDirectory, contents, order, scryptCost }: CopyOptions): Identity {
  const storage = new CopyStorage(keysDirectory, contents);
  const cost = scryptCost ?? SCRYPT_COST;
  return new SqliteIdentity(storage, false, cost, new DerivationThread(), order);
}

class SqliteIdentity implements LocalIdentity {
  readonly #storage: IdentityStorage;
  readonly #database: DatabaseSync;
  readonly #contents: Contents;
  #mark: Pick<IdentityMark, 'write' | 'close'>;
  readonly #statements: Statements;
  readonly #users: UserTable;
  readonly #keys: KeyTable;
  readonly #quotas: QuotaTable;
  readonly addresses: ChangeableAddressBook;
  readonly #acceptGap: boolean;
  readonly #fileKeys: FileKeys;
  readonly #seals: KeySeals;
  readonly #passphrases: PassphraseGuard;
  readonly #order: ChangeOrder;
  readonly #credentials: CredentialCache;
  readonly #uses: KeyUses;
  #changed: () => void = () => {};
  #closed = false;

  constructor(
    storage: IdentityStorage,
    acceptGap: boolean,
    scryptCost: ScryptCost,
    derivation: Derivation,
    order?: (copy: StoreCopy) => ChangeOrder,
  ) {
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
      const isCopy = order !== undefined;
      this.#fileKeys = new FileKeys(this.#statements, isCopy);
      watchRows(this.#database, this);
      this.#order = order === undefined ? AT_ONCE : order(new StoreCopy(this.#database));
      this.#seals = new KeySeals(storage.keyFile(KEYRING_FILE), this.#fileKeys, this.#keys, isCopy);
      this.#credentials = new CredentialCache(this.#users, this.#keys, this.#seals);
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#passphrases = new PassphraseGuard(
      (apiKey) => this.#storedPassphrase(apiKey),
      scryptCost,
      derivation,
      (apiKey, untilMs) => this.#order.announceLock(apiKey, untilMs),
    );
    this.#order.onLock((apiKey, untilMs) => this.#passphrases.lock(apiKey, untilMs));
    this.#uses = new KeyUses((uses) => this.#writeUses(uses));
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

  change<Result>(work: (to: IdentityChanges) => Result): Promise<Result> {
    return this.#order.run(() => this.#statements.transaction(() => work(this)));
  }

  #committed(): void {
    this.#mark.write(this.mark);
    this.#changed();
  }

  // Users

  createUser(user: NewUser): IdentityResult<User> {
    return this.#users.create(user);
  }

  createSub(mainUid: number, user: NewUser): IdentityResult<User> {
    return this.#users.createSub(mainUid, user);
  }

  claimUser(uid: number, nowMs: number): User | undefined {
    return this.#users.claim(uid, nowMs);
  }

  withdrawUser({ uid, updatedTime }: Pick<User, 'uid' | 'updatedTime'>): boolean {
    return this.#statements.transaction(() => {
      if (this.#users.find(uid)?.updatedTime !== updatedTime) return false;
      this.#keys.deleteOf(uid);
      this.#users.remove(uid);
      return true;
    });
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

  findSub(mainUid: number, uid: number): User | undefined {
    return this.#users.findSub(mainUid, uid);
  }

  findSubByName(mainUid: number, name: string): User | undefined {
    return this.#users.findSubByName(mainUid, name);
  }

  findSubsByName(name: string, limit: number): User[] {
    return this.#users.findSubsByName(name, limit);
  }

  setUser(uid: number, change: UserChange, nowMs: number): IdentityResult<User> {
    return this.#users.change(uid, change, nowMs);
  }

  setQuota(
    mainUid: number,
    category: QuotaCategory,
    uids: readonly number[],
    quota: number,
  ): IdentityResult<PartyQuota> {
    this.userChanged(mainUid);
    return this.#quotas.set(mainUid, category, uids, quota);
  }

  setQuotaExtra(mainUid: number, category: QuotaCategory, extra: number): IdentityResult<PartyQuota> {
    return this.#quotas.setExtra(mainUid, category, extra);
  }

  partyQuota(mainUid: number, category: QuotaCategory): PartyQuota {
    return this.#quotas.ofParty(mainUid, category);
  }

  setFrozen(uid: number, frozen: boolean, nowMs: number): IdentityResult<User> {
    return this.setUser(uid, { frozen }, nowMs);
  }

  listUsers(page?: UserPage): User[] {
    return this.#users.list(page);
  }

  listSubs(mainUid: number, page?: SubPage): User[] {
    return this.#users.listSubs(mainUid, page);
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
    const apiKey = `bk_${randomBytes(16).toString('hex')}`;
    const secretKey = randomBytes(32).toString('hex');
    const secret = publicKey?.export({ type: 'spki', format: 'der' }) ?? Buffer.from(secretKey, 'utf8');
    const key = await this.#order.run(() => {
      const full = this.#ownerFault(input.uid);
      if (full !== undefined) return full;
      return this.#statements.transaction(() => {
        this.#insertKey(apiKey, kind, input, secret, false);
        this.#keys.setPassphrase(apiKey, stored);
        return this.#keys.find(apiKey)!;
      });
    });
    if ('ok' in key) return key;
    this.#passphrases.seed(apiKey, input.passphrase);
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
      if (stored !== 'busy' && (await this.#storeFirst(apiKey, stored))) return;
      await new Promise((resolve) => setTimeout(resolve, HASH_RETRY_MS));
    }
  }

  /** The key may have been deleted or got another passphrase meanwhile; both are newer. False when it must be tried again. */
  async #storeFirst(apiKey: string, stored: StoredPassphrase): Promise<boolean> {
    try {
      await this.#order.run(() => {
        if (this.#keys.find(apiKey) !== undefined && this.#storedPassphrase(apiKey) === undefined) {
          this.#keys.setPassphrase(apiKey, stored);
        }
      });
      return true;
    } catch (error) {
      if (!isUnkept(error)) throw error;
      return false;
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
    return { ok: true, value: this.#keys.find(apiKey)! };
  }

  async setPassphrase(apiKey: string, passphrase: string): Promise<IdentityResult<ApiKey>> {
    const refused = passphraseFault(passphrase);
    if (refused !== undefined) return refused;
    if (this.#keys.find(apiKey) === undefined) return unknownKey();
    const stored = await this.#passphrases.hash(passphrase);
    if (stored === 'busy') return fault('busy', 'passphrase hashing is busy; try again in a few seconds');
    const changed = await this.#order.run(() => {
      if (this.#keys.find(apiKey) === undefined) return undefined;
      return this.#statements.transaction(() => {
        this.#keys.setPassphrase(apiKey, stored);
        this.#keys.countChange(apiKey);
        return this.#keys.find(apiKey);
      });
    });
    if (changed === undefined) return unknownKey();
    // Another node may have changed it again before this one heard that its own change is kept.
    const current = this.#storedPassphrase(apiKey);
    if (current !== undefined && Buffer.compare(current.hash, stored.hash) === 0)
      this.#passphrases.seed(apiKey, passphrase);
    return { ok: true, value: changed };
  }

  deleteKey(apiKey: string): IdentityResult<ApiKey> {
    const key = this.#keys.find(apiKey);
    if (key === undefined) return unknownKey();
    this.#keys.delete(apiKey);
    this.#uses.forget(apiKey);
    return { ok: true, value: key };
  }

  listKeys(uid: number): ApiKey[] {
    if (this.#order === AT_ONCE) void this.#uses.write();
    return this.#keys.list(uid).map((key) => this.#uses.withLast(key));
  }

  findSubKey(mainUid: number, apiKey: string): ApiKey | undefined {
    return this.#keys.findOfSub(mainUid, apiKey);
  }

  rotateKek(): KekRotation {
    if (this.#order !== AT_ONCE) throw new RotationRefused(SHARED_KEYS);
    return this.#seals.rotate(this.#database);
  }

  fileKey(file: string, advice: string): KeyObject {
    const { keys, currentId } = this.#fileKeys.open(this.#storage.keyFile(file), advice, this.#acceptGap);
    return keys.get(currentId)!;
  }

  // One request

  findKey(apiKey: string): Credential | undefined {
    return this.#credentials.find(apiKey);
  }

  // What was cached of a row that changes

  keyChanged(apiKey: string): void {
    this.#credentials.keyChanged(apiKey);
  }

  passphraseChanged(apiKey: string): void {
    this.#passphrases.forget(apiKey);
  }

  userChanged(uid: number): void {
    this.#credentials.userChanged(uid);
  }

  checkPassphrase(
    apiKey: string,
    passphrase: string,
    nowMs: number,
  ): PassphraseVerdict | Promise<PassphraseVerdict> {
    return this.#passphrases.check(apiKey, passphrase, nowMs);
  }

  noteUse(apiKey: string, nowMs: number): void {
    this.#uses.note(apiKey, nowMs);
  }

  /** On a full disk, and while the order of changes cannot be had, it waits. */
  async #writeUses(uses: readonly (readonly [string, number])[]): Promise<boolean> {
    const write = () =>
      this.#statements.transaction(() => {
        for (const [apiKey, usedMs] of uses) this.#keys.setLastUsed(apiKey, usedMs);
      });
    try {
      await this.#order.run(write, true);
      return true;
    } catch (error) {
      if (!this.#storage.isShortage(error) && !isUnkept(error)) throw error;
      return false;
    }
  }

  image(): IdentityImage {
    return this.#storage.image(this.#database);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#uses.close();
    await this.#order.close();
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

/** It can be tried again. */
function isUnkept(error: unknown): boolean {
  return error instanceof IdentityUnavailable || error instanceof IdentityInDoubt;
}

function unknownKey() {
  return fault('key_unknown', 'there is no such API key');
}
