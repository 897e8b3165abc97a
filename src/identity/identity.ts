/**
 * Users, sub-accounts, API keys and their permissions. This file holds the vocabulary and the port;
 * `sqlite-identity.ts` stores the records. Nothing here reaches the journal: a journal can be attached to a bug
 * report, a secret cannot.
 */
import type { KeyObject } from 'node:crypto';
import type { Mark } from './identity-mark.ts';
import type { IdentityImage } from './identity-storage.ts';
import type { IpList } from './ip-list.ts';

export type KeyKind = 'hmac' | 'rsa' | 'ed25519';
export type PermType = 'read_only' | 'read_write';

export const PERMISSIONS = [
  'uta_trade',
  'uta_mgt',
  'withdraw',
  'copy_futures_position',
  'copy_futures_order',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Rights that a broker grants its sub-accounts, whatever their keys allow (wire 4.5). */
export const SUB_RIGHTS = [
  'withdraw',
  'transfer',
  'spot_trade',
  'contract_trade',
  'margin_trade',
  'deposit',
] as const;
export type SubRight = (typeof SUB_RIGHTS)[number];

/** An IP list has at most 30 entries (interface 8). */
export const IP_LIST_ENTRIES_MAX = 30;
export const KEYS_PER_USER_MAX = 50;
export const SUBS_PER_USER_MAX = 100;
export const SUBS_PER_BROKER_MAX = 10_000;

/** Categories of quotas; margin orders count as spot. */
export const QUOTA_CATEGORIES = ['spot', 'futures'] as const;
export type QuotaCategory = (typeof QUOTA_CATEGORIES)[number];
/** Orders a second of an account without a quota (wire 4.1: place-order). */
export const STANDARD_QUOTA = 10;
export const QUOTA_MAX = 10_000;

export interface User {
  readonly uid: number;
  readonly name: string;
  /** The main account of a sub-account; undefined for a main account. */
  readonly mainUid: number | undefined;
  readonly broker: boolean;
  readonly note: string;
  readonly regisTime: number;
  readonly updatedTime: number;
  readonly inviterId: string;
  readonly channel: string;
  readonly channelCode: string;
  readonly frozen: boolean;
  /** All of them, unless a broker has removed some from its sub-account. */
  readonly rights: readonly SubRight[];
  /** Orders a second by category; undefined while both are the standard. */
  readonly quotas: Readonly<Record<QuotaCategory, number>> | undefined;
}

/** Orders a second of a main account and its sub-accounts together. */
export interface PartyQuota {
  /** The sum of their quotas. */
  readonly given: number;
  /** The largest sum: the standard for each, and what the operator has added. */
  readonly cap: number;
}

export interface ApiKey {
  readonly apiKey: string;
  readonly uid: number;
  readonly kind: KeyKind;
  readonly label: string;
  readonly permType: PermType;
  readonly permissions: readonly Permission[];
  readonly ipList: readonly string[];
  readonly createdTime: number;
  /** 0 until the first use; written lazily, so it may lag by a minute after a crash. */
  readonly lastUsedTime: number;
  /** A published key of the demo accounts, never to be served beyond the local machine. */
  readonly demo: boolean;
  /** Grows with every change of the key, so that an open socket notices that its rights are stale. */
  readonly version: number;
}

/** Everything needed to authenticate a request. */
export interface Credential {
  readonly key: ApiKey;
  readonly user: User;
  /** True when the user or its main account is frozen. */
  readonly frozen: boolean;
  /** The shared secret of an `hmac` key, the public key of the others. */
  readonly verifier: KeyObject;
  readonly ipList: IpList;
}

/** `busy` and `locked` are temporary and say nothing about the passphrase. */
export type PassphraseVerdict = 'ok' | 'wrong' | 'locked' | 'busy';

/** Lookups of every request. */
export interface KeyDirectory {
  findKey(apiKey: string): Credential | undefined;
  /** Synchronous when the passphrase was seen before; a promise only on the first use of a key. */
  checkPassphrase(
    apiKey: string,
    passphrase: string,
    nowMs: number,
  ): PassphraseVerdict | Promise<PassphraseVerdict>;
  noteUse(apiKey: string, nowMs: number): void;
}

export type IdentityRefusal =
  | 'name_invalid'
  | 'name_taken'
  | 'user_unknown'
  | 'sub_of_sub'
  | 'not_main'
  | 'too_many_subs'
  | 'too_many_keys'
  | 'key_unknown'
  | 'key_taken'
  | 'key_invalid'
  | 'label_invalid'
  | 'permission_invalid'
  | 'withdraw_needs_read_write'
  | 'ip_list_invalid'
  | 'passphrase_invalid'
  | 'quota_above_cap'
  | 'address_taken'
  | 'address_unknown'
  | 'too_many_addresses'
  | 'busy';

export type IdentityResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: IdentityRefusal; readonly message: string };

export interface NewUser {
  readonly name: string;
  readonly nowMs: number;
  readonly broker?: boolean;
  readonly note?: string;
  readonly inviterId?: string;
  readonly channel?: string;
  readonly channelCode?: string;
}

/** The note of a placeholder for a lost user, which is frozen although nobody has frozen it. */
export const LOST_NOTE = 'the record of this user was lost';

/** An account of the core whose user is lost. */
export interface LostUser {
  readonly uid: number;
  /** `lost-UID` unless known. */
  readonly name?: string;
  readonly mainUid: number | undefined;
}

export interface NewKey {
  readonly uid: number;
  readonly label: string;
  readonly permType: PermType;
  readonly permissions: readonly Permission[];
  readonly ipList?: readonly string[];
  readonly passphrase: string;
  readonly nowMs: number;
  readonly kind?: KeyKind;
  /** PEM of the user's public key; required for `rsa` and `ed25519`, absent for `hmac`. */
  readonly publicKey?: string;
}

/** A key whose name, secret and passphrase are chosen by the program. */
export interface KnownKey extends NewKey {
  readonly apiKey: string;
  readonly secretKey: string;
  readonly demo: boolean;
}

export interface CreatedKey {
  readonly key: ApiKey;
  /** Shown once; undefined for public-key kinds, whose secret never leaves the user. */
  readonly secretKey: string | undefined;
}

export interface InstalledKey {
  readonly key: ApiKey;
  /** Resolves when the passphrase is hashed and stored (or checked, when it was stored before). */
  readonly stored: Promise<void>;
}

export interface KeyChange {
  readonly label?: string;
  readonly permType?: PermType;
  readonly permissions?: readonly Permission[];
  readonly ipList?: readonly string[];
}

export interface UserChange {
  readonly frozen?: boolean;
  readonly broker?: boolean;
  readonly rights?: readonly SubRight[];
}

export interface UserPage {
  readonly afterUid?: number;
  readonly limit?: number;
}

export interface SubPage extends UserPage {
  readonly frozen?: boolean | undefined;
}

export interface KekRotation {
  readonly keyId: string;
  readonly resealed: number;
}

/** One coin over one network, every coin over one network, or another account of the exchange. */
export const ADDRESS_TYPES = ['regular', 'universal', 'internal'] as const;
export type AddressType = (typeof ADDRESS_TYPES)[number];
export const ADDRESSES_PER_BOOK_MAX = 200;

/** Fields that do not apply are empty: the coin of a universal address, coin and network of an internal one. */
export interface Destination {
  readonly type: AddressType;
  readonly coin: string;
  readonly chain: string;
  /** The uid when it is internal. */
  readonly address: string;
  readonly memo: string;
}

export interface BookedAddress extends Destination {
  readonly id: number;
  readonly label: string;
  readonly createdTime: number;
}

export interface AddressPage {
  /** Entries for this coin. */
  readonly coin?: string;
  readonly type?: string;
  readonly limit: number;
  /** Entries older than this one. */
  readonly beforeId?: number;
}

/** Address books of withdrawals, one per main account. */
export interface AddressBook {
  /** Newest first. */
  list(mainUid: number, page: AddressPage): BookedAddress[];
  isLocked(mainUid: number): boolean;
  /** Is a withdrawal to this destination allowed? */
  admits(mainUid: number, to: Destination): boolean;
}

export interface ChangeableAddressBook extends AddressBook {
  add(mainUid: number, to: Destination, label: string, nowMs: number): IdentityResult<BookedAddress>;
  remove(mainUid: number, id: number): IdentityResult<BookedAddress>;
  lock(mainUid: number, on: boolean): void;
}

/** What is known of users and keys. */
export interface IdentityReads {
  readonly addresses: AddressBook;
  findUser(uid: number): User | undefined;
  /** Among main accounts; names of sub-accounts are unique under their main account only. */
  findUserByName(name: string): User | undefined;
  findSub(mainUid: number, uid: number): User | undefined;
  findSubByName(mainUid: number, name: string): User | undefined;
  /** Sub-accounts of this name under all main accounts, by uid. */
  findSubsByName(name: string, limit: number): User[];
  partyQuota(mainUid: number, category: QuotaCategory): PartyQuota;
  listUsers(page?: UserPage): User[];
  listSubs(mainUid: number, page?: SubPage): User[];
  listKeys(uid: number): ApiKey[];
  /** A key of any sub-account of the user. */
  findSubKey(mainUid: number, apiKey: string): ApiKey | undefined;
}

/** What a change may do. */
export interface IdentityChanges extends IdentityReads {
  readonly addresses: ChangeableAddressBook;
  createUser(user: NewUser): IdentityResult<User>;
  createSub(mainUid: number, user: NewUser): IdentityResult<User>;
  /**
   * Says that its account is about to be opened in the core: nobody withdraws the user from then on. Undefined when it is
   * withdrawn already.
   */
  claimUser(uid: number, nowMs: number): User | undefined;
  /**
   * Removes a user without an account in the core, as it was created; its uid is not assigned again. False when the user was
   * claimed or changed since: then it stays.
   */
  withdrawUser(created: Pick<User, 'uid' | 'updatedTime'>): boolean;
  /** Uids up to this one are not assigned any more. */
  reserveUids(highestUid: number): void;
  /** Creates frozen users without keys for accounts of the core that have none; main accounts first. */
  replaceLost(lost: readonly LostUser[], nowMs: number): void;
  setUser(uid: number, change: UserChange, nowMs: number): IdentityResult<User>;
  setFrozen(uid: number, frozen: boolean, nowMs: number): IdentityResult<User>;
  /** Sets the orders a second of these accounts of one main account; all of them or none. */
  setQuota(
    mainUid: number,
    category: QuotaCategory,
    uids: readonly number[],
    quota: number,
  ): IdentityResult<PartyQuota>;
  /** The quota of a main account beyond the standard, set by the operator. */
  setQuotaExtra(mainUid: number, category: QuotaCategory, extra: number): IdentityResult<PartyQuota>;
  /** Idempotent and immediate: usable before the passphrase hash is finished. */
  installKey(key: KnownKey): IdentityResult<InstalledKey>;
  setKey(apiKey: string, change: KeyChange): IdentityResult<ApiKey>;
  deleteKey(apiKey: string): IdentityResult<ApiKey>;
}

/** A change was not made, because the database that nodes share does not answer. */
export class IdentityUnavailable extends Error {
  override readonly name = 'IdentityUnavailable';
}

/** The database has gone in the middle of a change: it may be made. */
export class IdentityInDoubt extends Error {
  override readonly name = 'IdentityInDoubt';
}

/** The whole port, for operators and for the account routes. */
export interface Identity extends KeyDirectory, IdentityReads {
  /** Changes of the store so far; the time of a key's last use is none. */
  readonly mark: Mark;
  /** Called when a change is on disk. */
  onChanged(listener: () => void): void;
  /**
   * Throws IdentityDamaged when the store is older than the mark that the journal holds; with `acceptGap` it becomes a
   * store of its own instead.
   */
  proveNewest(logged: Mark): void;

  /**
   * Every change goes through here, all of it or nothing; resolves when it is kept. `work` gets the newest contents. It must do nothing but read and
   * change them, and may run again: where nodes share the store, another node's change may come first. Throws
   * IdentityUnavailable, IdentityInDoubt.
   */
  change<Result>(work: (to: IdentityChanges) => Result): Promise<Result>;
  createKey(key: NewKey): Promise<IdentityResult<CreatedKey>>;
  setPassphrase(apiKey: string, passphrase: string): Promise<IdentityResult<ApiKey>>;

  /**
   * Creates a new key-encryption key, under which all secrets are sealed again in one transaction. A crash in the
   * middle leaves every secret readable: keys are removed from the key file only when nothing is sealed under them. Throws
   * RotationRefused where nodes share the store.
   */
  rotateKek(): KekRotation;
  /**
   * The current key of a file in the data directory, created at the first start. The store knows its fingerprint;
   * throws IdentityDamaged when the file holds another key or is missing, unless a gap is accepted.
   */
  fileKey(file: string, advice: string): KeyObject;

  /** Everything that is kept, for a store that goes on from here. */
  image(): IdentityImage;

  close(): Promise<void>;
}

/** A store that one process owns: a change may also be made without waiting. */
export interface LocalIdentity extends Identity, IdentityChanges {
  readonly addresses: ChangeableAddressBook;
}
