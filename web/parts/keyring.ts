/** Accounts that the page can sign for: those of the demo, and keys that a person typed. */
import { signal } from '@preact/signals';
import { type Keys, PLACEHOLDERS } from '../wire/code.ts';
import { importSecret, type Signer, type SigningKey, signerOf } from '../wire/sign.ts';
import type { SessionAccount } from '../wire/types.ts';

export interface AccountKey {
  /** The API key, which no two have in common. */
  readonly id: string;
  readonly name: string;
  readonly signer: Signer;
  /** What programs are written with: published keys, or placeholders. */
  readonly written: Keys;
  /** Which of the colours its bar has. */
  readonly colour: number;
}

/** Without it (plain http beyond this machine) the page can only look. */
export const canSign = globalThis.crypto?.subtle !== undefined;

export const accounts = signal<readonly AccountKey[]>([]);

export async function addDemoAccounts(list: readonly SessionAccount[]): Promise<void> {
  if (!canSign) return;
  for (const { name, apiKey, secretKey, passphrase } of list) {
    const key = await importSecret(secretKey);
    put(name, signerOf(apiKey, passphrase, key), { apiKey, secretKey, passphrase });
  }
}

interface StoredKey {
  readonly name: string;
  readonly apiKey: string;
  readonly passphrase: string;
  readonly key: SigningKey;
}

export async function addOwnKey(
  name: string,
  apiKey: string,
  secretKey: string,
  passphrase: string,
  keep: boolean,
): Promise<AccountKey> {
  const key = await importSecret(secretKey);
  if (keep) await store({ name, apiKey, passphrase, key });
  return put(name, signerOf(apiKey, passphrase, key), PLACEHOLDERS);
}

export async function addStoredKeys(): Promise<void> {
  if (!canSign) return;
  for (const { name, apiKey, passphrase, key } of await stored())
    put(name, signerOf(apiKey, passphrase, key), PLACEHOLDERS);
}

export async function forgetKey(id: string): Promise<void> {
  accounts.value = accounts.value.filter((account) => account.id !== id);
  await request('readwrite', (store) => store.delete(id));
}

export const isDemo = ({ written }: AccountKey): boolean => written !== PLACEHOLDERS;

function put(name: string, signer: Signer, written: Keys): AccountKey {
  const others = accounts.value.filter(({ id }) => id !== signer.apiKey);
  const account = { id: signer.apiKey, name, signer, written, colour: others.length % 6 };
  accounts.value = [...others, account];
  return account;
}

// The browser keeps the key as an object that it signs with and does not show.
const STORE = 'keys';

function request<Result>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('bourse', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: 'apiKey' });
    opening.onerror = () => reject(opening.error!);
    opening.onsuccess = () => {
      const asked = ask(opening.result.transaction(STORE, mode).objectStore(STORE));
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error!);
    };
  });
}

const store = (key: StoredKey) => request('readwrite', (each) => each.put(key));
const stored = () => request<StoredKey[]>('readonly', (each) => each.getAll());
