/**
 * Who may do what: users, sub-accounts, API keys and their permissions. This file holds the vocabulary and the port;
 * `sqlite-identity.ts` keeps the records. Nothing here reaches the command log: a log can be copied to a bug report,
 * a secret cannot.
 */
import type { KeyObject } from 'node:crypto';
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

/** What a broker may allow its sub-accounts, whatever their keys say (wire 4.5). */
export const SUB_RIGHTS = [
  'withdraw',
  'transfer',
  'spot_trade',
  'contract_trade',
  'margin_trade',
  'deposit',
] as const;
export type SubRight = (typeof SUB_RIGHTS)[number];

/** interface 8: a key's address list holds at most 30 entries. */
export const IP_LIST_ENTRIES_MAX = 30;
export const KEYS_PER_USER_MAX = 50;
export const SUBS_PER_USER_MAX = 100;
export const SUBS_PER_BROKER_MAX = 10_000;

/** Which orders a quota is about; margin orders are of the spot market. */
export const QUOTA_CATEGORIES = ['spot', 'futures'] as const;
export type QuotaCategory = (typeof QUOTA_CATEGORIES)[number];
/** Orders a second of an account that was given nothing else (wire 4.1: place-order). */
export const STANDARD_QUOTA = 10;
export const QUOTA_MAX = 10_000;

export interface User {
  readonly uid: number;
  readonly name: string;
  /** The main account of a sub-account; undefined for a main account. */
  readonly parentUid: number | undefined;
  readonly broker: boolean;
  readonly note: string;
  readonly regisTime: number;
  readonly updatedTime: number;
  readonly inviterId: string;
  readonly channel: string;
  readonly channelCode: string;
  readonly frozen: boolean;
  /** All of them, unless a broker has taken some from its sub-account. */
  readonly rights: readonly SubRight[];
  /** Orders a second by category; undefined while both are the standard. */
  readonly quotas: Readonly<Record<QuotaCategory, number>> | undefined;
}

/** The orders a second of a main account and its sub-accounts together. */
export interface FamilyQuota {
  /** What they have. */
  readonly given: number;
  /** What they may have: the standard for each, and what the operator has added. */
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
  /** A well-known key of the demo accounts: published in the documentation, so never to be served to the world. */
  readonly demo: boolean;
  /** Grows with every change of the key, so that a long-lived socket can tell that its rights are stale. */
  readonly version: number;
}

/** Everything one request needs to be judged, ready to use. */
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

/** What the gateway asks on every request. */
export interface KeyDirectory {
  findKey(apiKey: string): Credential | undefined;
  /** Answers at once when the passphrase was seen before; a promise only on the first use of a key. */
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

/** An account of the exchange whose user is not known any more. */
export interface LostUser {
  readonly uid: number;
  readonly parentUid: number | undefined;
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

/** A key whose name, secret and passphrase the program itself has chosen. */
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
  /** Settles when the passphrase is hashed and stored (or checked, when it was stored before). */
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

/** One coin over one network, every coin over one network, or another account of the venue. */
export const ADDRESS_TYPES = ['regular', 'universal', 'internal'] as const;
export type AddressType = (typeof ADDRESS_TYPES)[number];
export const ADDRESSES_PER_BOOK_MAX = 200;

/** What does not apply is empty: the coin of a universal address, coin and network of an internal one. */
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
  /** Entries that serve this coin. */
  readonly coin?: string;
  readonly type?: string;
  readonly limit: number;
  /** Older entries than this one. */
  readonly beforeId?: number;
}

/** Where the withdrawals of a family may go; kept for its main account. */
export interface AddressBook {
  add(mainUid: number, to: Destination, label: string, nowMs: number): IdentityResult<BookedAddress>;
  remove(mainUid: number, id: number): IdentityResult<BookedAddress>;
  /** Newest first. */
  list(mainUid: number, page: AddressPage): BookedAddress[];
  isLocked(mainUid: number): boolean;
  lock(mainUid: number, on: boolean): void;
  /** May money of the family go there? */
  admits(mainUid: number, to: Destination): boolean;
}

/** The whole port, for operators and for the account routes. */
export interface Identity extends KeyDirectory {
  /** Where withdrawals may go. */
  readonly addresses: AddressBook;
  createUser(user: NewUser): IdentityResult<User>;
  createSub(parentUid: number, user: NewUser): IdentityResult<User>;
  /** Takes back a user that the exchange gave no account; its uid is not given out again. */
  withdrawUser(uid: number): void;
  /** Uids up to this one are not given out any more. */
  reserveUids(highestUid: number): void;
  /** Puts frozen users without keys where the exchange has accounts and the store has nobody; main accounts first. */
  replaceLost(lost: readonly LostUser[], nowMs: number): void;
  findUser(uid: number): User | undefined;
  /** Among main accounts; the names of sub-accounts belong to their main account. */
  findUserByName(name: string): User | undefined;
  findSub(parentUid: number, uid: number): User | undefined;
  findSubByName(parentUid: number, name: string): User | undefined;
  setUser(uid: number, change: UserChange, nowMs: number): IdentityResult<User>;
  setFrozen(uid: number, frozen: boolean, nowMs: number): IdentityResult<User>;
  /** Gives each of these accounts of one family so many orders a second; all of them or none. */
  setQuota(
    mainUid: number,
    category: QuotaCategory,
    uids: readonly number[],
    quota: number,
  ): IdentityResult<FamilyQuota>;
  /** What a family may have beyond the standard; the operator's to say. */
  setQuotaExtra(mainUid: number, category: QuotaCategory, extra: number): IdentityResult<FamilyQuota>;
  familyQuota(mainUid: number, category: QuotaCategory): FamilyQuota;
  listUsers(page?: UserPage): User[];
  listSubs(parentUid: number, page?: SubPage): User[];

  createKey(key: NewKey): Promise<IdentityResult<CreatedKey>>;
  /** Idempotent and immediate: usable before the passphrase hash is finished. */
  installKey(key: KnownKey): IdentityResult<InstalledKey>;
  setKey(apiKey: string, change: KeyChange): IdentityResult<ApiKey>;
  setPassphrase(apiKey: string, passphrase: string): Promise<IdentityResult<ApiKey>>;
  deleteKey(apiKey: string): IdentityResult<ApiKey>;
  listKeys(uid: number): ApiKey[];
  /** A key of any sub-account of the user. */
  findSubKey(parentUid: number, apiKey: string): ApiKey | undefined;

  /**
   * A new key-encryption key, under which all secrets are sealed again in one transaction. A crash in the middle
   * leaves every secret readable: keys leave the key file only when nothing is sealed under them.
   */
  rotateKek(): KekRotation;
  /**
   * The current key of a file in the data directory, made at the first start. The store knows its fingerprint; throws
   * IdentityDamaged when the file holds another key or is gone, unless a gap is accepted.
   */
  fileKey(file: string, advice: string): KeyObject;

  close(): Promise<void>;
}
